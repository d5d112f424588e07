import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { Calibration } from '../signals/assessment/calibration.ts';

/** A calibration as operators see it, with whether sessions are scored with it. */
export type StoredCalibration = {
  calibration_id: string;
  version: number;
  fitted_at: Date;
  weights_version: string;
  retired_at: Date | null;
  labels: Calibration['labels'];
  /** Names of the scores that have a map. */
  scores: string[];
  is_newest: boolean;
};

const COLUMNS = `c.calibration_id, c.version, c.fitted_at, c.weights_version, c.retired_at, c.calibration -> 'labels' as labels,
    array(select jsonb_object_keys(c.calibration -> 'maps') order by 1) as scores,
    c.retired_at is null and not exists (
      select 1 from calibrations n where n.project_id = $1 and n.version > c.version and n.retired_at is null
    ) as is_newest`;

/** A page of the calibrations of the project, the newest first. */
export function findCalibrations(database: ProjectDatabase, page: KeysetPage): Promise<StoredCalibration[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'c.version', type: 'int' }], 'DESC', page, parameter);
  const where = ['c.project_id = $1', ...keyset.conditions].join(' and ');
  return database.query<StoredCalibration>(
    {
      name: `calibration.find_page:${keyset.shape}`,
      text: `select ${COLUMNS} from calibrations c where ${where} ${keyset.order}`,
    },
    values,
  );
}

const COUNT: Statement = {
  name: 'calibration.count',
  text: 'select count(*)::int as total from (select from calibrations where project_id = $1 limit $2) found',
};

/** Number of calibrations of the project, counted up to a limit. */
export async function countCalibrations(database: ProjectDatabase, limit: number): Promise<number> {
  const rows = await database.query<{ total: number }>(COUNT, [database.projectId, limit]);
  return rows[0]!.total;
}

const FIND_MANY: Statement = {
  name: 'calibration.find_many',
  text: `select ${COLUMNS} from calibrations c where c.project_id = $1 and c.calibration_id = any ($2::uuid[])`,
};

/** Calibrations by their ids, in any order. */
export function findCalibrationsById(
  database: ProjectDatabase,
  ids: readonly string[],
): Promise<StoredCalibration[]> {
  return database.query<StoredCalibration>(FIND_MANY, [database.projectId, ids]);
}
