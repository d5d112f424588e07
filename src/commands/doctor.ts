import { print, printJson } from '@vouchgraph/terminal';
import type { Command } from 'commander';
import type { Finding } from './doctor/examine.ts';
import { JSON_OPTION } from './support/arguments.ts';
import { loadConfig, withDatabase } from './support/with-database.ts';

/** Registers `doctor`. */
export function addDoctorCommand(program: Command): void {
  program
    .command('doctor')
    .description(
      'check everything that the service needs, and list missing signals; exit code 1 if something is broken',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph doctor --json')
    .action(doctor);
}

async function doctor(options: { json?: boolean }): Promise<void> {
  const { examine, findingLines } = await import('./doctor/examine.ts');
  const findings = await examine(await loadConfig(), (work) => withDatabase<Finding[]>(work));
  if (options.json) printJson(findings);
  else for (const line of findingLines(findings)) print(line);
  if (findings.some(({ state }) => state === 'broken')) process.exitCode = 1;
}
