import type { Database, ProjectDatabase, Statement } from '../../storage/database.ts';

/*
 * Columns that earlier versions filled with plain text, and the encrypted columns that replace them. Partial indexes find
 * the remaining rows. A row is only updated if its plain text has not changed and no other transaction locks it, so that
 * requests and batches never wait for each other in a cycle.
 */

export type PlainRow = {
  /** Names the row among those of its table: `key` of the statement that writes it. */
  readonly key: readonly string[];
  /** Context of the encrypted text. */
  readonly ownerId: string | null;
  readonly text: string;
};

export type PlainColumn = {
  readonly findProjects: Statement;
  readonly find: Statement;
  readonly write: Statement;
};

const findProjects = (name: string, table: string, column: string): Statement => ({
  name: `${name}.find_projects_with_plain`,
  text: `select distinct project_id from ${table} where ${column} <> '' limit 100`,
});

export const PLAIN_REASONS: PlainColumn = {
  findProjects: findProjects('list', 'list_members', 'reason'),
  find: {
    name: 'list.find_plain_reasons',
    text: `select array[m.list_id::text, m.account_id::text] as key, a.account_id as "ownerId", m.reason as text
           from list_members m left join accounts a on a.project_id = $1 and a.id = m.account_id
           where m.project_id = $1 and m.reason <> '' limit $2`,
  },
  write: {
    name: 'list.encrypt_reasons',
    text: `update list_members m set reason = '', encrypted_reason = e.encrypted
           from (
             select l.list_id, l.account_id, e.encrypted
             from unnest($2::text[], $3::text[], $4::bytea[], $5::text[]) as e (list_id, account_id, encrypted, reason)
             join list_members l on l.project_id = $1 and l.list_id = e.list_id::uuid
               and l.account_id = e.account_id::uuid and l.reason = e.reason
             for update of l skip locked
           ) e
           where m.project_id = $1 and m.list_id = e.list_id and m.account_id = e.account_id returning 1`,
  },
};

export const PLAIN_REDIRECTS: PlainColumn = {
  findProjects: findProjects('verification', 'verification_sessions', 'redirect_url'),
  find: {
    name: 'verification.find_plain_redirects',
    text: `select array[v.session_id::text] as key, v.session_id::text as "ownerId", v.redirect_url as text
           from verification_sessions v where v.project_id = $1 and v.redirect_url <> '' limit $2`,
  },
  write: {
    name: 'verification.encrypt_redirects',
    text: `update verification_sessions v set redirect_url = '', encrypted_redirect_url = e.encrypted
           from (
             select s.session_id, e.encrypted
             from unnest($2::text[], $3::bytea[], $4::text[]) as e (session_id, encrypted, redirect_url)
             join verification_sessions s on s.project_id = $1 and s.session_id = e.session_id::uuid
               and s.redirect_url = e.redirect_url
             for update of s skip locked
           ) e
           where v.project_id = $1 and v.session_id = e.session_id returning 1`,
  },
};

/** Some of the projects with rows that are left; sees them all. */
export async function findProjectsWithPlain(
  system: Database['system'],
  { findProjects: statement }: PlainColumn,
): Promise<string[]> {
  const rows = await system.query<{ project_id: string }>(statement, []);
  return rows.map(({ project_id }) => project_id);
}

export function findPlainRows(
  database: ProjectDatabase,
  { find }: PlainColumn,
  limit: number,
): Promise<PlainRow[]> {
  return database.query<PlainRow>(find, [database.projectId, limit]);
}

/** Replaces the plain texts by encrypted ones, given in the order of the rows; how many were written. */
export async function writeEncrypted(
  database: ProjectDatabase,
  { write }: PlainColumn,
  rows: readonly PlainRow[],
  encrypted: readonly (Buffer | null)[],
): Promise<number> {
  const keys = rows[0]!.key.map((_, place) => rows.map(({ key }) => key[place]));
  const values = [database.projectId, ...keys, encrypted, rows.map(({ text }) => text)];
  return (await database.query(write, values)).length;
}
