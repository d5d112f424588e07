import type { GraphQLError } from 'graphql';
import { AppError, type ErrorKind, STATUS_OF_KIND } from '../platform/errors.ts';
import { type HttpAnswer, HttpError, jsonAnswer } from '../platform/http.ts';

/**
 * Statuses where the documented interface differs from what a kind usually means: what is not there is a 400.
 */
const REST_STATUS: Partial<Record<ErrorKind, number>> = { not_found: 400 };

function statusOf(kind: ErrorKind): number {
  return REST_STATUS[kind] ?? STATUS_OF_KIND[kind];
}

/** What stands in the way of a list's change is a 400 as well. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = { 'list.already_exists': 400, 'list.in_use': 400 };

/** The envelope of accounts, sessions, lists and phones. */
export function errorAnswer(status: number, message: string, headers?: HttpAnswer['headers']): HttpAnswer {
  return jsonAnswer(status, { statusCode: status, message }, headers);
}

/** Any error as the documented envelope; what is not known is internal and says nothing. */
export function presentRestError(error: unknown): HttpAnswer {
  if (error instanceof HttpError) return errorAnswer(error.status, error.message, error.headers);
  if (!(error instanceof AppError)) return errorAnswer(500, 'Internal server error');
  const headers = error.retryAfterSeconds ? { 'retry-after': String(error.retryAfterSeconds) } : undefined;
  return errorAnswer(statusOf(error.kind), error.message, headers);
}

/** The envelope of verifications: a documented word where there is one. */
export function presentLivenessError(
  error: AppError | GraphQLError,
  requestId: string,
  usual: () => HttpAnswer,
): HttpAnswer {
  const code = error instanceof AppError ? error.code : String(error.extensions.code ?? '');
  const answer = usual();
  const word = code.startsWith('verification.') ? code.slice('verification.'.length) : null;
  if (word === null && answer.status !== 400) return answer;
  const message = word ?? (JSON.parse(String(answer.body)) as { message: string }).message;
  return jsonAnswer(400, { request_id: requestId, success: false, error: message });
}

/** An error of the schema, told under the names of REST. */
export function presentExecutionError(error: GraphQLError): HttpAnswer {
  const {
    code = '',
    kind = 'invalid_input',
    inputPath,
    retryAfterSeconds,
  } = error.extensions as {
    code?: string;
    kind?: ErrorKind;
    inputPath?: (string | number)[];
    retryAfterSeconds?: number;
  };
  const status = STATUS_OF_CODE[code] ?? statusOf(kind);
  const headers = retryAfterSeconds ? { 'retry-after': String(retryAfterSeconds) } : undefined;
  if (status === 500) return errorAnswer(500, 'Internal server error');
  return errorAnswer(status, inputPath ? renamed(error.message, inputPath) : error.message, headers);
}

/** `input.account.firstName: …` becomes `account.first_name: …`. */
function renamed(message: string, path: readonly (string | number)[]): string {
  const told = `${path.join('.')}: `;
  if (!message.startsWith(told)) return message;
  return `${restPath(path)}: ${message.slice(told.length)}`;
}

/** What groups the inputs of the schema and no body of REST. */
const GROUPS: readonly PropertyKey[] = ['input', 'facts', 'stated'];

export function restPath(path: readonly PropertyKey[]): string {
  const start = path.findIndex((part) => !GROUPS.includes(part));
  return path
    .slice(Math.max(start, 0))
    .map((part) => String(part).replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`))
    .join('.');
}
