import {
  counted,
  decisionOf,
  minuteOf,
  noneText,
  print,
  printJson,
  printTable,
  wordOf,
} from '@vouchgraph/terminal';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { notFound } from '../support/not-found.ts';
import { ACCOUNT, ACCOUNTS } from './documents.ts';
import { printLinkedAccounts, readLinkedAccounts } from './linked.ts';
import { decidedText, type Explained, printReasons, shownReasons } from './reasons.ts';

type Outcome = { outcome: string; at: string; note: string | null; actor: string; reportedAt: string };
type Account = {
  accountId: string;
  email: string | null;
  phone: string | null;
  firstName: string | null;
  lastName: string | null;
  username: string | null;
  group: string | null;
  country: string | null;
  decision: string;
  accountScore: number;
  riskSignalScore: number;
  botScore: number;
  multipleAccounts: number;
  accountsLinked: number;
  numSessions: number;
  createdAt: string;
  firstSeen: string | null;
  lastSeen: string | null;
  lastSessionId: string | null;
  lists: { name: string; effect: string }[];
  keptOffLists: { list: { name: string }; since: string; actor: string }[];
  outcomeLabel: string | null;
  reportedOutcomes: { edges: { node: Outcome }[] };
} & Explained;

const shownOutcome = ({ outcome, at, note, actor, reportedAt }: Outcome) => ({
  outcome: wordOf(outcome),
  at,
  note,
  actor,
  reported_at: reportedAt,
});

const shown = (account: Account) => ({
  account_id: account.accountId,
  decision: decisionOf(account.decision),
  account_score: account.accountScore,
  risk_signal_score: account.riskSignalScore,
  bot_score: account.botScore,
  multiple_accounts: account.multipleAccounts,
  accounts_linked: account.accountsLinked,
  num_sessions: account.numSessions,
  email: account.email,
  phone: account.phone,
  first_name: account.firstName,
  last_name: account.lastName,
  username: account.username,
  group: account.group,
  country: account.country,
  created_at: account.createdAt,
  first_seen: account.firstSeen,
  last_seen: account.lastSeen,
  last_session_id: account.lastSessionId,
  lists: account.lists.map(({ name, effect }) => ({ name, effect: wordOf(effect) })),
  kept_off_lists: account.keptOffLists.map(({ list, since, actor }) => ({ name: list.name, since, actor })),
  label: account.outcomeLabel && wordOf(account.outcomeLabel),
  outcomes: account.reportedOutcomes.edges.map(({ node }) => shownOutcome(node)),
});

/** Prints an account with its decision, its reasons, its lists and the accounts with the strongest links to it. */
export async function showAccount(
  api: Api,
  { links, json }: { links: number; json?: boolean },
  id: string,
): Promise<void> {
  const { account } = await api.run<{ account: Account | null }>(ACCOUNT, { id });
  if (!account) throw notFound('account.not_found', id);
  const all = shown(account);
  const reasons = shownReasons(account);
  const linked = await readLinkedAccounts(api, id, links);
  if (json) return printJson({ ...all, reasons, linked_accounts: linked });
  print(`${all.account_id}: ${all.decision}, score ${all.account_score}`, '');
  const name = [all.first_name, all.last_name].filter((part) => part !== null).join(' ');
  const lines: [string, string | null][] = [
    ['decided', decidedText(reasons)],
    ['by score', reasons.winner === 'score' ? null : reasons.by_score],
    ['requires', reasons.required_verification && requiredText(reasons.required_verification)],
    ['rules', reasons.rules.join(', ')],
    ['flags', reasons.flags.join(', ')],
    [
      'scores',
      `risk signals ${all.risk_signal_score}, bot ${all.bot_score}, multiple ${all.multiple_accounts}, ` +
        `email ${reasons.email.email_score}`,
    ],
    ['lists', all.lists.map((list) => list.name).join(', ') || 'none'],
    ['kept off', all.kept_off_lists.map((list) => list.name).join(', ')],
    ['label', labelText(all)],
    ['name', name],
    ['email', all.email],
    ['phone', all.phone],
    ['username', all.username],
    ['country', all.country],
    ['links', counted(all.accounts_linked, 'linked account')],
    ['sessions', `${counted(all.num_sessions, 'session')}, last seen ${all.last_seen ?? 'never'}`],
    ['session', all.last_session_id],
    ['created', all.created_at],
  ];
  for (const [key, value] of lines) if (value) print(`  ${key.padEnd(9)} ${value}`);
  printReasons(reasons);
  printLinkedAccounts(linked, all.accounts_linked);
}

const requiredText = ({ kind, rule_name }: { kind: string; rule_name: string }) =>
  `${kind}, by the rule ${JSON.stringify(rule_name)}`;

/** The label, and the latest outcome if it has another word, such as: fraud (chargeback). */
function labelText({ label, outcomes: [latest] }: ReturnType<typeof shown>): string | null {
  return latest && latest.outcome !== label ? `${label} (${latest.outcome})` : label;
}

export type AccountSearch = {
  search?: string;
  decision?: string;
  minScore?: number;
  maxScore?: number;
  list?: string;
  country?: string;
  seenAfter?: Date;
  order: string;
  number: number;
  json?: boolean;
};

type Listed = Pick<
  Account,
  'accountId' | 'decision' | 'accountScore' | 'country' | 'numSessions' | 'createdAt' | 'lastSeen'
> & { lists: { name: string }[] };

const ORDERS: Readonly<Record<string, string>> = {
  score: 'SCORE',
  last_seen: 'LAST_SEEN',
  created: 'CREATED_AT',
};

/** Prints accounts that meet conditions, those with the highest score or the latest time first. */
export async function listAccounts(api: Api, options: AccountSearch): Promise<void> {
  const { search, decision, minScore, maxScore, list, country, seenAfter, order, number, json } = options;
  const filter = {
    ...{ search, minScore, maxScore, list },
    decision: decision?.toUpperCase(),
    countryCode: country,
    lastSeenAfter: seenAfter?.toISOString(),
  };
  const orderBy = { field: ORDERS[order], direction: 'DESC' };
  const edges = await readEdges(number, async (page) => {
    const variables = { ...page, filter, orderBy };
    return (await api.run<{ accounts: Connection<{ node: Listed }> }>(ACCOUNTS, variables)).accounts;
  });
  const accounts = edges.map(({ node }) => ({
    account_id: node.accountId,
    decision: decisionOf(node.decision),
    account_score: node.accountScore,
    country: node.country,
    num_sessions: node.numSessions,
    created_at: node.createdAt,
    last_seen: node.lastSeen,
    lists: node.lists.map(({ name }) => name),
  }));
  if (json) return printJson(accounts);
  if (accounts.length === 0) return print(noneText('accounts', filter));
  printTable(
    ['ACCOUNT', 'DECISION', 'SCORE', 'COUNTRY', 'LAST SEEN', 'LISTS'],
    accounts.map((account) => [
      account.account_id,
      account.decision,
      account.account_score.toFixed(4),
      account.country ?? '',
      account.last_seen === null ? 'never' : minuteOf(account.last_seen),
      account.lists.join(', '),
    ]),
  );
}
