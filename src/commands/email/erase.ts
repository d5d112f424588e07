import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { systemClock } from '../../platform/clock.ts';
import { JSON_OPTION } from '../support/arguments.ts';
import { counted } from '../support/counted.ts';
import { snakeKeys } from '../support/json-names.ts';
import { print, printJson } from '../support/print.ts';
import { UsageError } from '../support/usage-error.ts';
import { withProject } from '../support/with-database.ts';

type EraseOptions = { readonly yes?: boolean; readonly json?: boolean };

/** Registers `email erase`. */
export function addEmailEraseCommand(email: Command): void {
  email
    .command('erase')
    .description(
      'erase all checks of an address, with their events and deliveries; accounts are not erased; exit code 1 if not confirmed',
    )
    .argument('<project>', 'id of the project')
    .argument('<address>', 'email address, in any spelling of its mailbox')
    .option('-y, --yes', 'do not ask for a confirmation')
    .option(...JSON_OPTION)
    .action((id: string, address: string, options: EraseOptions) =>
      withProject(id, 1, async (viewer) => {
        if (!(await eraseEmail(viewer, address, options))) process.exitCode = 1;
      }),
    );
}

/**
 * Erases the checks of an address after a confirmation, and prints how many rows were erased. Returns false when the
 * operator declines.
 */
async function eraseEmail(viewer: Viewer, address: string, options: EraseOptions): Promise<boolean> {
  if (!options.yes && !(await isConfirmed(viewer.project.name))) return false;
  const { createEmailEraseService } = await import('../../domain/email-checks/email-erase-service.ts');
  const erased = await createEmailEraseService({ clock: systemClock }).erase(viewer, null, address);
  if (options.json) {
    printJson(snakeKeys(erased));
    return true;
  }
  const { checks, events, deliveries } = erased;
  const parts = [
    counted(checks, 'check'),
    counted(events, 'event'),
    counted(deliveries, 'webhook delivery', 'webhook deliveries'),
  ];
  print(`Erased ${parts[0]}, ${parts[1]} and ${parts[2]} of the address.`);
  print('Accounts with the address are not erased: use DELETE /account/{id}.');
  return true;
}

/** The address is not repeated, because terminals keep their output. */
async function isConfirmed(projectName: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw new UsageError('--yes: required when the input is not a terminal', 'yes');
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(
      `Erase all checks of this address in the project ${JSON.stringify(projectName)}? This cannot be undone. [y/N] `,
    );
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
