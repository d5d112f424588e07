import type { Command } from 'commander';
import { PERSON_ROLES, type PersonRole } from '../domain/projects/person-role.ts';
import { JSON_OPTION, oneOf } from './support/arguments.ts';
import { inLocalProject, localProjectCommand } from './support/project-command.ts';
import { type InviteOptions, type JsonOption, ROLE_OR_NONE, type RoleOrNone } from './user/options.ts';

const loadPeople = () => import('./user/people.ts');

/** Registers `user`. */
export function addUserCommand(program: Command): void {
  const user = program.command('user').description('people of the console');
  user.addHelpText('after', '\nThese commands use the local database only: no API key manages people.');
  localProjectCommand(
    user,
    'invite',
    'invite a person to a project; prints a link that works once, for a day',
  )
    .argument('<email>', 'email address with which the person signs in')
    .requiredOption('-n, --name <name>', 'name of the person')
    .option('-r, --role <role>', 'viewer, analyst or admin', oneOf(PERSON_ROLES), 'viewer' as PersonRole)
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph user invite PROJECT_ID ada@example.com --name "Ada Lovelace" --role analyst',
    )
    .action(
      inLocalProject(1, async ({ viewer, storage }, options: InviteOptions, email: string) =>
        (await loadPeople()).invite({ viewer, storage }, options, email),
      ),
    );
  localProjectCommand(user, 'role', 'give a person another role in a project, or remove the person from it')
    .argument('<email>', 'email address of the person')
    .argument('<role>', 'viewer, analyst, admin or none', oneOf(ROLE_OR_NONE))
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user role PROJECT_ID ada@example.com admin')
    .action(
      inLocalProject(1, async ({ viewer, storage }, options: JsonOption, email: string, role: RoleOrNone) =>
        (await loadPeople()).changeRole({ viewer, storage }, options, email, role),
      ),
    );
  addInstallationCommands(user);
}

/** Commands that concern a person in all projects. */
function addInstallationCommands(user: Command): void {
  user
    .command('list')
    .description('list people with their roles')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user list --json')
    .action(async (options: JsonOption) => (await loadPeople()).listUsers(options));
  user
    .command('disable')
    .description('end the sessions of a person, who cannot sign in until enabled again')
    .argument('<email>', 'email address of the person')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user disable ada@example.com')
    .action(async (email: string, options: JsonOption) => (await loadPeople()).disable(email, options, true));
  user
    .command('enable')
    .description('let a disabled person sign in again')
    .argument('<email>', 'email address of the person')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user enable ada@example.com')
    .action(async (email: string, options: JsonOption) =>
      (await loadPeople()).disable(email, options, false),
    );
  user
    .command('reset')
    .description(
      'end the sessions of a person and print a link to choose another password; using it removes passkeys and the second factor',
    )
    .argument('<email>', 'email address of the person')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user reset ada@example.com')
    .action(async (email: string, options: JsonOption) => (await loadPeople()).reset(email, options));
}
