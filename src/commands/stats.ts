import type { Command } from 'commander';
import { systemClock } from '../platform/clock.ts';
import { abortOnSignal } from './support/abort-on-signal.ts';
import { JSON_OPTION } from './support/arguments.ts';
import { counted } from './support/counted.ts';
import { print, printJson } from './support/print.ts';
import { createProgressLine } from './support/progress-line.ts';
import { inLocalProject, type LocalProject, localProjectCommand } from './support/project-command.ts';

/** Registers `stats`. */
export function addStatsCommand(program: Command): void {
  localProjectCommand(
    program.command('stats').description('statistics of projects'),
    'rebuild',
    'recompute the statistics of a project from its stored data; an interrupted rebuild continues',
  )
    .option(...JSON_OPTION)
    .action(inLocalProject(1, rebuildStats));
}

async function rebuildStats(
  { viewer, storage: { database } }: LocalProject,
  options: { json?: boolean },
): Promise<void> {
  const line = createProgressLine();
  const signal = abortOnSignal();
  const { createStatsRebuildService } = await import('../domain/stats/rebuild-service.ts');
  const rebuilding = createStatsRebuildService({ system: database.system, clock: systemClock });
  const onHour = (hour: Date) => line.show(hour.toISOString());
  const hours = await rebuilding.rebuild(viewer, { signal, onHour });
  line.clear();
  if (hours === null) process.exitCode = 1;
  if (options.json) return printJson({ completed: hours !== null, hours });
  print(
    hours === null
      ? 'Stopped. Run it again to continue.'
      : `Recounted ${counted(hours, 'hour')} with decisions, and recent sessions and checks.`,
  );
}
