import { AppError, invalidInput, unavailable } from '../platform/errors.ts';

/** Server is starting, stopping or full (of connections or locks); the connection was lost; the statement took too long. */
const UNAVAILABLE_STATES = new Set(['57P01', '57P02', '57P03', '53200', '53300', '53400', '57014', '55P03']);
const UNAVAILABLE_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'EPIPE',
  'ENOENT',
  'EAI_AGAIN',
]);
const LOST_CONNECTION =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|connection lost|cannot use a pool after calling end/i;

/** Two transactions were in each other's way; doing it again is right. */
export function isSerializationFailure(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code;
  return code === '40P01' || code === '40001';
}

/**
 * A driver error as the domain knows it: `unavailable` when trying again helps, `input.invalid` for text that PostgreSQL
 * cannot hold, else left as it is (internal).
 */
export function translateError(error: unknown): unknown {
  if (error instanceof AppError) return error;
  if (isSerializationFailure(error)) return unavailable(error);
  if (!(error instanceof Error)) return error;
  const { code } = error as { code?: unknown };
  if (code === '22021') return invalidInput('Text holds a NUL character');
  if (typeof code === 'string') {
    const lost = UNAVAILABLE_STATES.has(code) || UNAVAILABLE_CODES.has(code) || code.startsWith('08');
    return lost ? unavailable(error) : error;
  }
  return LOST_CONNECTION.test(error.message) ? unavailable(error) : error;
}
