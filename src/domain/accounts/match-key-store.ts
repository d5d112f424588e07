import { CONTACT_KINDS, IDENTIFIER_KINDS, MATCH_KEY_VERSION, unpackBlockingKeys } from '@vouchgraph/linking';
import type { Database, ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import type { RecomputeStep } from './change-request.ts';

/*
 * Accounts with stale match keys, which are those of another version. The conditions are those of the partial indexes
 * `accounts_stale_match_keys_<version>` and `accounts_holding_stale_keys`.
 */

const STALE = `match_key_version <> ${MATCH_KEY_VERSION}`;
const HOLDS_STALE = 'holds_stale_keys';

const FIND_PROJECTS: Statement = {
  name: 'match_keys.find_projects_with_stale',
  text: `select p.project_id from projects p
         where exists (select 1 from accounts a where a.project_id = p.project_id and a.${STALE})
            or exists (select 1 from accounts a where a.project_id = p.project_id and a.${HOLDS_STALE})`,
};

/** Projects with accounts to recompute, across all projects. */
export async function findProjectsWithStaleKeys(
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

const FIND: Readonly<Record<RecomputeStep, Statement>> = {
  add: page('match_keys.find_stale', STALE),
  drop: page('match_keys.find_holding_stale', HOLDS_STALE),
};

/** Accounts after an id without the current keys (`add`), or with stale ones besides (`drop`). */
export function findAccountsToRecompute(
  database: ProjectDatabase,
  step: RecomputeStep,
  after: string,
  limit: number,
): Promise<{ id: string; account_id: string }[]> {
  return database.query(FIND[step], [database.projectId, after, limit]);
}

const READ_KEYS: Statement = {
  name: 'match_keys.read',
  text: `select a.id, a.account_id, a.personal, a.expected_countries, coalesce(i.keys, '{}') as keys
         from accounts a left join lateral (
           select array_agg(k.kind || ':' || encode(k.value_hash, 'hex')) as keys from (
             select i.kind, i.value_hash from identifiers i
             where i.project_id = $1 and i.account_id = a.id
               and i.kind in (${CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]).join(', ')})
             union all
             ${unpackBlockingKeys('a.blocking_keys')}
           ) k
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
