import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { COUNTED_PER_HOUR, type OperatorData } from './operator-data.ts';

/** A request of an operator, and the expected response. */
export type OperatorQuery = {
  readonly name: string;
  readonly query: string;
  readonly variables: Readonly<Record<string, unknown>>;
  /** The error in `data` of a response, or null. */
  readonly check: (data: Row) => string | null;
};

/** A row of a response with the fields of its query. */
// biome-ignore lint/suspicious/noExplicitAny: the shape of an answer follows from the text of its query.
type Row = Record<string, any>;
type Page = { edges: { node: Row }[]; totalCount?: { value: number; isExact: boolean } };

/** The baseline of the other queries. */
export const POINT_READ = 'account(accountId)';

const DAY_MS = 86_400_000;
const FIRST = 20;
const daysAgo = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

const FIELDS = {
  accounts: 'accountId accountScore decision lastSeen country numSessions',
  sessions: 'sessionId startTime source trueCountryCode network { ipAddress }',
  decisions: 'decisionId accountId at decision accountScore',
  ruleMatches: 'matchId accountId at shadow rule { name }',
  webhookDeliveries: 'deliveryId eventType deliveryState createdAt endpointId',
  verifications: 'sessionId kind state createdAt decision riskScore accountId',
} as const;
const TYPES = {
  accounts: 'AccountFilter',
  sessions: 'SessionFilter',
  decisions: 'DecisionFilter',
  ruleMatches: 'RuleMatchFilter',
  webhookDeliveries: 'WebhookDeliveryFilter',
  verifications: 'VerificationFilter',
} as const;
type Field = keyof typeof FIELDS;

type Expected = {
  /** Rows of the page; a full page when absent, any positive number when null. */
  count?: number | null;
  meets?: (row: Row) => boolean;
  /** Values that must not increase from row to row. */
  falls?: (row: Row) => number | string;
  /** Additional arguments of the query: order, page. */
  arguments?: string;
  total?: boolean;
};

/** A page of a list of the project. */
function page(what: string, field: Field, filter: Row, expected: Expected = {}): OperatorQuery {
  const { arguments: more = `first: ${FIRST}`, total = false } = expected;
  const query = `query Page($filter: ${TYPES[field]}) {
    page: ${field}(filter: $filter, ${more}) {
      edges { cursor node { id ${FIELDS[field]} } } pageInfo { hasNextPage endCursor }
      ${total ? 'totalCount { value isExact }' : ''}
    }
  }`;
  return {
    name: `${field}: ${what}`,
    query,
    variables: { filter },
    check: ({ page: found }) => checkPage(found, expected),
  };
}

function checkPage(
  { edges, totalCount }: Page,
  { count = FIRST, meets, falls, total }: Expected,
): string | null {
  const rows = edges.map(({ node }) => node);
  if (rows.length === 0) return 'no rows';
  if (count !== null && rows.length !== count) return `${rows.length} rows instead of ${count}`;
  if (meets && !rows.every(meets)) return 'a row that does not meet the filter';
  if (falls && rows.some((row, place) => place > 0 && falls(row) > falls(rows[place - 1]!)))
    return 'rows out of order';
  if (total && !(totalCount!.value >= rows.length)) return 'a total below the rows of the page';
  return null;
}

export function operatorQueries(data: OperatorData): OperatorQuery[] {
  return [
    ...accountQueries(data),
    ...sessionQueries(data),
    ...decisionQueries(data),
    ...deliveryQueries(data),
    ...otherQueries(data),
  ];
}

const BY_SCORE = 'orderBy: { field: SCORE, direction: DESC }';
const byScore = { arguments: `first: ${FIRST}, ${BY_SCORE}`, falls: (row: Row) => row.accountScore };

function accountQueries({ population, blockList }: OperatorData): OperatorQuery[] {
  const person = population.personOf(population.firstHubPartner - 1);
  const isPerson = (row: Row) => row.accountId === person.accountId;
  const search = (what: string, text: string, expected: Expected) =>
    page(`search by ${what}`, 'accounts', { search: text }, expected);
  return [
    {
      name: POINT_READ,
      query:
        'query Account($id: ID!) { account(accountId: $id) { id accountId accountScore decision lastSeen } }',
      variables: { id: person.accountId },
      check: ({ account }) => (isPerson(account) ? null : 'not the account'),
    },
    page('by score', 'accounts', {}, byScore),
    page(
      'by score, Fake',
      'accounts',
      { decision: 'FAKE' },
      { ...byScore, count: null, meets: (row) => row.decision === 'FAKE' },
    ),
    page(
      'by score, within scores',
      'accounts',
      { minScore: 0.1, maxScore: 0.95 },
      { ...byScore, meets: (row) => row.accountScore >= 0.1 && row.accountScore <= 0.95 },
    ),
    page('by score, with the total', 'accounts', {}, { ...byScore, total: true }),
    page('by score, last page', 'accounts', {}, { arguments: `last: ${FIRST}, ${BY_SCORE}` }),
    page(
      'by last seen, of a country',
      'accounts',
      { countryCode: 'FR' },
      {
        arguments: `first: ${FIRST}, orderBy: { field: LAST_SEEN, direction: DESC }`,
        meets: (row) => row.country === 'FR',
        falls: (row) => row.lastSeen,
      },
    ),
    page(
      'by number of sessions, seen lately',
      'accounts',
      { lastSeenAfter: daysAgo(1) },
      { arguments: `first: ${FIRST}, orderBy: { field: NUM_SESSIONS, direction: DESC }` },
    ),
    page(
      'by score, on a list',
      'accounts',
      { list: blockList },
      { ...byScore, count: null, meets: (row) => row.decision === 'FAKE' },
    ),
    search('email', person.email, { count: 1, meets: isPerson }),
    search('account id', person.accountId, { count: 1, meets: isPerson }),
    search('phone', person.phone, { count: 1, meets: isPerson }),
    search('name', `${person.firstName} ${person.lastName}`, { count: 1, meets: isPerson }),
    page('by username', 'accounts', { username: person.username }, { count: null }),
  ];
}

function sessionQueries({ population }: OperatorData): OperatorQuery[] {
  const { ip } = population.personOf(population.firstHubPartner - 1);
  const ofAddress = { count: 2, meets: (row: Row) => row.network.ipAddress === ip };
  const newest = { falls: (row: Row) => row.startTime };
  const country = (code: string) => ({ ...newest, meets: (row: Row) => row.trueCountryCode === code });
  return [
    page('newest', 'sessions', {}, newest),
    page('of an address', 'sessions', { ipAddress: ip }, ofAddress),
    page('of a network', 'sessions', { network: `${ip}/24` }, newest),
    page('of a browser', 'sessions', { browserId: 'browser-7' }, { count: 2 }),
    page('with a common signal', 'sessions', { signal: 'VPN' }, newest),
    page('with a rare signal', 'sessions', { signal: 'TOR' }, { ...newest, count: null }),
    page('Suspicious', 'sessions', { decision: 'SUSPICIOUS' }, newest),
    page('of a common country', 'sessions', { countryCode: 'US' }, country('US')),
    page('of a rare country', 'sessions', { countryCode: 'IS' }, country('IS')),
    page('of a connection type', 'sessions', { connectionType: 'HOSTING' }, newest),
    page('of a source', 'sessions', { source: 'IOS' }, { ...newest, meets: (row) => row.source === 'IOS' }),
    page('with a signal, of a country', 'sessions', { signal: 'PROXY', countryCode: 'US' }, country('US')),
    page(
      'with a rare signal, of a country',
      'sessions',
      { signal: 'TOR', countryCode: 'DE' },
      { count: null },
    ),
    page('Fake, with a signal', 'sessions', { decision: 'FAKE', signal: 'PROXY' }, { count: null }),
    page('of a day', 'sessions', { startedAfter: daysAgo(2), startedBefore: daysAgo(0) }, newest),
  ];
}

function decisionQueries({ ids, ruleId, population }: OperatorData): OperatorQuery[] {
  const { accountId } = population.personOf(ids.length - 1);
  const newest = { falls: (row: Row) => row.at };
  const isFake = (row: Row) => row.decision === 'FAKE' && row.accountScore >= 0.8;
  return [
    page('newest', 'decisions', {}, newest),
    page(
      'Fake from a score on',
      'decisions',
      { decision: 'FAKE', minScore: 0.8 },
      { ...newest, meets: isFake },
    ),
    page('of some weeks', 'decisions', { since: daysAgo(60), until: daysAgo(30) }, newest),
    page('of an account', 'decisions', { accountId }, { count: 2 }),
    page('newest', 'ruleMatches', {}, newest),
    page('of a rule', 'ruleMatches', { ruleId }, { ...newest, meets: (row) => !row.shadow }),
    page('in shadow', 'ruleMatches', { shadow: true }, { ...newest, meets: (row) => row.shadow }),
    page('of an account', 'ruleMatches', { accountId: population.personOf(0).accountId }, { count: null }),
    ruleWithMatches(ruleId, 'latest matches', 'shadow'),
    ruleWithMatches(
      ruleId,
      'latest matches, their versions and accounts',
      'accountId ruleVersion { version }',
    ),
  ];
}

/** A rule as its page shows it. */
function ruleWithMatches(ruleId: string, what: string, fields: string): OperatorQuery {
  return {
    name: `rule: with its ${what}`,
    query: `query Rule($id: ID!) { rule(id: $id) { name matches(first: ${FIRST}) {
      edges { cursor node { id matchId at ${fields} } } } } }`,
    variables: { id: globalIdOf('Rule', ruleId) },
    check: ({ rule }) => checkPage(rule.matches, { falls: (row) => row.matchId }),
  };
}

function deliveryQueries({ endpointId }: OperatorData): OperatorQuery[] {
  const isDead = (row: Row) => row.deliveryState === 'DEAD';
  const idCheck = (row: Row) => row.kind === 'ID_CHECK';
  return [
    page('dead', 'webhookDeliveries', { state: 'DEAD' }, { meets: isDead }),
    page('of an event type', 'webhookDeliveries', { eventType: 'ACCOUNT_AUTHENTICATED' }),
    page('dead, of an endpoint', 'webhookDeliveries', { endpointId, state: 'DEAD' }, { meets: isDead }),
    page('newest', 'verifications', {}, { falls: (row) => row.createdAt }),
    page('of a kind', 'verifications', { kind: 'ID_CHECK' }, { meets: idCheck }),
    page(
      'Fake, from a score on',
      'verifications',
      { decision: 'FAKE', minRiskScore: 0.75 },
      { meets: (row) => row.decision === 'FAKE' && row.riskScore >= 0.75 },
    ),
  ];
}

function otherQueries({ backtestId, population }: OperatorData): OperatorQuery[] {
  const { accountId } = population.personOf(population.firstHubPartner - 1);
  const counts = 'counts { sessionsCompleted decisions { real suspicious fake } rules { live shadow } }';
  const stats = (by: string, days: number, hours: number): OperatorQuery => ({
    name: `stats by ${by.toLowerCase()}, ${days} days`,
    query: `query Stats($since: DateTime!) {
      stats(by: ${by}, since: $since) { buckets { start ${counts} } total { sessionsCompleted } }
    }`,
    variables: { since: daysAgo(days) },
    check: ({ stats: found }) =>
      found.total.sessionsCompleted >= COUNTED_PER_HOUR * hours ? null : 'fewer sessions than were counted',
  });
  return [
    stats('HOUR', 1, 24),
    stats('DAY', 90, 90 * 24),
    {
      name: 'backtest: matches',
      query: `query Matches($id: ID!) { backtest(id: $id) {
        matches(first: ${FIRST}) { edges { node { decisionId accountId decision at } } } } }`,
      variables: { id: globalIdOf('Backtest', backtestId) },
      check: ({ backtest }) => checkPage(backtest.matches, {}),
    },
    {
      name: 'exportAccount',
      query: `mutation Export($input: ExportAccountInput!) {
        exportAccount(input: $input) { accountId records { section data } endCursor } }`,
      variables: { input: { accountId, first: 100 } },
      check: ({ exportAccount }) => (exportAccount.records.length > 5 ? null : 'hardly anything held'),
    },
  ];
}
