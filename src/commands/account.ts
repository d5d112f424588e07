import { Argument, type Command, Option } from 'commander';
import { countryCode, numberBetween, timestamp, wholeBetween } from './support/arguments.ts';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from './support/project-command.ts';

const loadAccounts = () => import('./account/accounts.ts');
const loadVerbs = () => import('./account/verbs.ts');

/** Registers `account`. */
export function addAccountCommand(program: Command): void {
  const account = program
    .command('account')
    .description('find, show, block, allow, label and export accounts');
  account.addHelpText('after', REMOTE_HELP);
  addList(account);
  addShow(account);
  addBlock(account);
  addClear(account);
  addLabel(account);
  addExport(account);
}

const accountCommand = (account: Command, name: string, description: string) =>
  projectCommand(account, name, description).argument('<account>', 'account id, assigned by the client');

function addList(account: Command): void {
  addProjectOptions(
    projectCommand(account, 'list', 'list the accounts that meet all given conditions')
      .alias('ls')
      .option('-s, --search <text>', 'exact email, phone, username, account id, or first and last name')
      .addOption(
        new Option('-d, --decision <decision>', 'current decision').choices(['real', 'suspicious', 'fake']),
      )
      .option('--min-score <score>', 'lowest account score, 0 to 1', numberBetween(0, 1))
      .option('--max-score <score>', 'highest account score, 0 to 1', numberBetween(0, 1))
      .option('-l, --list <list>', 'name of a list that contains the accounts')
      .option('-c, --country <code>', 'country of the latest session, such as DE', countryCode)
      .option('--seen-after <timestamp>', 'last seen at or after this time', timestamp)
      .addOption(
        new Option('-o, --order <order>', 'order, highest or latest first')
          .choices(['score', 'last_seen', 'created'])
          .default('score'),
      )
      .option('-n, --number <number>', 'number of accounts', wholeBetween(1, 10_000), 20),
  )
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph account list PROJECT_ID --number 50
  vouchgraph account list PROJECT_ID --search mallory@example.com
  vouchgraph account list --decision fake --country DE --url https://id.example.com --json`,
    )
    .action(inProject(loadAccounts, ({ listAccounts }) => listAccounts));
}

function addShow(account: Command): void {
  addProjectOptions(
    accountCommand(
      account,
      'show',
      'show an account with its decision, the reasons of it, its lists and linked accounts',
    ).option('-l, --links <number>', 'number of linked accounts', wholeBetween(0, 1500), 5),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph account show PROJECT_ID alice --links 20')
    .action(inProject(loadAccounts, ({ showAccount }) => showAccount));
}

const withReason = (command: Command) =>
  command
    .option('-r, --reason <text>', 'reason, shown with the membership')
    .option('--expires <timestamp>', 'end of the membership, such as 2027-01-31T00:00:00Z', timestamp);

function addBlock(account: Command): void {
  const waits = 'an unknown id is accepted';
  addProjectOptions(
    withReason(
      accountCommand(account, 'block', `add an account to the list block and remove it from allow; ${waits}`),
    ),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph account block PROJECT_ID mallory --reason chargeback')
    .action(inProject(loadVerbs, ({ blockAccount }) => blockAccount));
  addProjectOptions(
    withReason(
      accountCommand(account, 'allow', `add an account to the list allow and remove it from block; ${waits}`),
    ),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph account allow PROJECT_ID alice --expires 2027-01-31')
    .action(inProject(loadVerbs, ({ allowAccount }) => allowAccount));
}

function addClear(account: Command): void {
  addProjectOptions(
    accountCommand(account, 'clear', 'remove an account from the lists block and allow')
      .option('-r, --reason <text>', 'reason, included in the events')
      .option('--keep-off', 'rules do not add the account again'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph account clear PROJECT_ID alice --keep-off')
    .action(inProject(loadVerbs, ({ clearAccount }) => clearAccount));
}

function addLabel(account: Command): void {
  addProjectOptions(
    accountCommand(account, 'label', 'report the outcome of an account')
      .addArgument(new Argument('<outcome>', 'the outcome').choices(['fraud', 'legitimate', 'chargeback']))
      .option('--at <timestamp>', 'time of the outcome; now by default', timestamp)
      .option('--note <text>', 'note for operators'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph account label PROJECT_ID mallory chargeback --at 2026-11-20 --note "case 1234"',
    )
    .action(inProject(loadVerbs, ({ labelAccount }) => labelAccount));
}

function addExport(account: Command): void {
  addProjectOptions(
    accountCommand(
      account,
      'export',
      'export all stored data of an account as JSON; recorded in the audit log',
    )
      .option('-o, --out <file>', 'file to write instead of standard output')
      .option('--replace', 'replace an existing file'),
  )
    .addHelpText(
      'after',
      `
The export contains personal data. Key names in records are those of the stored values.

Example:
  vouchgraph account export PROJECT_ID alice --out data/alice.json`,
    )
    .action(
      inProject(
        () => import('./account/export.ts'),
        ({ exportAccount }) => exportAccount,
      ),
    );
}
