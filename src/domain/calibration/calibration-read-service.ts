import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  type CalibrationKey,
  type CalibrationQuery,
  type CalibrationSummary,
  countCalibrations,
  findCalibrations,
  findSummaries,
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

/** Summaries of calibrations, in the order of the versions. */
export async function readSummaries(
  viewer: Viewer,
  versions: readonly number[],
): Promise<CalibrationSummary[]> {
  assertMay(viewer, 'calibration.read');
  const rows = await findSummaries(viewer.project.database, versions);
  const byVersion = new Map(rows.map((row) => [row.version, row]));
  return versions.map((version) => byVersion.get(version)!);
}

/** Version of the newest calibration that is not retired; null without one. */
export function readVersionInUse(viewer: Viewer): Promise<number | null> {
  assertMay(viewer, 'calibration.read');
  return findVersionInUse(viewer.project.database);
}
