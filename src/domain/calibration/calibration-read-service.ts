import type { KeysetPage } from '../../platform/keyset.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  type CalibrationKey,
  type CalibrationQuery,
  countCalibrations,
  findCalibrations,
  findVersionInUse,
} from './calibration-read-store.ts';

/** A page of the calibrations of the project, the newest first. */
export function listStoredCalibrations(
  viewer: Viewer,
  page: KeysetPage,
  query: CalibrationQuery,
): Promise<CalibrationKey[]> {
  assertMay(viewer, 'calibration.read');
  return findCalibrations(viewer.project.database, page, query);
}

/** Number of calibrations of the project, counted up to a limit. */
export function countStoredCalibrations(viewer: Viewer, limit: number): Promise<number> {
  assertMay(viewer, 'calibration.read');
  return countCalibrations(viewer.project.database, limit);
}

/** Version of the newest calibration that is not retired; null without one. */
export function readVersionInUse(viewer: Viewer): Promise<number | null> {
  assertMay(viewer, 'calibration.read');
  return findVersionInUse(viewer.project.database);
}
