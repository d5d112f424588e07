import type { LinkStrength } from '../decisions/account-score.ts';
import { scoresByName } from '../sessions/session-record.ts';
import type { Account } from './account.ts';

/** An account as events tell it: the account state record of the interface, under its names, with all three decisions. */
export function accountRecord(account: Account, links: LinkStrength): Record<string, unknown> {
  const { row, personal, emailFacts } = account;
  return {
    account: {
      id: row.account_id,
      email: personal.email,
      phone: account.phone,
      first_name: personal.firstName,
      last_name: personal.lastName,
      username: personal.username,
      expected_countries: row.expected_countries,
      metadata: personal.metadata,
      group: row.account_group,
      ...(personal.dateOfBirth === '' ? {} : { date_of_birth: personal.dateOfBirth }),
    },
    num_sessions: row.num_sessions,
    first_seen: row.first_seen?.toISOString() ?? null,
    last_seen: row.last_seen?.toISOString() ?? null,
    last_session: row.last_session ?? '',
    country: row.country,
    countries: row.countries,
    decision: account.decision(links),
    account_score: account.accountScore(links),
    bot: account.bot,
    multiple_accounts: account.multipleAccounts(links),
    risk_signals: account.riskSignals,
    accounts_linked: links.count,
    lists: row.lists.map(({ name }) => name),
    unique_devices: { '1_day': row.unique_devices_1d, '7_day': row.unique_devices_7d },
    unique_networks: { '1_day': row.unique_networks_1d, '7_day': row.unique_networks_7d },
    email: {
      email: emailFacts.email,
      disposable: emailFacts.disposable,
      personal: emailFacts.personal,
      valid: emailFacts.valid,
      domain_type: emailFacts.domainType,
      email_score: emailFacts.emailScore,
      trust_signals: emailFacts.trustSignals,
      risk_signals: emailFacts.riskSignals,
      num_account_from_domain: account.accountsFromDomain ?? 0,
    },
    risk_signal_average: scoresByName(account.riskSignalAverage),
  };
}
