import { rows } from './connection.ts';

/* Batched lookups of servers with loaders: one statement for each level of a query. */

export const SCHEMA = `
  type Query { account(accountId: ID!): Account }
  type Account {
    accountId: ID! country: String! numSessions: Int! lastSeen: String
    lists: [List!]! lastSession: Session linkedAccounts(first: Int!): [LinkedAccount!]!
  }
  type List { name: String! }
  type Session { sessionId: ID! startTime: String! source: String! }
  type LinkedAccount { score: Float! kinds: Int! firstSeen: String! node: Account! }
`;

const ACCOUNT = `id, account_id as "accountId", country, num_sessions as "numSessions", last_seen as "lastSeen",
  last_session as "lastSessionId"`;

export type Row = Record<string, unknown> & { id: string };

export async function accountOf(accountId: string): Promise<unknown> {
  const [account] = await rows('account', `select ${ACCOUNT} from account where account_id = $1`, [
    accountId,
  ]);
  return account ?? null;
}

export async function accountsOf(ids: readonly string[]): Promise<unknown[]> {
  const found = await rows('accounts', `select ${ACCOUNT} from account where id = any($1::uuid[])`, [ids]);
  const byId = new Map(found.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

export async function sessionsOf(ids: readonly string[]): Promise<unknown[]> {
  const text = `select session_id as "sessionId", start_time as "startTime", source from session
    where session_id = any($1::uuid[])`;
  const byId = new Map((await rows('sessions', text, [ids])).map((row) => [row.sessionId, row]));
  return ids.map((id) => byId.get(id) ?? null);
}

export async function listsOf(ids: readonly string[]): Promise<unknown[][]> {
  const text = 'select account_id, name from membership where account_id = any($1::uuid[]) order by name';
  const byAccount = Map.groupBy(await rows('lists', text, [ids]), (row) => row.account_id);
  return ids.map((id) => byAccount.get(id) ?? []);
}

export async function linksOf(ids: readonly string[], first: number): Promise<unknown[][]> {
  const text = `select p.id as parent, l.* from unnest($1::uuid[]) as p (id) cross join lateral (
      select linked_account_id as "linkedAccountId", score, kinds, first_seen as "firstSeen" from link
      where account_id = p.id order by score desc, linked_account_id desc limit $2) l`;
  const byAccount = Map.groupBy(await rows('links', text, [ids, first]), (row) => row.parent);
  return ids.map((id) => byAccount.get(id) ?? []);
}
