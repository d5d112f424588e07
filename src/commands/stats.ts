import type { Command } from 'commander';
import { systemClock } from '../platform/clock.ts';
import { abortOnSignal } from './support/abort-on-signal.ts';
import { JSON_OPTION } from './support/arguments.ts';
import { counted } from './support/counted.ts';
import { print, printJson } from './support/print.ts';
import { createProgressLine } from './support/progress-line.ts';
import { withProject } from './support/with-database.ts';

/** Registers `stats`. */
export function addStatsCommand(program: Command): void {
  program
    .command('stats')
    .description('statistics of projects')
    .command('rebuild')
    .description(
      'recompute the statistics of a project from its stored data; an interrupted rebuild continues',
    )
    .argument('<project>', 'id of the project')
    .option(...JSON_OPTION)
    .action(rebuildStats);
}

async function rebuildStats(projectId: string, options: { json?: boolean }): Promise<void> {
  const line = createProgressLine();
  const signal = abortOnSignal();
  const hours = await withProject(projectId, 1, async (viewer, { database }) => {
    const { createStatsRebuildService } = await import('../domain/stats/rebuild-service.ts');
    const rebuilding = createStatsRebuildService({ system: database.system, clock: systemClock });
    return rebuilding.rebuild(viewer, { signal, onHour: (hour) => line.show(hour.toISOString()) });
  });
  line.clear();
  if (hours === null) process.exitCode = 1;
  if (options.json) return printJson({ completed: hours !== null, hours });
  print(
    hours === null
      ? 'Stopped. Run it again to continue.'
      : `Recounted ${counted(hours, 'hour')} with decisions, and recent sessions and checks.`,
  );
}
