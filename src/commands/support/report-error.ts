import { CommanderError } from 'commander';
import { AppError, OperatorError } from '../../platform/errors.ts';

/** Reports an error and ends the process with the exit code of the error. */
export function fail(error: unknown): never {
  if (error instanceof CommanderError) process.exit(error.exitCode);
  reportError(error);
  process.exit(1);
}

/** Writes one line for what the operator can correct, and the whole error for a defect. */
export function reportError(error: unknown): void {
  const isKnown = error instanceof OperatorError || error instanceof AppError;
  const { code, syscall } = error as { code?: string; syscall?: string };
  const isConnection =
    !isKnown &&
    typeof code === 'string' &&
    (syscall === 'connect' || syscall === 'getaddrinfo' || /^(28|3D|08)/.test(code));
  if (isKnown) process.stderr.write(`vouchgraph: ${error.message}\n`);
  else if (isConnection)
    process.stderr.write(`vouchgraph: the database of DATABASE_URL does not let us in (${code})\n`);
  else process.stderr.write(`vouchgraph: ${error instanceof Error ? error.stack : String(error)}\n`);
}
