import type { KeysetPage } from '../../platform/keyset.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  countCalibrations,
  findCalibrations,
  findCalibrationsById,
  type StoredCalibration,
} from './calibration-read-store.ts';

export type { StoredCalibration } from './calibration-read-store.ts';

/** A page of the calibrations of the project, the newest first. */
export function listStoredCalibrations(viewer: Viewer, page: KeysetPage): Promise<StoredCalibration[]> {
  assertMay(viewer, 'calibration.read');
  return findCalibrations(viewer.project.database, page);
}

/** Number of calibrations of the project, counted up to a limit. */
export function countStoredCalibrations(viewer: Viewer, limit: number): Promise<number> {
  assertMay(viewer, 'calibration.read');
  return countCalibrations(viewer.project.database, limit);
}

/** Calibrations by their ids, in this order; null for unknown ones. */
export async function readCalibrations(
  viewer: Viewer,
  ids: readonly string[],
): Promise<(StoredCalibration | null)[]> {
  assertMay(viewer, 'calibration.read');
  const rows = await findCalibrationsById(viewer.project.database, ids);
  const byId = new Map(rows.map((row) => [row.calibration_id, row]));
  return ids.map((id) => byId.get(id) ?? null);
}
