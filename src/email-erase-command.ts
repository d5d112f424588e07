import { createInterface } from 'node:readline/promises';
import type { Command } from 'commander';
import type { ProjectForCommandLine } from './app.ts';
import { counted } from './counted.ts';
import { createEmailEraseService } from './domain/email-checks/email-erase-service.ts';
import { systemClock } from './platform/clock.ts';
import { invalidInput } from './platform/errors.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);

type EraseOptions = { readonly yes?: boolean; readonly json?: boolean };

/** Opens a project for as long as the work takes. */
type WithProject = (
  projectId: string,
  work: (project: ProjectForCommandLine) => Promise<void>,
) => Promise<void>;

/** Adds `erase` to the command `email`. */
export function addEmailEraseCommand(email: Command, withProject: WithProject): void {
  email
    .command('erase')
    .description(
      'erase all checks of an address, with their events and deliveries; accounts remain; exit code 1 when not confirmed',
    )
    .argument('<project>', 'id of the project')
    .argument('<address>', 'email address, in any spelling of its mailbox')
    .option('-y, --yes', 'do not ask for a confirmation')
    .option('--json', 'print JSON instead of text')
    .action((id: string, address: string, options: EraseOptions) =>
      withProject(id, async (project) => {
        if (!(await eraseEmail(project, address, options))) process.exitCode = 1;
      }),
    );
}

/**
 * Erases the checks of an address after a confirmation, and prints how many rows were erased. Returns false when the
 * operator declines.
 */
async function eraseEmail(
  { viewer }: ProjectForCommandLine,
  address: string,
  options: EraseOptions,
): Promise<boolean> {
  if (!options.yes && !(await isConfirmed(viewer.project.name))) return false;
  const erased = await createEmailEraseService({ clock: systemClock }).erase(viewer, null, address);
  if (options.json) {
    print(JSON.stringify(erased, null, 2));
    return true;
  }
  const { checks, events, deliveries } = erased;
  const parts = [
    counted(checks, 'check'),
    counted(events, 'event'),
    counted(deliveries, 'webhook delivery', 'webhook deliveries'),
  ];
  print(`Erased ${parts[0]}, ${parts[1]} and ${parts[2]} of the address.`);
  print('Accounts with the address remain: erase them by DELETE /account/{id}.');
  return true;
}

/** The address is not repeated: terminals keep what they show. */
async function isConfirmed(projectName: string): Promise<boolean> {
  if (!process.stdin.isTTY) throw invalidInput('--yes: required when the input is not a terminal');
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
