import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { KeyRole } from './api-key.ts';

/** A key as operators see it: neither the key nor its hash. */
export type ShownKey = {
  key_id: string;
  prefix: string;
  label: string;
  role: KeyRole;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
};

const COLUMNS = 'key_id, prefix, label, role, created_at, expires_at, revoked_at, last_used_at';

/** A page of the keys of the project, the newest first: their ids are ordered by time. */
export function findKeys(database: ProjectDatabase, page: KeysetPage): Promise<ShownKey[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'key_id', type: 'uuid' }], 'DESC', page, parameter);
  const where = ['project_id = $1', ...keyset.conditions].join(' and ');
  return database.query<ShownKey>(
    {
      name: `key.find_page:${keyset.shape}`,
      text: `select ${COLUMNS} from api_keys where ${where} ${keyset.order}`,
    },
    values,
  );
}

const COUNT: Statement = {
  name: 'key.count',
  text: 'select count(*)::int as total from (select from api_keys where project_id = $1 limit $2) found',
};

/** Number of keys of the project, counted up to a limit. */
export async function countKeys(database: ProjectDatabase, limit: number): Promise<number> {
  const rows = await database.query<{ total: number }>(COUNT, [database.projectId, limit]);
  return rows[0]!.total;
}

const FIND_MANY: Statement = {
  name: 'key.find_many',
  text: `select ${COLUMNS} from api_keys where project_id = $1 and key_id = any ($2::uuid[])`,
};

/** Keys by their ids, in any order. */
export function findKeysById(database: ProjectDatabase, keyIds: readonly string[]): Promise<ShownKey[]> {
  return database.query<ShownKey>(FIND_MANY, [database.projectId, keyIds]);
}
