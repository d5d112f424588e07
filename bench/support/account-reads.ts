import type { Population } from './population.ts';

/** An account with its lists, its latest session and its first ten linked accounts. */
export const R1 = `query R1($id: ID!) {
  account(accountId: $id) {
    accountId email username country numSessions lastSeen
    lists { name }
    lastSession { sessionId startTime source }
    linkedAccounts(first: 10) {
      edges { score matchTypes firstSeen node { accountId email username country lists { name } } }
    }
  }
}`;

export type LinkedNode = { accountId: string; email?: string; personal?: string };

export function checkR1(population: Population, n: number, body: string, opened: boolean): string | null {
  const { data, errors } = JSON.parse(body);
  if (errors) return 'GraphQL errors';
  const { account } = data;
  const person = population.personOf(n);
  if (account?.accountId !== person.accountId) return `not account ${person.accountId}`;
  if (opened ? account.email !== person.email : !account.personal) return 'wrong personal fields';
  if (!account.lastSession?.sessionId) return 'no last session';
  if (n % 10 < 7 && account.lists.length !== 1) return 'not on its list';
  return checkLinks(population, n, graphqlNodes(body), 10, opened);
}

export function graphqlNodes(body: string): LinkedNode[] | null {
  const { data, errors } = JSON.parse(body);
  return errors ? null : data.account.linkedAccounts.edges.map(({ node }: { node: LinkedNode }) => node);
}

export function restNodes(body: string): LinkedNode[] {
  return JSON.parse(body).accounts_linked.map((one: { account_id: string; email: string }) => ({
    accountId: one.account_id,
    email: one.email,
  }));
}

/** The expected number of linked accounts, each of the same ring and with its own email. */
export function checkLinks(
  population: Population,
  n: number,
  nodes: readonly LinkedNode[] | null,
  page: number,
  opened = true,
): string | null {
  if (!nodes) return 'GraphQL errors';
  const [first, members] = population.rings[population.ringOf(n)]!;
  const expected = Math.min(page, members - 1);
  if (nodes.length !== expected) return `${nodes.length} links instead of ${expected}`;
  for (const { accountId, email } of nodes) {
    const number = Number(accountId.slice('user-'.length));
    if (number === n || number < first || number >= first + members) return `${accountId} is not of its ring`;
    if (opened && email !== population.personOf(number).email) return `${accountId} has another's email`;
  }
  return null;
}

export function checkHub(population: Population, body: string): string | null {
  const nodes = graphqlNodes(body);
  if (nodes?.length !== 10) return 'not ten links of the hub';
  const isPartner = ({ accountId }: LinkedNode) =>
    Number(accountId.slice('user-'.length)) >= population.firstHubPartner;
  return nodes.every(isPartner) ? null : 'not partners of the hub';
}
