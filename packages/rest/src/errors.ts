import { OF_SAME_ARGUMENTS, OF_SAME_QUERY } from '@vouchgraph/platform/cursor';
import { AppError, type ErrorKind, STATUS_OF_KIND } from '@vouchgraph/platform/errors';
import { codeOfStatus, type HttpAnswer, HttpError, jsonAnswer } from '@vouchgraph/platform/http';
import { snakeCase } from '@vouchgraph/platform/letter-case';
import type { GraphQLError } from 'graphql';

/** What an interface documents about its errors. */
export type DocumentedErrors = {
  /** Statuses that differ from the usual ones, by code. */
  readonly statusOfCode: Readonly<Record<string, number>>;
  /** Codes of a 401 whose message names what to send instead. Other reasons are in the code: the message is documented. */
  readonly namedReasons: readonly string[];
  /** Names that group the inputs of the schema and are no key of a body. */
  readonly groups: readonly PropertyKey[];
  /** The documented message of an error of the schema; null for that of the schema. */
  messageOf(code: string, inputPath: readonly (string | number)[] | undefined): string | null;
};

/**
 * Statuses where the documented interface differs from the usual one of a kind: an unknown object is a 400.
 */
const REST_STATUS: Partial<Record<ErrorKind, number>> = { not_found: 400 };

function statusOf(kind: ErrorKind): number {
  return REST_STATUS[kind] ?? STATUS_OF_KIND[kind];
}

/** The common envelope of an error that the server itself answers. */
export function errorAnswer(status: number, message: string, headers?: HttpAnswer['headers']): HttpAnswer {
  return envelope({ status, code: codeOfStatus(status), message, headers });
}

/** An error before it is put into an envelope. */
export type Refusal = { status: number; code: string; message: string; headers?: HttpAnswer['headers'] };

const INTERNAL: Refusal = { status: 500, code: codeOfStatus(500), message: 'Internal server error' };

/** The common envelope: documented keys first, then the code. */
export function envelope({ status, message, code, headers }: Refusal): HttpAnswer {
  return jsonAnswer(status, { statusCode: status, message, code }, headers);
}

/** Any error as a refusal. Unknown errors are internal and disclose nothing. */
export function refusalOf(error: unknown, documented: DocumentedErrors): Refusal {
  if (!(error instanceof AppError)) return INTERNAL;
  const { code } = error;
  const message = documentedMessage(error, documented) ?? error.message;
  if (error instanceof HttpError) return { status: error.status, code, message, headers: error.headers };
  return { status: statusOf(error.kind), code, message, headers: retryAfter(error.retryAfterSeconds) };
}

/** The message of a 401 and of a 429 that REST clients know; null for other errors. GraphQL has the details. */
function documentedMessage({ code, kind }: AppError, { namedReasons }: DocumentedErrors): string | null {
  if (kind === 'unauthenticated') return namedReasons.includes(code) ? null : 'Unauthorized';
  return code === 'rate_limit.exceeded' ? 'Too Many Requests' : null;
}

function retryAfter(seconds: number | undefined): HttpAnswer['headers'] {
  return seconds ? { 'retry-after': String(seconds) } : undefined;
}

/** An error of the schema under the names of REST. */
export function refusalOfExecution(error: GraphQLError, documented: DocumentedErrors): Refusal {
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
  const status = documented.statusOfCode[code] ?? statusOf(kind);
  if (status === 500) return INTERNAL;
  const message =
    documented.messageOf(code, inputPath) ??
    (inputPath ? renamed(error.message, inputPath, documented.groups) : error.message);
  return { status, code: restCode(code), message, headers: retryAfter(retryAfterSeconds) };
}

/** REST knows no documents: a value that does not fit its type is input. */
function restCode(code: string): string {
  return code === '' || code.startsWith('graphql.') ? 'input.invalid' : code;
}

/** `input.account.firstName: …` becomes `account.first_name: …`. */
function renamed(
  message: string,
  path: readonly (string | number)[],
  groups: DocumentedErrors['groups'],
): string {
  // The message names the field from the input of the service down, which can be a part of the field's input.
  const start = path.findIndex((_, index) => message.startsWith(`${path.slice(index).join('.')}: `));
  if (start < 0) return message;
  const named = path.slice(start);
  const text = message.slice(`${named.join('.')}: `.length);
  // On REST the path and its query parameters are the query: its documented message names no arguments.
  return `${restPath(named, groups)}: ${text === OF_SAME_ARGUMENTS ? OF_SAME_QUERY : text}`;
}

/** The keys of an input on REST, without leading `groups`. */
export function restPath(path: readonly PropertyKey[], groups: DocumentedErrors['groups']): string {
  // The argument for the position of a page is the query parameter `cursor` on REST.
  if (path.length === 1 && path[0] === 'after') return 'cursor';
  const start = path.findIndex((part) => !groups.includes(part));
  return path
    .slice(Math.max(start, 0))
    .map((part) => snakeCase(String(part)))
    .join('.');
}
