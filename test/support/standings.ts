import { expect } from 'vitest';
import type { TestDatabase } from './database.ts';
import type { Body, TestProject } from './gateway.ts';
import { connectAs } from './sql.ts';

const ALL = `query ($after: String) { accounts(first: 100, after: $after) {
  edges { node { accountId accountScore decision country numSessions lastSeen createdAt group } }
  pageInfo { hasNextPage endCursor } } }`;

/** All accounts of a project as computed by reads, by the client's ids. */
export async function readAccounts(project: TestProject): Promise<Map<string, Body>> {
  const found = new Map<string, Body>();
  for (let after: string | null = null; ; ) {
    const { edges, pageInfo }: Body = (await project.graphql(ALL, { after })).accounts;
    for (const { node } of edges) found.set(node.accountId, node);
    if (!pageInfo.hasNextPage) return found;
    after = pageInfo.endCursor;
  }
}

/** Stored values for the lists of accounts, in the form of `readAccounts`. */
export async function storedStandings(
  database: TestDatabase,
  { projectId }: TestProject,
): Promise<Map<string, Body>> {
  const client = await connectAs(database, 'vouchgraph_system');
  try {
    const { rows } = await client.query(
      `select a.account_id as "accountId", s.account_score as "accountScore", upper(s.decision) as decision,
         nullif(s.country, '') as country, s.num_sessions as "numSessions", s.last_seen as "lastSeen",
         s.created_at as "createdAt", nullif(s.account_group, '') as "group"
       from account_standing s left join accounts a on a.project_id = s.project_id and a.id = s.account_id
       where s.project_id = $1`,
      [projectId],
    );
    return new Map(
      rows.map(({ lastSeen, createdAt, ...row }) => [
        row.accountId,
        { ...row, lastSeen: lastSeen?.toISOString() ?? null, createdAt: createdAt.toISOString() },
      ]),
    );
  } finally {
    await client.end();
  }
}

/** Expects that every account has the standing that a read computes. Returns the accounts. */
export async function expectPresentStandings(
  database: TestDatabase,
  project: TestProject,
): Promise<Map<string, Body>> {
  const read = await readAccounts(project);
  const byId = (accounts: Map<string, Body>) => Object.fromEntries([...accounts].sort());
  expect(byId(await storedStandings(database, project))).toEqual(byId(read));
  return read;
}
