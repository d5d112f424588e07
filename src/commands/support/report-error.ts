import { AppError, OperatorError } from '@vouchgraph/platform/errors';
import { snakeCase } from '@vouchgraph/platform/letter-case';
import { printError, UsageError } from '@vouchgraph/terminal';
import { type Command, CommanderError } from 'commander';
import { gatewaySource } from './gateway-source.ts';
import { hasProject, PROJECT, withProjectArgument } from './project-argument.ts';

/** Exit code of a malformed call; 1 is that of a rejected or failed one. */
const WRONG_USE = 2;

type Reported = { code: string; message: string; field?: string | undefined };

/** Whether the command was called with `--json`, which also applies to its errors. */
const isJsonCall = (args: readonly string[] = process.argv.slice(2)): boolean => args.includes('--json');

/** Reports an error and ends the process with the exit code of the error. */
export function fail(error: unknown, program?: Command): never {
  // Help and version are no errors.
  if (error instanceof CommanderError && error.exitCode === 0) process.exit(0);
  // A command group without a subcommand has printed its help.
  if (!(error instanceof CommanderError && error.code === 'commander.help'))
    reportError(error, isJsonCall(), program);
  process.exit(isWrongUse(error) ? WRONG_USE : 1);
}

/** Whether an argument or an option is wrong. The service names it in the path of its error, unlike the content of a file. */
function isWrongUse(error: unknown): boolean {
  if (error instanceof CommanderError || error instanceof UsageError) return true;
  if (!(error instanceof AppError) || error.code !== 'input.invalid') return false;
  return error.inputPath !== undefined && error.inputPath[0] !== 'file';
}

/**
 * Writes one line for an error that the operator can correct, and the stack for a defect; as JSON, one object for each.
 * Errors of commander refer to the help of the command.
 */
export function reportError(error: unknown, isJson = false, program?: Command): void {
  const reported = reportedOf(error, program);
  if (isJson) {
    const { code, message, field } = reported ?? unexpected(error);
    printError(JSON.stringify({ error: { code, message, field } }));
    return;
  }
  const text = reported?.message ?? (error instanceof Error ? error.stack : String(error));
  const help = program && error instanceof CommanderError ? `. See ${namedCommand(program)} --help` : '';
  printError(`vouchgraph: ${text}${help}`);
}

/** The command that the arguments name, such as `vouchgraph list show`. */
function namedCommand(program: Command): string {
  return [program, ...splitArguments(program).named].map((command) => command.name()).join(' ');
}

/**
 * The arguments of the process. A `--json` that precedes the name of a command is moved after it: groups do not have the
 * option. An omitted project gets a placeholder.
 */
export function argumentsFor(program: Command): string[] {
  const { named, json, rest } = splitArguments(program);
  const command = named.at(-1) ?? program;
  const isGroup = command.commands.length > 0;
  const own = rest.toSpliced(isGroup ? 1 : 0, 0, ...json);
  return [...named.map((each) => each.name()), ...withProjectArgument(command, own)];
}

/** The commands that the arguments name, each `--json` before or between their names, and the arguments after them. */
function splitArguments(program: Command) {
  const named: Command[] = [];
  const json: string[] = [];
  const rest = process.argv.slice(2);
  for (let group = program; group.commands.length > 0; group = named.at(-1)!) {
    while (rest[0] === '--json') json.push(rest.shift()!);
    const command = group.commands.find((each) => [each.name(), ...each.aliases()].includes(rest[0] ?? ''));
    if (!command) break;
    named.push(command);
    rest.shift();
  }
  return { named, json, rest };
}

const unexpected = (error: unknown): Reported => ({
  code: 'service.internal',
  message: error instanceof Error ? error.message : String(error),
});

/** Code, message and field of an error that the operator can correct; null for a defect. */
function reportedOf(error: unknown, program: Command | undefined): Reported | null {
  if (error instanceof CommanderError)
    return (program && wrongTarget(error, program)) ?? reportedUsage(error);
  if (error instanceof UsageError)
    return { code: 'usage.invalid', message: error.message, field: error.field };
  if (error instanceof AppError) return { code: error.code, message: error.message, field: fieldOf(error) };
  if (error instanceof OperatorError) return { code: 'command.failed', message: error.message };
  const code = connectionCode(error);
  if (code === null) return null;
  return {
    code: 'database.unavailable',
    message: `the database of DATABASE_URL rejected the connection (${code})`,
  };
}

/** A call of a gateway by a command that cannot, or with a project; null for every other error. */
function wrongTarget(error: CommanderError, program: Command): Reported | null {
  const command = splitArguments(program).named.at(-1);
  if (!command || command.commands.length > 0) return null;
  const hasUrl = command.options.some(({ long }) => long === '--url');
  if (error.code === 'commander.excessArguments' && (hasUrl || hasProject(command)))
    return tooManyArguments(error, command);
  const [, option] = /^error: unknown option '--(url|key|key-file)\b/.exec(error.message) ?? [];
  if (error.code !== 'commander.unknownOption' || option === undefined) return null;
  const name = namedCommand(program).replace(/^\S+ /, '');
  return {
    code: 'usage.invalid',
    message: `unknown option '--${option}': ${name} works on the local database only`,
    field: option.replaceAll('-', '_'),
  };
}

/** Options that do not belong to the command itself. */
const COMMON_OPTIONS = new Set(['--url', '--key', '--key-file', '--json']);

/** A project before a call of a gateway, or the value of an option without the name of the option. */
function tooManyArguments(error: CommanderError, command: Command): Reported {
  const own = command.registeredArguments.filter((argument) => argument.name() !== PROJECT);
  const named = command.options.filter(
    ({ required, optional, long }) => (required || optional) && !COMMON_OPTIONS.has(long ?? ''),
  );
  const isRemote = !hasProject(command);
  const advice = [
    ...(isRemote ? [`omit PROJECT_ID, because the key of ${gatewaySource()} belongs to one project`] : []),
    ...(own.length === 0 && named.length > 0
      ? [`other values follow an option: ${named.map(({ long }) => long).join(', ')}`]
      : []),
  ];
  const reported = reportedUsage(error);
  const message = [reported.message, advice.join('; ')].filter((part) => part !== '').join(': ');
  return { ...reported, message, ...(isRemote ? { field: PROJECT } : {}) };
}

const REJECTED_CHOICE =
  /^error: command-argument value '.*' is invalid for argument '([^']+)'\. Allowed choices are (.*)\.$/s;

/** An error of commander, such as `error: unknown command 'lst'\n(Did you mean list?)`. */
function reportedUsage({ message: text }: CommanderError): Reported {
  const [, choice, choices] = REJECTED_CHOICE.exec(text) ?? [];
  if (choice !== undefined && choices !== undefined) {
    const accepted = choices.replace(/, ([^,]*)$/, ' or $1');
    return { code: 'usage.invalid', message: `${choice}: must be ${accepted}`, field: choice };
  }
  const message = text.replace(/^error: |\.$/g, '').replace(/\n\(Did/, ' (did');
  const [, option, argument] = /'(?:[^']*?--([a-z-]+)[^']*|([a-z\d_.]+))'/.exec(message) ?? [];
  const field = option?.replaceAll('-', '_') ?? argument;
  return { code: 'usage.invalid', message, field };
}

/** The parameter that an error is about, in the spelling of the JSON of the commands. */
function fieldOf({ inputPath }: AppError): string | undefined {
  const path = inputPath?.[0] === 'input' ? inputPath.slice(1) : inputPath;
  return path?.length ? path.map((part) => snakeCase(String(part))).join('.') : undefined;
}

/** The code of an error of a connection to the database; null for any other error. */
export function connectionCode(error: unknown): string | null {
  const { code, syscall } = error as { code?: unknown; syscall?: string };
  if (typeof code !== 'string') return null;
  return syscall === 'connect' || syscall === 'getaddrinfo' || /^(28|3D|08)/.test(code) ? code : null;
}
