import { abortOnSignal } from '@vouchgraph/terminal';
import { type Command, Option } from 'commander';
import { JSON_OPTION, timestamp, wholeBetween } from './support/arguments.ts';
import {
  addProjectOptions,
  inLocalProject,
  inProject,
  type LocalProject,
  localProjectCommand,
  projectCommand,
  REMOTE_HELP,
} from './support/project-command.ts';

const loadStats = () => import('./stats/show.ts');

/** Registers `stats`. */
export function addStatsCommand(program: Command): void {
  const stats = program.command('stats').description('statistics of a project');
  stats.addHelpText(
    'after',
    `${REMOTE_HELP}

rebuild opens the database only. "stats PROJECT_ID" is short for "stats show PROJECT_ID".`,
  );
  addShow(stats);
  addRebuild(stats);
}

function addShow(stats: Command): void {
  addProjectOptions(
    projectCommand(
      stats,
      'show',
      'show the numbers of sessions, decisions, checks, outcomes and matches of rules',
      { isDefault: true },
    )
      .addOption(
        new Option('-b, --by <interval>', 'length of the rows, in UTC')
          .choices(['hour', 'day'])
          .default('day'),
      )
      .option('-d, --days <days>', 'the last days, including today; 30 by default', wholeBetween(1, 366))
      .option('--since <timestamp>', 'start of the period, instead of --days', timestamp)
      .option('--until <timestamp>', 'end of the period; now by default', timestamp),
  )
    .addHelpText(
      'after',
      `
A period has at most 366 days, and 31 days by hour. Numbers are a few seconds old.

Examples:
  vouchgraph stats PROJECT_ID
  vouchgraph stats PROJECT_ID --days 2 --by hour
  vouchgraph stats --since 2026-11-01 --until 2026-12-01 --url https://id.example.com --json`,
    )
    .action(inProject(loadStats, ({ showStats }) => showStats));
}

function addRebuild(stats: Command): void {
  localProjectCommand(
    stats,
    'rebuild',
    'recompute the statistics of a project from its stored data; an interrupted rebuild continues',
  )
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph stats rebuild PROJECT_ID')
    .action(
      inLocalProject(1, async (project: LocalProject, options: { json?: boolean }) => {
        const { rebuildStats } = await import('./stats/rebuild.ts');
        await rebuildStats(project, options, abortOnSignal());
      }),
    );
}
