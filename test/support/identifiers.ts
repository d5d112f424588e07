import { IDENTIFIER_KINDS, type IdentifierKind } from '@vouchgraph/linking';
import type pg from 'pg';
/** Identifiers that no other account has, stored with the account as if from sessions, a minute apart. */
export async function addIdentifiers(
  sql: pg.Client,
  account: { projectId: string; accountId: string },
  history: { kind: IdentifierKind; count: number; from: Date },
): Promise<void> {
  await sql.query(
    `insert into identifiers (project_id, account_id, account_group, kind, value_hash, first_seen, last_seen)
     select $1, a.id, a.account_group, $3, uuid_send(gen_random_uuid()), seen, seen
     from accounts a, generate_series(1, $4::int) as n, lateral (select $5::timestamptz + n * interval '1 minute') as t (seen)
     where a.project_id = $1 and a.account_id = $2`,
    [account.projectId, account.accountId, IDENTIFIER_KINDS[history.kind], history.count, history.from],
  );
}

/** Number of identifiers of each kind that are stored with an account. */
export async function countIdentifiers(
  sql: pg.Client,
  { projectId, accountId }: { projectId: string; accountId: string },
): Promise<Partial<Record<IdentifierKind, number>>> {
  const { rows } = await sql.query<{ kind: number; count: number }>(
    `select i.kind::int as kind, count(*)::int as count from identifiers i
     join accounts a on a.project_id = i.project_id and a.id = i.account_id
     where i.project_id = $1 and a.account_id = $2 group by i.kind`,
    [projectId, accountId],
  );
  const nameOf = (number: number) =>
    Object.entries(IDENTIFIER_KINDS).find(([, one]) => one === number)![0] as IdentifierKind;
  return Object.fromEntries(rows.map(({ kind, count }) => [nameOf(kind), count]));
}
