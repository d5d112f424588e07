import type { Command } from 'commander';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from '../support/project-command.ts';

/** Registers `email erase`. */
export function addEmailEraseCommand(email: Command): void {
  addProjectOptions(
    projectCommand(
      email,
      'erase',
      'erase all checks of an address, with their events and deliveries; accounts are not erased; exit code 1 if not confirmed',
    )
      .argument('<address>', 'email address, in any spelling of its mailbox')
      .option('-y, --yes', 'do not ask for a confirmation'),
  )
    .addHelpText(
      'after',
      `${REMOTE_HELP}

Example:
  vouchgraph email erase PROJECT_ID alice@example.com --yes`,
    )
    .action(
      inProject(
        () => import('./erase-email.ts'),
        ({ eraseEmail }) => eraseEmail,
      ),
    );
}
