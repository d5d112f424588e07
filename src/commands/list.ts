import { type Command, Option } from 'commander';
import { timestamp, wholeBetween } from './support/arguments.ts';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from './support/project-command.ts';

const EFFECTS = ['none', 'block', 'allow'];

const loadLists = () => import('./list/lists.ts');
const loadMembers = () => import('./list/members.ts');

/** Registers `list`. */
export function addListCommand(program: Command): void {
  const list = program.command('list').description('lists of accounts and their members');
  list.addHelpText('after', REMOTE_HELP);
  addReading(list);
  addChanges(list);
  addMembership(list);
}

function addReading(list: Command): void {
  addProjectOptions(projectCommand(list, 'ls', 'list all lists').alias('list'))
    .addHelpText('after', '\nExample:\n  vouchgraph list ls PROJECT_ID')
    .action(inProject(loadLists, ({ listLists }) => listLists));
  addProjectOptions(
    projectCommand(list, 'show', 'show a list and its accounts, newest first')
      .argument('<list>', 'name of the list')
      .option('-n, --number <number>', 'number of accounts', wholeBetween(1, 10_000), 20),
  )
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph list show PROJECT_ID block --number 100
  vouchgraph list show block --url https://id.example.com --key-file operator.key`,
    )
    .action(inProject(loadLists, ({ showList }) => showList));
}

function addChanges(list: Command): void {
  addProjectOptions(withChange(projectCommand(list, 'create', 'create a list')))
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph list create PROJECT_ID mules --effect block --description "Money mules"',
    )
    .action(inProject(loadLists, ({ createList }) => createList));
  addProjectOptions(
    withChange(projectCommand(list, 'update', 'change the description or the effect of a list')),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph list update PROJECT_ID mules --effect none')
    .action(inProject(loadLists, ({ updateList }) => updateList));
  addProjectOptions(
    projectCommand(
      list,
      'delete',
      'delete a list; its accounts are not deleted; exit code 1 if not confirmed, when it contains accounts',
    )
      .argument('<list>', 'name of the list')
      .option('-y, --yes', 'do not ask for a confirmation'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph list delete PROJECT_ID mules --yes')
    .action(inProject(loadLists, ({ deleteList }) => deleteList));
}

function withChange(command: Command): Command {
  return command
    .argument('<list>', 'name of the list')
    .option('-d, --description <text>', 'purpose of the list')
    .addOption(
      new Option('-e, --effect <effect>', 'decision on the accounts: block is Fake, allow is Real').choices(
        EFFECTS,
      ),
    );
}

function addMembership(list: Command): void {
  addProjectOptions(
    withAccounts(projectCommand(list, 'add', 'add accounts to a list').argument('<list>', 'name of the list'))
      .option('-r, --reason <text>', 'reason, shown with the membership')
      .option('--expires <timestamp>', 'end of the membership, such as 2027-01-31T00:00:00Z', timestamp),
  )
    .addHelpText(
      'after',
      `
A CSV has a header. The columns reason and expires_at are optional, and replace --reason and --expires where they are not
empty. If a line is malformed, no account is added. Exit code 1 when an account does not exist.

Examples:
  vouchgraph list add PROJECT_ID block alice mallory --reason chargeback --expires 2027-01-31
  vouchgraph list add PROJECT_ID block --file accounts.csv --json`,
    )
    .action(inProject(loadMembers, ({ addMembers }) => addMembers));
  addProjectOptions(
    withAccounts(
      projectCommand(list, 'remove', 'remove accounts from a list').argument('<list>', 'name of the list'),
    ).option('--keep-off', 'rules do not add the accounts again'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph list remove PROJECT_ID block alice --keep-off')
    .action(inProject(loadMembers, ({ removeMembers }) => removeMembers));
  addProjectOptions(
    withAccounts(
      projectCommand(list, 'move', 'move accounts from one list to another')
        .argument('<list>', 'name of the current list of the accounts')
        .argument('<target>', 'name of the target list'),
    ),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph list move PROJECT_ID watch block mallory')
    .action(inProject(loadMembers, ({ moveMembers }) => moveMembers));
}

function withAccounts(command: Command): Command {
  return command
    .argument('[account...]', 'account ids, assigned by the client')
    .option(
      '-f, --file <file>',
      'CSV with the column account_id, or one id per line; - reads standard input',
    );
}
