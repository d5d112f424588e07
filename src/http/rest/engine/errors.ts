import { OF_SAME_ARGUMENTS, OF_SAME_QUERY } from '@vouchgraph/platform/cursor';
import { AppError, type ErrorKind, STATUS_OF_KIND } from '@vouchgraph/platform/errors';
import { codeOfStatus, type HttpAnswer, HttpError, jsonAnswer } from '@vouchgraph/platform/http';
import { snakeCase } from '@vouchgraph/platform/letter-case';
import type { GraphQLError } from 'graphql';

/**
 * Statuses where the documented interface differs from the usual one of a kind: an unknown object is a 400.
 */
const REST_STATUS: Partial<Record<ErrorKind, number>> = { not_found: 400 };

function statusOf(kind: ErrorKind): number {
  return REST_STATUS[kind] ?? STATUS_OF_KIND[kind];
}

/** Conflicts of a list's change are a 400 as well. */
const STATUS_OF_CODE: Readonly<Record<string, number>> = { 'list.already_exists': 400, 'list.in_use': 400 };

/** The envelope of accounts, sessions, lists and phones. */
export function errorAnswer(status: number, message: string, headers?: HttpAnswer['headers']): HttpAnswer {
  return envelope({ status, code: codeOfStatus(status), message, headers });
}

/**
 * Any error as the documented envelope. Unknown errors are internal and disclose nothing. `status` replaces the default
 * status of the error's kind.
 */
export function presentRestError(error: unknown, status?: number): HttpAnswer {
  const refusal = error instanceof AppError ? refusalOf(error) : INTERNAL;
  return envelope(status === undefined ? refusal : { ...refusal, status });
}

/** An error before it is put into the envelope of its family. */
type Refusal = { status: number; code: string; message: string; headers?: HttpAnswer['headers'] };

const INTERNAL: Refusal = { status: 500, code: codeOfStatus(500), message: 'Internal server error' };

/** Documented keys first, then the code. */
function envelope({ status, message, code, headers }: Refusal): HttpAnswer {
  return jsonAnswer(status, { statusCode: status, message, code }, headers);
}

/** Reason of a 401 whose message names what to send instead. Other reasons are in the code: the message is documented. */
const NAMED_REASON = 'auth.key_as_token';

function refusalOf(error: AppError): Refusal {
  const { code } = error;
  const message = documentedMessage(error) ?? error.message;
  if (error instanceof HttpError) return { status: error.status, code, message, headers: error.headers };
  return { status: statusOf(error.kind), code, message, headers: retryAfter(error.retryAfterSeconds) };
}

/** The message of a 401 and of a 429 that REST clients know; null for other errors. GraphQL has the details. */
function documentedMessage({ code, kind }: AppError): string | null {
  if (kind === 'unauthenticated') return code === NAMED_REASON ? null : 'Unauthorized';
  return code === 'rate_limit.exceeded' ? 'Too Many Requests' : null;
}

function retryAfter(seconds: number | undefined): HttpAnswer['headers'] {
  return seconds ? { 'retry-after': String(seconds) } : undefined;
}

/** Values of `error` in a 400 below /liveness. */
export const LIVENESS_ERRORS = [
  'session_not_found',
  'session_not_started',
  'session_not_valid_for_this_endpoint',
  'session_not_complete',
  'liveness_check_failed',
  'id_scan_not_complete',
  'id_scan_failed',
  'invalid_simulated_session',
  'account_not_found',
  'account_not_enrolled',
  'account_already_enrolled',
  'session_already_tied_to_an_account',
  'session_older_than_30_days',
  'redirect_not_allowed',
  'referring_session_not_found',
  'invalid_request',
] as const;

/** The word for an error's code: `invalid_request` where no other one fits. */
export function livenessErrorOf(code: string): (typeof LIVENESS_ERRORS)[number] {
  const name = code.replace(/^verification\./, '').replace('.', '_');
  return LIVENESS_ERRORS.find((each) => each === name) ?? 'invalid_request';
}

/** An error of a route in the envelope of its family. */
export function presentRouteError(
  path: string,
  error: AppError | GraphQLError,
  requestId: string,
): HttpAnswer {
  const refusal = error instanceof AppError ? refusalOf(error) : refusalOfExecution(error);
  const { status, code, message } = refusal;
  if (path === '/email' || path.startsWith('/email/'))
    return status === 400
      ? jsonAnswer(400, { statusCode: 400, error: 'Bad Request', message, code })
      : envelope(refusal);
  if (!path.startsWith('/liveness/')) return envelope(refusal);
  // Errors that prevent a verification are a 400, whatever their kind.
  if (status !== 400 && !code.startsWith('verification.')) return envelope(refusal);
  const word = livenessErrorOf(code);
  return jsonAnswer(400, { request_id: requestId, success: false, error: word, message, code });
}

/** An error of the schema under the names of REST. */
function refusalOfExecution(error: GraphQLError): Refusal {
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
  if (status === 500) return INTERNAL;
  const message = isUnknownList(code, inputPath)
    ? 'List not found.'
    : inputPath
      ? renamed(error.message, inputPath)
      : error.message;
  return { status, code: restCode(code), message, headers: retryAfter(retryAfterSeconds) };
}

/** Whether REST has a documented message for an unknown list. It has none for the target of a move. */
function isUnknownList(code: string, inputPath?: readonly (string | number)[]): boolean {
  return code === 'list.not_found' && inputPath?.at(-1) !== 'targetList';
}

/** REST knows no documents: a value that does not fit its type is input. */
function restCode(code: string): string {
  return code === '' || code.startsWith('graphql.') ? 'input.invalid' : code;
}

/** `input.account.firstName: …` becomes `account.first_name: …`. */
function renamed(message: string, path: readonly (string | number)[]): string {
  // The message names the field from the input of the service down, which can be a part of the field's input.
  const start = path.findIndex((_, index) => message.startsWith(`${path.slice(index).join('.')}: `));
  if (start < 0) return message;
  const named = path.slice(start);
  const text = message.slice(`${named.join('.')}: `.length);
  // On REST the path and its query parameters are the query: its documented message names no arguments.
  return `${restPath(named)}: ${text === OF_SAME_ARGUMENTS ? OF_SAME_QUERY : text}`;
}

/** What groups the inputs of the schema and no body of REST. */
const GROUPS: readonly PropertyKey[] = ['input', 'facts', 'simulated'];

export function restPath(path: readonly PropertyKey[]): string {
  // The argument for the position of a page is the query parameter `cursor` on REST.
  if (path.length === 1 && path[0] === 'after') return 'cursor';
  const start = path.findIndex((part) => !GROUPS.includes(part));
  return path
    .slice(Math.max(start, 0))
    .map((part) => snakeCase(String(part)))
    .join('.');
}
