import { Argument, Command, Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { numberBetween } from './arguments.ts';
import { isOmitted, withProjectArgument } from './project-argument.ts';

const ID = '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11';
const OTHER = '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c12';

function commandWith(...own: string[]): Command {
  const command = new Command('do').argument('[project]');
  for (const name of own) command.addArgument(new Argument(name));
  return command
    .option('-n, --number <number>', 'a number', numberBetween(0, 9))
    .option('--keep-off', 'a flag')
    .addOption(new Option('-s, --state <state...>').choices(['on', 'off']))
    .option('--json', 'JSON');
}

/** What the command is called with: the project, or null where it is omitted, and its own arguments. */
function readBy(command: Command, args: readonly string[]): { project: string | null; own: unknown[] } {
  let project: string | null = null;
  let own: unknown[] = [];
  command.exitOverride().action((first: string, ...others: unknown[]) => {
    project = isOmitted(first) ? null : first;
    own = others.slice(0, -2);
  });
  command.configureOutput({ outputError: () => {} });
  command.parse(withProjectArgument(command, args), { from: 'user' });
  return { project, own };
}

describe('the project of a command', () => {
  it.each([
    [[], [], { project: null, own: [] }],
    [[], [ID], { project: ID, own: [] }],
    [[], ['shop'], { project: 'shop', own: [] }],
    [[], [''], { project: '', own: [] }],
    [['<account>'], ['alice'], { project: null, own: ['alice'] }],
    [['<account>'], [OTHER], { project: null, own: [OTHER] }],
    [['<account>'], [ID, 'alice'], { project: ID, own: ['alice'] }],
    [['<account>'], ['', 'alice'], { project: '', own: ['alice'] }],
    [['<account>', '<outcome>'], ['alice', 'fraud'], { project: null, own: ['alice', 'fraud'] }],
    [['<account>', '<outcome>'], [ID, 'alice', 'fraud'], { project: ID, own: ['alice', 'fraud'] }],
    [['[rule]'], [], { project: null, own: [undefined] }],
    [['[rule]'], [ID], { project: null, own: [ID] }],
    [['[rule]'], [ID, OTHER], { project: ID, own: [OTHER] }],
    [['<list>', '[account...]'], ['block'], { project: null, own: ['block', []] }],
    [['<list>', '[account...]'], ['block', 'alice'], { project: null, own: ['block', ['alice']] }],
    [['<list>', '[account...]'], ['block', ID], { project: null, own: ['block', [ID]] }],
    [['<list>', '[account...]'], [ID, 'block', OTHER], { project: ID, own: ['block', [OTHER]] }],
    [
      ['<list>', '[account...]'],
      [ID.toUpperCase(), 'block'],
      { project: ID.toUpperCase(), own: ['block', []] },
    ],
    [['<list>', '<target>', '[account...]'], ['a', 'b', 'c'], { project: null, own: ['a', 'b', ['c']] }],
    [['<list>', '<target>', '[account...]'], [ID, 'a', 'b'], { project: ID, own: ['a', 'b', []] }],
    [['<file...>'], ['a.json', ID], { project: null, own: [['a.json', ID]] }],
    [['<file...>'], [ID, 'a.json'], { project: ID, own: [['a.json']] }],
  ])('with the arguments %j, called with %j', (own, args, expected) => {
    expect(readBy(commandWith(...own), args)).toEqual(expected);
  });

  it.each([
    [['--number', '3', ID, 'alice', '--json']],
    [[ID, '-n3', 'alice', '--keep-off']],
    [['--keep-off', ID, '--', 'alice']],
    [[ID, 'alice', '--state', 'on', 'off']],
  ])('is no value of an option: %j', (args) => {
    expect(readBy(commandWith('<account>'), args)).toEqual({ project: ID, own: ['alice'] });
  });

  it.each([[['--number', '3', 'alice']], [['alice', '--state', 'on', 'off']], [['--', 'alice']]])(
    'is omitted before an argument among options: %j',
    (args) => {
      expect(readBy(commandWith('<account>'), args)).toEqual({ project: null, own: ['alice'] });
    },
  );

  it.each([
    [['<account>'], [], "missing required argument 'account'"],
    [['<list>', '<target>', '[account...]'], ['watch'], "missing required argument 'target'"],
    [['<account>'], [ID, 'alice', 'bob'], 'too many arguments'],
    [['<account>'], ['--unknown', ID], "unknown option '--unknown'"],
    [['<account>'], ['--number', '12', 'alice'], 'must be between'],
  ])('leaves an invalid call to commander: %j %j', (own, args, message) => {
    expect(() => readBy(commandWith(...own), args)).toThrow(message);
  });

  it('is of no concern to other commands', () => {
    const command = new Command('serve').option('--port <port>');
    expect(withProjectArgument(command, ['--port', '0'])).toEqual(['--port', '0']);
  });
});
