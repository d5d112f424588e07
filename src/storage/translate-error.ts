import { AppError, unavailable } from '@vouchgraph/platform/errors';
import { FORBIDDEN_TEXT } from '@vouchgraph/platform/unstorable';

/** The statement took too long; locks or connections ran out; the disk is full; the database does not take writes. */
const UNAVAILABLE_STATES = new Set(['53100', '53200', '53300', '53400', '57014', '55P03', '25006']);
/** The server is starting, stopping or failing (57P), or the connection is lost (08). */
const LOST_STATES = /^(08|57P)/;
const LOST_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EPIPE',
  'ENOENT',
  'EAI_AGAIN',
]);
const LOST_CONNECTION =
  /connection terminated|timeout exceeded when trying to connect|query read timeout|client has encountered a connection error|client was closed|connection lost|cannot use a pool after calling end/i;
const SQLSTATE = /^[0-9A-Z]{5}$/;

/** Errors that prevent writes, or all statements. */
export type DatabaseProblem = 'database' | 'read_only' | 'disk_full';

/** The driver's code, also behind an error of ours. */
function codeOf(error: unknown): unknown {
  const cause = error instanceof AppError ? error.cause : error;
  return (cause as { code?: unknown } | null | undefined)?.code;
}

/** Two transactions were in each other's way; doing it again is right. */
export function isSerializationFailure(error: unknown): boolean {
  const code = codeOf(error);
  return code === '40P01' || code === '40001';
}

/**
 * Whether the connection with this error must not be used again: it is lost, its state is unknown, or its server accepts no
 * writes any more, while the address may already lead to another one.
 */
export function isLostBy(error: unknown): boolean {
  const code = codeOf(error);
  if (typeof code !== 'string' || LOST_CODES.has(code) || !SQLSTATE.test(code)) return true;
  return code === '25006' || LOST_STATES.test(code);
}

/** A lock or a statement that reached its time limit: other data may be free. */
export function isTimeout(error: unknown): boolean {
  const code = codeOf(error);
  return code === '55P03' || code === '57014';
}

/** Whether the server has no room for any change: its disk is full, or it has no free connection or no more resources. */
export function isFull(error: unknown): boolean {
  const code = codeOf(error);
  return code === '53100' || code === '53300' || code === '53400';
}

/** State of the whole database according to an error. */
export function problemOf(error: unknown): DatabaseProblem {
  const code = codeOf(error);
  if (code === '25006') return 'read_only';
  return code === '53100' ? 'disk_full' : 'database';
}

/**
 * A driver error as the domain knows it: `unavailable` when trying again helps, `input.invalid` for text that PostgreSQL
 * cannot hold, else left as it is (internal).
 */
export function translateError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (isSerializationFailure(error)) return unavailable(error);
  if (!(error instanceof Error)) return error;
  const code = codeOf(error);
  if (code === '22021')
    return new AppError('input.invalid', 'invalid_input', `Text ${FORBIDDEN_TEXT}`, { cause: error });
  if (code === '55P03') return lockTimedOut(error);
  if (typeof code === 'string') {
    const isAway = UNAVAILABLE_STATES.has(code) || LOST_STATES.test(code) || LOST_CODES.has(code);
    return isAway ? unavailable(error) : error;
  }
  return LOST_CONNECTION.test(error.message) ? unavailable(error) : error;
}

/** A lock, or a turn behind other changes of the same data, took too long. */
export function lockTimedOut(cause?: Error): AppError {
  const message = 'Another request is changing the same data, try again shortly';
  return new AppError('service.busy', 'unavailable', message, { retryAfterSeconds: 1, cause });
}
