import type { Clock } from '@vouchgraph/platform/clock';
import type { MasterKey } from '@vouchgraph/platform/crypto';
import { AppError } from '@vouchgraph/platform/errors';
import { newId } from '@vouchgraph/platform/ids';
import {
  assessEvidence,
  type CalibrationFit,
  type CalibrationSample,
  fitCalibration,
  MAX_CALIBRATION_SAMPLES,
  type SessionResult,
  WEIGHTS_VERSION,
} from '@vouchgraph/signals';
import type { Database } from '../../storage/database.ts';
import type { ProjectRow } from '../projects/project-store.ts';
import { findNewestCalibrations } from './calibration-read-store.ts';
import { insertCalibration, labeledAccounts, retireNewestCalibration } from './calibration-store.ts';

export type CalibrationService = ReturnType<typeof createCalibrationService>;

/** Fits the scores of a project to its own labels, for the command line. */
export function createCalibrationService(deps: {
  database: Database;
  masterKey: MasterKey;
  clock: Clock;
  actor: string;
  getProject: (projectId: string) => Promise<ProjectRow>;
}) {
  const { database, masterKey, clock, actor, getProject } = deps;
  const { system } = database;

  /** Scores of the labeled accounts' latest sessions by the current weights, without calibration. */
  async function samplesOf(project: ProjectRow): Promise<{ samples: CalibrationSample[]; skipped: number }> {
    const cipher = masterKey.cipherFor(project.project_id, project.encrypted_key);
    const samples: CalibrationSample[] = [];
    let skipped = 0;
    for await (const { isFraud, session } of labeledAccounts(system, project.project_id, clock.now())) {
      if (session) {
        const { sessionId, result } = session;
        const { evidence, history } = cipher.decryptJson<SessionResult>('sessions', sessionId, result);
        const { scores, bot, riskSignals } = assessEvidence([...evidence, ...history]);
        samples.push({ scores, bot, riskSignals, label: isFraud ? 1 : 0 });
      } else skipped++;
      if (samples.length >= MAX_CALIBRATION_SAMPLES) break;
    }
    return { samples, skipped };
  }

  /** Fits, and stores the result unless `dryRun`. Throws `calibration.too_few_labels`. */
  async function fit(projectId: string, dryRun: boolean): Promise<CalibrationFit & { skipped: number }> {
    const project = await getProject(projectId);
    const { samples, skipped } = await samplesOf(project);
    const [newest] = await findNewestCalibrations(database.forProject(project.project_id), 1);
    const now = clock.now();
    const fitted = fitCalibration(samples, {
      version: (newest?.version ?? 0) + 1,
      fittedAt: now,
      weightsVersion: WEIGHTS_VERSION,
    });
    if ('problem' in fitted)
      throw new AppError('calibration.too_few_labels', 'invalid_input', fitted.problem);
    if (!dryRun) {
      const { calibration, report } = fitted;
      await insertCalibration(
        system,
        project.project_id,
        {
          version: calibration.version,
          fittedAt: now,
          weightsVersion: calibration.weightsVersion,
          json: JSON.stringify(calibration),
          summary: JSON.stringify({ labels: calibration.labels, report }),
        },
        { auditId: newId(now.getTime()), actor },
      );
    }
    return { ...fitted, skipped };
  }

  /** Reverts to the previous calibration; returns the retired version. Throws `calibration.none`. */
  async function undo(projectId: string): Promise<number> {
    const project = await getProject(projectId);
    const now = clock.now();
    const audit = { auditId: newId(now.getTime()), actor };
    const version = await retireNewestCalibration(system, project.project_id, now, audit);
    if (version === null) throw new AppError('calibration.none', 'not_found', 'Calibration not found');
    return version;
  }

  async function list(projectId: string) {
    const project = await getProject(projectId);
    return findNewestCalibrations(database.forProject(project.project_id), 100);
  }

  return { fit, undo, list };
}
