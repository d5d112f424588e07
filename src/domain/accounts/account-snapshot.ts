import type { LinkStrength } from '@vouchgraph/decisions';
import type { Account } from './account.ts';

/** The facts of an account that its events contain, with all three decisions. */
export function accountSnapshot(account: Account, links: LinkStrength) {
  const { row, personal } = account;
  const { email, disposable, personal: isPersonal, valid, ...emailFacts } = account.emailFacts;
  const { domainType, emailScore, trustSignals, riskSignals } = emailFacts;
  return {
    account: {
      id: row.account_id,
      email: personal.email,
      phone: account.phone,
      firstName: personal.firstName,
      lastName: personal.lastName,
      username: personal.username,
      expectedCountries: row.expected_countries,
      metadata: personal.metadata,
      group: row.account_group,
      ...(personal.dateOfBirth === '' ? {} : { dateOfBirth: personal.dateOfBirth }),
    },
    numSessions: row.num_sessions,
    firstSeen: row.first_seen?.toISOString() ?? null,
    lastSeen: row.last_seen?.toISOString() ?? null,
    lastSession: row.last_session ?? '',
    country: row.country,
    countries: row.countries,
    decision: account.decision(links),
    accountScore: account.accountScore(links),
    bot: account.bot,
    multipleAccounts: account.multipleAccounts(links),
    riskSignals: account.riskSignals,
    accountsLinked: links.count,
    lists: row.lists.map(({ name }) => name),
    uniqueDevices: { oneDay: row.unique_devices_1d, sevenDay: row.unique_devices_7d },
    uniqueNetworks: { oneDay: row.unique_networks_1d, sevenDay: row.unique_networks_7d },
    emailFacts: {
      email,
      disposable,
      personal: isPersonal,
      valid,
      domainType,
      emailScore,
      trustSignals,
      riskSignals,
      numAccountFromDomain: account.accountsFromDomain ?? 0,
    },
    riskSignalAverage: account.riskSignalAverage,
  };
}

export type AccountSnapshot = ReturnType<typeof accountSnapshot>;
