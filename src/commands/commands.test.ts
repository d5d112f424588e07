import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { INPUTS_OF_FIELD } from './support/call-names.ts';
import { argumentsFor } from './support/report-error.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const NAMES = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => path.basename(file, '.ts'));

/** Prints the name of each package that the program loads, on standard error at its end. */
const PRINT_PACKAGES = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from 'node:module';
  const packages = new Set();
  registerHooks({
    load(url, context, next) {
      const [, name] = /.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
      if (name) packages.add(name);
      return next(url, context);
    },
  });
  process.on('exit', () => process.stderr.write([...packages].sort().join(' ')));
`)}`;

async function runCommand(args: readonly string[]): Promise<{ output: string; packages: string }> {
  const { stdout, stderr } = await promisify(execFile)(
    process.execPath,
    ['--import', PRINT_PACKAGES, 'bin/vouchgraph.mjs', ...args],
    { cwd: ROOT },
  );
  return { output: stdout, packages: stderr };
}

describe('the command line', () => {
  it.each([[['--version']], [['--help']], [['key', '--help']], [['project', 'settings', '--help']]])(
    'loads no package but commander for %j',
    async (args) => {
      expect((await runCommand(args)).packages).toBe('commander');
    },
  );

  it('lists a command for each file of src/commands', async () => {
    const { output } = await runCommand(['--help']);
    const [, list = ''] = /\nCommands:\n([\s\S]*)$/.exec(output) ?? [];
    const listed = [...list.matchAll(/^ {2}([a-z]+)/gm)].map(([, name]) => name);
    expect(listed.sort()).toEqual([...NAMES, 'help'].sort());
  });

  it.each(NAMES)('prints the help text of %s', async (name) => {
    const program = new Command('vouchgraph').exitOverride();
    const [register] = Object.values<(program: Command) => void>(
      await import(/* @vite-ignore */ path.join(import.meta.dirname, `${name}.ts`)),
    );
    register!(program);
    expect(program.commands.map((command) => command.name())).toEqual([name]);
    const helps = helpsOf(program.commands[0]!).join('\n');
    await expect(helps).toMatchFileSnapshot(`../../test/golden/help/${name}.txt`);
  });
});

describe('the help of each command', async () => {
  const commands = leavesOf(await programOf());

  it.each(commands.map((command) => [pathOf(command), helpsOf(command)[0]!]))(
    'of %s has examples that the command accepts',
    async (name, help) => {
      const accepted: (string | null)[] = [];
      for (const words of examplesOf(help)) accepted.push(await acceptedBy(words));
      expect(accepted).toContain(name);
      expect(accepted).not.toContain(null);
    },
  );
});

it('fields of the API are filled from arguments and options that commands have', async () => {
  const inputs = new Set(
    leavesOf(await programOf()).flatMap(({ options, registeredArguments }) => [
      ...options.map((option) => option.attributeName()),
      ...registeredArguments.map((argument) => argument.name()),
    ]),
  );
  const names = Object.values(INPUTS_OF_FIELD).flat();
  expect(names.filter((name) => !inputs.has(name))).toEqual([]);
});

/** The whole program. Actions are not performed. */
async function programOf(): Promise<Command> {
  const program = new Command('vouchgraph').exitOverride().configureOutput({ outputError: () => {} });
  for (const name of NAMES) {
    const [register] = Object.values<(program: Command) => void>(
      await import(/* @vite-ignore */ path.join(import.meta.dirname, `${name}.ts`)),
    );
    register!(program);
  }
  return program;
}

const leavesOf = (command: Command): Command[] =>
  command.commands.length === 0 ? [command] : command.commands.flatMap((each) => leavesOf(each as Command));

function pathOf(command: Command): string {
  return command.parent?.parent ? `${pathOf(command.parent)} ${command.name()}` : command.name();
}

/** The words of each call of the program in the examples of a help text. */
function examplesOf(help: string): string[][] {
  const [, text = ''] = /\nExamples?:\n([\s\S]*)$/.exec(help) ?? [];
  return text
    .replaceAll(/\\\n\s*/g, '')
    .split(/\n|\|/)
    .flatMap((line) => {
      const [, call] = /^\s*vouchgraph (.*?)\s*(?:> \S+)?$/.exec(line) ?? [];
      return call === undefined ? [] : [wordsOf(call.replaceAll(/\b[A-Z]+_ID\b/g, NIL_UUID))];
    });
}

/** Splits a call as a shell does. */
const wordsOf = (call: string): string[] =>
  [...call.matchAll(/(?:"[^"]*"|'[^']*'|\S)+/g)].map(([word]) => word.replaceAll(/["']/g, ''));

/** The command that accepts the words as its arguments. */
async function acceptedBy(words: readonly string[]): Promise<string | null> {
  const { argv } = process;
  process.argv = [...argv.slice(0, 2), ...words];
  try {
    let accepted: string | null = null;
    const program = await programOf();
    for (const command of leavesOf(program))
      command.action(() => {
        accepted = pathOf(command);
      });
    await program.parseAsync(argumentsFor(program), { from: 'user' });
    return accepted;
  } finally {
    process.argv = argv;
  }
}

/** The help of a command and of its subcommands, 80 columns wide. */
function helpsOf(command: Command): string[] {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return [written.join(''), ...command.commands.flatMap((each) => helpsOf(each as Command))];
}
