import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';

/** An attempt as it is stored; the answer is encrypted. */
export type AttemptRow = {
  attempt_id: string;
  delivery_id: string;
  at: Date;
  status: number | null;
  duration_ms: number;
  error: string;
  answer: Buffer | null;
};

const COLUMNS = 'attempt_id, delivery_id, at, status, duration_ms, error, answer';

const OF_DELIVERIES: Statement = {
  name: 'webhook.find_attempts',
  text: `select a.* from unnest($2::uuid[]) as d (delivery_id) cross join lateral (
           select ${COLUMNS} from webhook_attempts
           where project_id = $1 and delivery_id = d.delivery_id order by attempt_id desc limit $3
         ) a`,
};

/** The newest attempts of each delivery, the newest first. */
export async function findAttempts(
  database: ProjectDatabase,
  deliveryIds: readonly string[],
  limit: number,
): Promise<Map<string, AttemptRow[]>> {
  const rows = await database.query<AttemptRow>(OF_DELIVERIES, [database.projectId, deliveryIds, limit]);
  return Map.groupBy(rows, ({ delivery_id }) => delivery_id);
}

/** A page of the attempts of the project whose ids are at or above one, the newest first; of a backward page the oldest first. */
export function attemptPage(
  database: ProjectDatabase,
  firstId: string,
  page: KeysetPage,
): Promise<AttemptRow[]> {
  const values: unknown[] = [database.projectId, firstId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'attempt_id', type: 'uuid' }], 'DESC', page, parameter);
  const conditions = ['project_id = $1', 'attempt_id >= $2', ...keyset.conditions];
  const statement = {
    name: `webhook.attempt_page:${keyset.shape}`,
    text: `select ${COLUMNS} from webhook_attempts where ${conditions.join(' and ')} ${keyset.order}`,
  };
  return database.query<AttemptRow>(statement, values);
}

const COUNT: Statement = {
  name: 'webhook.count_attempts',
  text: `select count(*)::int as count from (
           select from webhook_attempts where project_id = $1 and attempt_id >= $2 limit $3
         ) counted`,
};

/** Number of the attempts of the project whose ids are at or above one, up to a limit. */
export async function countAttempts(
  database: ProjectDatabase,
  firstId: string,
  limit: number,
): Promise<number> {
  const [row] = await database.query(COUNT, [database.projectId, firstId, limit]);
  return row.count;
}
