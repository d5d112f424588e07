import { systemClock } from '@vouchgraph/platform/clock';
import type { CalibrationReport } from '@vouchgraph/signals';
import { print, printJson, snakeKeys } from '@vouchgraph/terminal';
import type { Command } from 'commander';
import type { CalibrationService } from '../domain/calibration/calibration-service.ts';
import { JSON_OPTION } from './support/arguments.ts';
import type { CommandStorage } from './support/open-project.ts';
import { inLocalProject, type LocalProject, localProjectCommand } from './support/project-command.ts';

/** Registers `calibrate`. */
export function addCalibrateCommand(program: Command): void {
  localProjectCommand(
    program,
    'calibrate',
    'fit the scores of a project to its own labels: at least 200 accounts with reported outcomes or on block and allow lists',
  )
    .option('--dry-run', 'print the changes without storing them')
    .option('--undo', 'restore the previous calibration')
    .option('--list', 'list the calibrations')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph calibrate PROJECT_ID --dry-run
  vouchgraph calibrate PROJECT_ID --undo`,
    )
    .action(inLocalProject(1, calibrate));
}

async function calibrate(
  { viewer, storage }: LocalProject,
  options: { dryRun?: boolean; undo?: boolean; list?: boolean; json?: boolean },
): Promise<void> {
  const { projectId } = viewer.project;
  const calibrations = await openCalibrations(storage);
  if (options.undo) {
    const version = await calibrations.undo(projectId);
    if (options.json) return printJson({ retired: version });
    return print(`Retired version ${version}. The previous version, if any, is in use within a second.`);
  }
  if (options.list) {
    const rows = await calibrations.list(projectId);
    if (options.json) return printJson(snakeKeys(rows));
    for (const row of rows)
      print(
        `version ${row.version}  fitted ${row.fittedAt.toISOString().slice(0, 16)}  weights ${row.weightsVersion}` +
          (row.retiredAt ? `  retired ${row.retiredAt.toISOString().slice(0, 16)}` : ''),
      );
    if (rows.length === 0) print('No calibrations yet: the scores are expert priors.');
    return;
  }
  const fitted = await calibrations.fit(projectId, options.dryRun === true);
  if (options.json) return printJson(snakeKeys(fitted));
  const { labels, version } = fitted.calibration;
  print(
    `${labels.positive} accounts with the label fraud, ${labels.negative} with the label honest; ${fitted.skipped} skipped without a session.`,
  );
  for (const line of reportLines(fitted.report)) print(line);
  print(options.dryRun ? 'Nothing was stored.' : `Stored as version ${version}; in use within a second.`);
}

function reportLines(report: readonly CalibrationReport[]): string[] {
  return report.map(({ score, samples, brierBefore, brierAfter, kept }) => {
    const errors = `error ${brierBefore.toFixed(4)} before, ${brierAfter.toFixed(4)} after`;
    const outcome = kept
      ? 'calibrated'
      : samples < 50
        ? 'left as it is: too few'
        : 'left as it is: no better';
    return `  ${score.padEnd(22)} ${String(samples).padStart(6)} scored  ${errors}  ${outcome}`;
  });
}

/** The calibrations of all projects. */
async function openCalibrations({
  database,
  masterKey,
  projects,
}: CommandStorage): Promise<CalibrationService> {
  const { createCalibrationService } = await import('../domain/calibration/calibration-service.ts');
  const { getProject } = projects;
  return createCalibrationService({
    database,
    masterKey,
    clock: systemClock,
    actor: 'command line',
    getProject,
  });
}
