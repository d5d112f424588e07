import { CommanderError } from 'commander';
import { AppError, OperatorError } from '../../platform/errors.ts';
import { snakeCase } from '../../platform/letter-case.ts';
import { UsageError } from './usage-error.ts';

/** Exit code of a call that is wrong as it is written; 1 is that of one that was refused or failed. */
const WRONG_USE = 2;

type Reported = { code: string; message: string; field?: string | undefined };

/** Whether the command was called with `--json`, which also holds for its errors. */
export const isJsonCall = (args: readonly string[] = process.argv.slice(2)): boolean =>
  args.includes('--json');

/** Reports an error and ends the process with the exit code of the error. */
export function fail(error: unknown): never {
  // Help and version are no errors. Commander has written its own errors already, unless they are JSON.
  if (error instanceof CommanderError && error.exitCode === 0) process.exit(0);
  if (!(error instanceof CommanderError) || isJsonCall()) reportError(error, isJsonCall());
  process.exit(error instanceof CommanderError || error instanceof UsageError ? WRONG_USE : 1);
}

/** Writes one line for what the operator can correct, and the whole error for a defect; as JSON, one object for each. */
export function reportError(error: unknown, isJson = false): void {
  const reported = reportedOf(error);
  if (isJson) {
    const { code, message, field } = reported ?? unexpected(error);
    process.stderr.write(`${JSON.stringify({ error: { code, message, field } })}\n`);
    return;
  }
  const text = reported?.message ?? (error instanceof Error ? error.stack : String(error));
  process.stderr.write(`vouchgraph: ${text}\n`);
}

const unexpected = (error: unknown): Reported => ({
  code: 'service.internal',
  message: error instanceof Error ? error.message : String(error),
});

/** Code, message and field of an error that the operator can correct; null for a defect. */
function reportedOf(error: unknown): Reported | null {
  if (error instanceof CommanderError) return reportedUsage(error);
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

/** What commander says, as `error: missing required argument 'project'`. */
function reportedUsage({ message }: CommanderError): Reported {
  const [, option, argument] = /'(?:[^']*?--([a-z-]+)[^']*|([a-z\d_.]+))'/.exec(message) ?? [];
  const field = option?.replaceAll('-', '_') ?? argument;
  return { code: 'usage.invalid', message: message.replace(/^error: /, ''), field };
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
