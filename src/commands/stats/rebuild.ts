import { systemClock } from '@vouchgraph/platform/clock';
import { counted, createProgressLine, print, printJson } from '@vouchgraph/terminal';
import { createStatsRebuildService } from '../../domain/stats/rebuild-service.ts';
import type { LocalProject } from '../support/project-command.ts';

/** Recounts a project until the signal aborts, and prints the number of recounted hours. */
export async function rebuildStats(
  { viewer, storage: { database } }: LocalProject,
  options: { json?: boolean },
  signal: AbortSignal,
): Promise<void> {
  const line = createProgressLine();
  const rebuilding = createStatsRebuildService({ system: database.system, clock: systemClock });
  const hours = await rebuilding.rebuild(viewer, {
    signal,
    onHour: (hour) => line.show(hour.toISOString()),
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
