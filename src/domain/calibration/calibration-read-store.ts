import { type KeysetPage, pageAfter } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { Calibration, Prisma } from '../../storage/generated/prisma/client.ts';
import { prismaPage } from '../../storage/prisma-page.ts';

/** Columns of a calibration that are always read. */
export type CalibrationKey = Pick<Calibration, 'projectId' | 'version' | 'calibrationId'>;

/** Columns that a query selects of each calibration; at least the key. */
export type CalibrationQuery = {
  select: Prisma.CalibrationSelect & Readonly<Record<keyof CalibrationKey, true>>;
};

/** A page of the calibrations of the project, the newest first, retired ones included; in the order in which it is read. */
export function findCalibrations(
  { projectId, prisma }: ProjectDatabase,
  page: KeysetPage,
  query: CalibrationQuery,
): Promise<CalibrationKey[]> {
  const { where, ...order } = prismaPage('version', 'desc', page);
  return prisma.calibration.findMany({ ...query, ...order, where: { projectId, ...where } });
}

/** The newest calibrations of the project, retired ones included, without their maps. */
export function findNewestCalibrations({ projectId, prisma }: ProjectDatabase, limit: number) {
  const { where, ...order } = prismaPage('version', 'desc', pageAfter(null, limit));
  return prisma.calibration.findMany({
    select: { version: true, fittedAt: true, weightsVersion: true, retiredAt: true },
    ...order,
    where: { projectId, ...where },
  });
}

/** Version of the newest calibration that is not retired; null without one. */
export async function findVersionInUse({ projectId, prisma }: ProjectDatabase): Promise<number | null> {
  const newest = await prisma.calibration.findFirst({
    select: { version: true },
    where: { projectId, retiredAt: null },
    orderBy: { version: 'desc' },
  });
  return newest?.version ?? null;
}

/** Number of calibrations of the project, counted up to a limit. */
export function countCalibrations({ projectId, prisma }: ProjectDatabase, limit: number): Promise<number> {
  return prisma.calibration.count({ where: { projectId }, take: limit });
}

/** What is shown of the fit of a calibration: its labels, and the scores that it changes. */
export type CalibrationSummary = {
  readonly version: number;
  readonly labels: { readonly positive: number; readonly negative: number };
  readonly scores: readonly string[];
};

/** The maps of a calibration are most of it, and stay on the server. */
const SUMMARIES: Statement = {
  name: 'calibration.summaries',
  text: `select version, calibration -> 'labels' as labels, array(select jsonb_object_keys(calibration -> 'maps')) as scores
         from calibrations where project_id = $1 and version = any ($2::int[])`,
};

/** Summaries of calibrations by their versions, in any order. */
export function findSummaries(
  database: ProjectDatabase,
  versions: readonly number[],
): Promise<CalibrationSummary[]> {
  return database.query<CalibrationSummary>(SUMMARIES, [database.projectId, versions]);
}
