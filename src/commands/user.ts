import type { Command } from 'commander';
import { PERSON_ROLES, type PersonRole } from '../domain/projects/person-role.ts';
import { JSON_OPTION, oneOf } from './support/arguments.ts';
import { inLocalProject, localProjectCommand } from './support/project-command.ts';
import {
  type DeleteOptions,
  type InviteOptions,
  type JsonOption,
  type MappingOptions,
  type ProviderOptions,
  ROLE_OR_NONE,
  type RoleOrNone,
} from './user/options.ts';

const loadPeople = () => import('./user/people.ts');
const loadProviders = () => import('./user/providers.ts');

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
  addProviderCommands(user);
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
      'end the sessions of a person and print a link to choose another password; using it removes all other ways to sign in',
    )
    .argument('<email>', 'email address of the person')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user reset ada@example.com')
    .action(async (email: string, options: JsonOption) => (await loadPeople()).reset(email, options));
  addDataCommands(user);
}

/** Commands for the rights of people to their data. */
function addDataCommands(user: Command): void {
  user
    .command('export')
    .description('print all stored data of a person as JSON, without secrets')
    .argument('<email>', 'email address of the person')
    .addHelpText('after', '\nExample:\n  vouchgraph user export ada@example.com > ada.json')
    .action(async (email: string) => (await loadPeople()).exportData(email));
  user
    .command('delete')
    .description('erase a person; entries of the audit log keep its id, without addresses and reasons')
    .argument('<email>', 'email address of the person')
    .option('-y, --yes', 'without a question')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user delete ada@example.com --yes')
    .action(async (email: string, options: DeleteOptions) =>
      (await loadPeople()).deletePerson(email, options),
    );
}

/** Commands of sign-in providers, which belong to the installation, and of the roles that their claims give. */
function addProviderCommands(user: Command): void {
  const provider = user.command('provider').description('OpenID Connect providers with which people sign in');
  provider
    .command('set')
    .description('add a provider, or replace its name, client and scopes; reads its metadata')
    .argument('<id>', 'id in the redirect URI, such as okta')
    .requiredOption('-n, --name <name>', 'name on the sign-in page')
    .requiredOption('--issuer <url>', 'issuer, as the ID tokens of the provider contain it')
    .requiredOption('--client-id <id>', 'id of the client that the provider registered')
    .option('--client-secret-file <file>', 'file with the secret of the client; - reads standard input')
    .option('--scope <scopes...>', 'scopes besides openid, which claims of roles may need', [])
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      `
Example:
  vouchgraph user provider set okta --name Okta --issuer https://example.okta.com --client-id CLIENT_ID \\
    --client-secret-file secret.txt --scope groups`,
    )
    .action(async (id: string, options: ProviderOptions) => (await loadProviders()).setProvider(id, options));
  provider
    .command('list')
    .description('list providers with the roles of their claims')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user provider list --json')
    .action(async (options: JsonOption) => (await loadProviders()).listProviders(options));
  provider
    .command('check')
    .description('read the metadata of a provider')
    .argument('<id>', 'id of the provider')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user provider check okta')
    .action(async (id: string, options: JsonOption) => (await loadProviders()).checkProvider(id, options));
  provider
    .command('remove')
    .description('remove a provider with all its identities, and the roles that its claims gave')
    .argument('<id>', 'id of the provider')
    .option('-y, --yes', 'without a question')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph user provider remove okta --yes')
    .action(async (id: string, options: DeleteOptions) =>
      (await loadProviders()).removeProvider(id, options),
    );
  addMappingCommands(provider);
}

function addMappingCommands(provider: Command): void {
  localProjectCommand(provider, 'map', 'let a claim with a value give a role in the project, at each sign-in')
    .argument('<id>', 'id of the provider')
    .requiredOption('--claim <name>', 'name of the claim, or a path such as realm_access.roles')
    .requiredOption('--value <value>', 'value of the claim, or one of its values')
    .requiredOption('-r, --role <role>', 'viewer, analyst or admin', oneOf(PERSON_ROLES))
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph user provider map PROJECT_ID okta --claim groups --value fraud-team --role analyst',
    )
    .action(
      inLocalProject(1, async (project, options: MappingOptions, id: string) =>
        (await loadProviders()).mapClaim(project, options, id),
      ),
    );
  localProjectCommand(provider, 'unmap', 'end a mapping; a role that it gave ends at the next sign-in')
    .argument('<id>', 'id of the provider')
    .requiredOption('--claim <name>', 'name of the claim')
    .requiredOption('--value <value>', 'value of the claim')
    .option(...JSON_OPTION)
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph user provider unmap PROJECT_ID okta --claim groups --value fraud-team',
    )
    .action(
      inLocalProject(1, async (project, options: Omit<MappingOptions, 'role'>, id: string) =>
        (await loadProviders()).unmapClaim(project, options, id),
      ),
    );
}
