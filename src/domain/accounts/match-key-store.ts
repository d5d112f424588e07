import type { Database, ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { CONTACT_KINDS, IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { MATCH_KEY_VERSION } from '../linking/account-identifiers.ts';

/* Accounts with match keys of earlier versions. The conditions are those of the partial indexes. */

const STALE = `match_key_version < ${MATCH_KEY_VERSION}`;
const HOLDS_EARLIER = 'holds_earlier_keys';

const FIND_PROJECTS: Statement = {
  name: 'link.find_projects_with_earlier_keys',
  text: `select p.project_id from projects p
         where exists (select 1 from accounts a where a.project_id = p.project_id and a.${STALE})
            or exists (select 1 from accounts a where a.project_id = p.project_id and a.${HOLDS_EARLIER})`,
};

/** Projects with accounts to rewrite, across all tenants. */
export async function findProjectsWithEarlierKeys(
  system: Pick<Database['system'], 'query'>,
): Promise<string[]> {
  const rows = await system.query<{ project_id: string }>(FIND_PROJECTS, []);
  return rows.map(({ project_id }) => project_id);
}

const page = (name: string, condition: string): Statement => ({
  name,
  text: `select id, account_id from accounts
         where project_id = $1 and ${condition} and id > $2::uuid order by id limit $3`,
});

const FIND: Readonly<Record<'add' | 'settle', Statement>> = {
  add: page('match_keys.find_stale', STALE),
  settle: page('match_keys.find_earlier', HOLDS_EARLIER),
};

/** Accounts after an id without the current keys (`add`), or with earlier ones (`settle`). */
export function findAccountsToRekey(
  database: ProjectDatabase,
  step: 'add' | 'settle',
  after: string,
  limit: number,
): Promise<{ id: string; account_id: string }[]> {
  return database.query(FIND[step], [database.projectId, after, limit]);
}

/** A session-level advisory lock: it is released with the connection. */
export const BECOME_REKEYER = `select pg_try_advisory_lock(hashtext('vouchgraph_match_keys')) as held`;

const READ_KEYS: Statement = {
  name: 'match_keys.read',
  text: `select a.id, a.account_id, a.personal, a.expected_countries, coalesce(i.keys, '{}') as keys
         from accounts a left join lateral (
           select array_agg(i.kind || ':' || encode(i.value_hash, 'hex')) as keys from identifiers i
           where i.project_id = $1 and i.account_id = a.id
             and i.kind in (${CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]).join(', ')})
         ) i on true
         where a.project_id = $1 and a.id = any($2::uuid[])`,
};

/** Encrypted fields of an account, with its stored match keys as `kind:hash`. */
export type KeyedAccount = {
  id: string;
  account_id: string;
  personal: Uint8Array;
  expected_countries: string[];
  keys: string[];
};

export function readMatchKeys(database: ProjectDatabase, ids: readonly string[]): Promise<KeyedAccount[]> {
  return database.query<Row>(READ_KEYS, [database.projectId, ids]);
}
