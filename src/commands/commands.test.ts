import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { describe, expect, it } from 'vitest';

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

/** The help of a command and of its subcommands, 80 columns wide. */
function helpsOf(command: Command): string[] {
  const written: string[] = [];
  command.configureOutput({ writeOut: (text) => written.push(text), getOutHelpWidth: () => 80 });
  command.outputHelp();
  return [written.join(''), ...command.commands.flatMap((each) => helpsOf(each as Command))];
}
