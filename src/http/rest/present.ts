import type {
  AccountFieldsFragment,
  AccountStateFragment,
  LinkedAccountBodyFragment,
  LinkPageFragment,
  SessionBodyFragment,
} from './generated/operations.ts';

/** What an answer needs besides its data. */
export type AnswerMeta = {
  requestId: string;
  projectId: string;
  /** Time of the request. */
  at: Date;
  /** The project's older clients know Real and Fake only: Suspicious is shown as Real. */
  twoValuedDecision: boolean;
};

export function decisionOf(decision: string, meta: AnswerMeta): string {
  return meta.twoValuedDecision && decision === 'Suspicious' ? 'Real' : decision;
}

/** The Session object. */
export function sessionBodyOf(session: SessionBodyFragment, meta: AnswerMeta) {
  return { request_id: meta.requestId, project_id: meta.projectId, ...session };
}

const recent = (counts: { one_day: number; seven_day: number }) => ({
  '1_day': counts.one_day,
  '7_day': counts.seven_day,
});

/** The fields of an account as its client gave them. */
export function accountFieldsOf(account: AccountStateFragment & AccountFieldsFragment) {
  return {
    id: account.id,
    email: account.email,
    phone: account.phone,
    first_name: account.first_name,
    last_name: account.last_name,
    username: account.username,
    expected_countries: account.expected_countries,
    metadata: account.metadata,
    group: account.group,
    date_of_birth: account.date_of_birth,
  };
}

/** The facts of an account's sessions, as both account records show them. */
export function accountHistoryOf(account: AccountStateFragment) {
  return {
    num_sessions: account.num_sessions,
    first_seen: account.first_seen,
    last_seen: account.last_seen,
    last_session: account.last_session,
    country: account.country,
    countries: account.countries,
  };
}

export function accountFactsOf(account: AccountStateFragment) {
  return {
    unique_devices: recent(account.unique_devices),
    unique_networks: recent(account.unique_networks),
    email: account.email_facts,
    risk_signal_average: account.risk_signal_average,
  };
}

/** The scores of an account, as every answer about it shows them. */
export function accountScoresOf(account: AccountStateFragment) {
  return {
    account_score: account.account_score,
    bot: account.bot,
    multiple_accounts: account.multiple_accounts,
    risk_signals: account.risk_signals,
    accounts_linked: account.accounts_linked,
    lists: account.lists.map(({ name }) => name),
  };
}

/** The account state record of GET and PUT /account/{id}. */
export function accountRecordOf(
  account: AccountStateFragment & AccountFieldsFragment & { decision: string },
  meta: AnswerMeta,
) {
  return {
    project_id: meta.projectId,
    request_id: meta.requestId,
    account: accountFieldsOf(account),
    ...accountHistoryOf(account),
    decision: decisionOf(account.decision, meta),
    ...accountScoresOf(account),
    ...accountFactsOf(account),
  };
}

type LinkFacts = { score: number; match_types: readonly string[]; first_seen: string; last_seen: string };

const DOCUMENTED_MATCH_TYPES = ['network', 'email', 'browser', 'device', 'phone', 'username'];
const isDocumented = (type: string) => DOCUMENTED_MATCH_TYPES.includes(type);

/** A linked account record. `match_type` has the words that older clients know, `match_kinds` every kind. */
export function linkedAccountOf(link: LinkFacts, account: LinkedAccountBodyFragment) {
  return {
    account_id: account.account_id,
    score: link.score,
    match_type: link.match_types.filter(isDocumented),
    match_kinds: link.match_types,
    email: account.email,
    phone: account.phone,
    first_name: account.first_name,
    last_name: account.last_name,
    username: account.username,
    expected_countries: account.expected_countries,
    first_seen: link.first_seen,
    last_seen: link.last_seen,
    lists: account.lists.map(({ name }) => name),
    metadata: account.metadata,
  };
}

/** The strongest first; links of equal score by account id. */
export function linkedAccountsOf(page: LinkPageFragment) {
  return page.edges
    .flatMap((edge) => (edge.node ? [linkedAccountOf(edge, edge.node)] : []))
    .sort((a, b) => b.score - a.score || (a.account_id < b.account_id ? -1 : 1));
}
