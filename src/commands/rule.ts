import { type Command, Option } from 'commander';
import { timestamp } from './support/arguments.ts';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from './support/project-command.ts';

const STATES = ['draft', 'shadow', 'enabled', 'disabled', 'archived'];
const TRIGGERS = ['any_session', 'first_session', 'id_check_completed', 'face_check_completed'];

const RULE = ['<rule>', 'id or name of the rule'] as const;

const loadRules = () => import('./rule/rules.ts');

/** Registers `rule`. */
export function addRuleCommand(program: Command): void {
  const rule = program.command('rule').description('rules: conditions with actions');
  rule.addHelpText('after', REMOTE_HELP);
  addReading(rule);
  addCreate(rule);
  addState(rule, 'enable', 'ENABLED', 'enable a rule: its actions are performed');
  addState(rule, 'disable', 'DISABLED', 'disable a rule: it is not evaluated');
  addState(rule, 'shadow', 'SHADOW', 'put a rule in shadow: matches are recorded, actions are not performed');
  addState(rule, 'archive', 'ARCHIVED', 'archive a rule: it can be read, but not changed or enabled again');
  addTest(rule);
  addBacktest(rule);
}

function addReading(rule: Command): void {
  addProjectOptions(
    projectCommand(rule, 'ls', 'list rules in the order of evaluation')
      .alias('list')
      .addOption(
        new Option('-s, --state <state...>', 'states of the rules; all but archived by default').choices(
          STATES,
        ),
      ),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph rule ls PROJECT_ID --state enabled shadow')
    .action(inProject(loadRules, ({ listRules }) => listRules));
  addProjectOptions(
    projectCommand(rule, 'show', 'show a rule with the number of its matches').argument(...RULE),
  )
    .addHelpText(
      'after',
      `
Examples:
  vouchgraph rule show PROJECT_ID "Device farm"
  vouchgraph rule show "Device farm" --url https://id.example.com --json > farm.json`,
    )
    .action(inProject(loadRules, ({ showRule }) => showRule));
}

const CREATE_HELP = `
The file is a JSON object with the keys name, description, trigger, expression, actions and state, as rule show --json
prints it. Flags replace keys of the file. A new rule is a draft unless a state is given.

Examples:
  vouchgraph rule create PROJECT_ID --name "Device farm" --trigger first_session \\
    --expression 'velocity.accounts_per_device_7d >= 5' --action add_to_list=block --state shadow
  vouchgraph rule create PROJECT_ID --file farm.json
  vouchgraph rule show "Device farm" --url https://test.example.com --json | vouchgraph rule create PROJECT_ID --file -`;

function addCreate(rule: Command): void {
  addProjectOptions(
    projectCommand(rule, 'create', 'create a rule from a file or from flags')
      .option('-f, --file <file>', 'rule as JSON; - reads standard input')
      .option('-n, --name <name>', 'name of the rule')
      .option('-d, --description <text>', 'purpose of the rule')
      .addOption(new Option('-t, --trigger <trigger>', 'moment of its evaluation').choices(TRIGGERS))
      .option('-e, --expression <condition>', 'condition, as docs/rules.md describes it')
      .option('-a, --action <kind=value...>', 'such as add_to_list=block, raise_flag=farm, emit_event=farm')
      .addOption(new Option('-s, --state <state>', 'state of the new rule').choices(STATES.slice(0, 4))),
  )
    .addHelpText('after', CREATE_HELP)
    .action(inProject(loadRules, ({ createRule }) => createRule));
}

function addState(rule: Command, name: string, state: string, description: string): void {
  addProjectOptions(projectCommand(rule, name, description).argument(...RULE))
    .addHelpText('after', `\nExample:\n  vouchgraph rule ${name} PROJECT_ID "Device farm"`)
    .action(
      inProject(
        loadRules,
        ({ setRuleState }) =>
          (api, options, name: string) =>
            setRuleState(api, state, options, name),
      ),
    );
}

function withCondition(command: Command): Command {
  return command
    .argument('[rule]', 'id or name of a rule; or --expression')
    .option('-e, --expression <condition>', 'condition to test instead of a rule')
    .addOption(
      new Option('-t, --trigger <trigger>', 'trigger; by default that of the rule, or any_session').choices(
        TRIGGERS,
      ),
    );
}

function addTest(rule: Command): void {
  addProjectOptions(
    withCondition(
      projectCommand(rule, 'test', 'show whether and why a rule matches a session, without changes'),
    ).requiredOption('--session <id>', 'id of the session'),
  )
    .addHelpText(
      'after',
      `
account show prints the id of the latest session of an account.

Examples:
  vouchgraph rule test PROJECT_ID "Device farm" --session SESSION_ID
  vouchgraph rule test PROJECT_ID --expression 'session.bot > 0.5' --session SESSION_ID`,
    )
    .action(
      inProject(
        () => import('./rule/trial.ts'),
        ({ testRule }) => testRule,
      ),
    );
}

function addBacktest(rule: Command): void {
  addProjectOptions(
    withCondition(
      projectCommand(rule, 'backtest', 'evaluate a condition on stored decisions, without changes'),
    )
      .option('--since <timestamp>', 'decisions at or after this time; 30 days ago by default', timestamp)
      .option('--until <timestamp>', 'decisions before this time; now by default', timestamp),
  )
    .addHelpText(
      'after',
      `
The command shows the progress. Ctrl-C cancels the backtest. Exit code 1 unless the backtest completes.

Examples:
  vouchgraph rule backtest PROJECT_ID "Device farm" --since 2026-11-01
  vouchgraph rule backtest PROJECT_ID --expression 'session.bot > 0.5' --json`,
    )
    .action(
      inProject(
        () => import('./rule/backtest.ts'),
        ({ backtestRule }) => backtestRule,
      ),
    );
}
