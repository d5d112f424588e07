import { PothosValidationError } from '@pothos/core';
import { AppError, boundedMessage, STATUS_OF_KIND } from '@vouchgraph/platform/errors';
import type { Logger } from '@vouchgraph/platform/logger';
import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql';
import { boundedPath, type InputPath, pathOfValue, placeInput } from './input-path.ts';

/**
 * Public form of errors for GraphQL clients. Errors of the domain keep their code and public message. Errors of GraphQL
 * itself about a document are kept, with a code. All others are logged with their cause and returned as internal. With the
 * document, errors of the input have their path in it.
 */
export function presentError(
  error: unknown,
  log: Logger,
  requestId: string,
  document?: DocumentNode,
): GraphQLError {
  const located = error instanceof GraphQLError ? error : undefined;
  const original = unwrap(error);
  if (original instanceof AppError) {
    if (original.kind === 'internal' || original.kind === 'unavailable') {
      log.error({ requestId, code: original.code, err: original.cause ?? original }, 'request failed');
    }
    return new GraphQLError(original.message, {
      nodes: located?.nodes,
      path: located?.path,
      extensions: extensionsOf(original, located, document),
    });
  }
  if (original instanceof PothosValidationError) return withCode(original, 'graphql.invalid');
  if (original instanceof GraphQLError) return withCode(original, 'graphql.invalid', document);
  log.error({ requestId, err: original }, 'unexpected error');
  return new GraphQLError('Unexpected error', {
    nodes: located?.nodes,
    path: located?.path,
    extensions: { code: 'service.internal', kind: 'internal', status: 500 },
  });
}

function extensionsOf(error: AppError, located?: GraphQLError, document?: DocumentNode) {
  const { inputPath, details, retryAfterSeconds } = error;
  const place = inputPath && located && document ? placeInput(located, inputPath, document) : inputPath;
  return {
    ...error.extensions,
    code: error.code,
    kind: error.kind,
    status: STATUS_OF_KIND[error.kind],
    ...(place ? { inputPath: boundedPath(place) } : {}),
    ...(details ? { details } : {}),
    ...(retryAfterSeconds ? { retryAfterSeconds } : {}),
  };
}

/**
 * The error inside GraphQL's wrappers. An error in a value (wrapped once more per variable) keeps its outermost form, which
 * contains the path of the value.
 */
function unwrap(error: unknown): unknown {
  let current = error;
  while (current instanceof GraphQLError && current.originalError) current = current.originalError;
  const isOwn = current instanceof AppError || current instanceof PothosValidationError;
  return current instanceof GraphQLError && !isOwn ? error : current;
}

/** Codes of Apollo's protocol for persisted queries, which clients compare with: they send the text after them. */
const PERSISTED_QUERY_CODES: ReadonlySet<unknown> = new Set([
  'PERSISTED_QUERY_NOT_FOUND',
  'PERSISTED_QUERY_NOT_SUPPORTED',
]);

/** Whether an error is part of that protocol, whose clients expect it with status 200. */
export function isPersistedQueryError(error: unknown): boolean {
  return error instanceof AppError && PERSISTED_QUERY_CODES.has(error.code);
}

/** Our own codes contain a dot. They replace codes of libraries, so that every transport reports an error alike. */
function withCode(error: GraphQLError, code: string, document?: DocumentNode): GraphQLError {
  const { code: known, http } = error.extensions as { code?: unknown; http?: { status?: number } };
  if (PERSISTED_QUERY_CODES.has(known) || (typeof known === 'string' && known.includes('.'))) return error;
  const exceeded = exceededLimit(error.message);
  const inputPath = document && pathOfValue(error, document);
  const message = exceeded?.message ?? boundedMessage(withoutPersonalData(error));
  return new GraphQLError(inputPath ? withField(message, inputPath) : message, {
    nodes: error.nodes,
    source: error.source,
    positions: error.positions,
    path: error.path,
    extensions: {
      ...error.extensions,
      code,
      ...exceeded?.extensions,
      kind: 'invalid_input',
      status: http?.status ?? 400,
      ...(inputPath ? { inputPath: boundedPath(inputPath) } : {}),
    },
  });
}

/** The text of a scalar of ours for a value of the document, after the path of the value. In a variable GraphQL states the path. */
function withField(message: string, inputPath: InputPath): string {
  return message.startsWith('must be ') ? `${boundedPath(inputPath).join('.')}: ${message}` : message;
}

const EXCEEDED_LIMIT =
  /^Syntax Error: (Query depth|Aliases|Directives|Token) limit of (\d+) exceeded, found (\d+)\.$/;
const LIMITED: Readonly<Record<string, string>> = {
  'Query depth': 'levels',
  Aliases: 'aliases',
  Directives: 'directives',
  Token: 'tokens',
};

/** GraphQL Armor reports a document beyond a limit as a syntax error. */
function exceededLimit(message: string) {
  const [, what = '', limit, found] = EXCEEDED_LIMIT.exec(message) ?? [];
  const unit = LIMITED[what];
  if (unit === undefined) return null;
  const depth = what === 'Query depth' ? { code: 'graphql.too_deep', depth: Number(found) } : {};
  return {
    message: `The query has ${found} ${unit}, the limit is ${limit}`,
    extensions: { limit: Number(limit), ...depth },
  };
}

/** A variable of which GraphQL quotes an object or a list, with all values next to the invalid one. */
const QUOTES_OBJECT = /^Variable "[^"]*" got invalid value [{[]/;
const CONCERNS_ID_NUMBERS = /\b(identifiers|idNumber|IdNumber(Input|Type|Value))\b/;

/**
 * GraphQL quotes a value that does not fit its type, with all values next to it. Personal data must not appear in a
 * response or a log: the variable, the path in it and the reason remain. Id numbers are not quoted either.
 */
function withoutPersonalData({ message, originalError }: GraphQLError): string {
  if (!CONCERNS_ID_NUMBERS.test(message) && !QUOTES_OBJECT.test(message)) return message;
  const quoting = /^Variable "[^"]*" got invalid value/.exec(message)?.[0];
  if (quoting === undefined || !originalError) return withoutQuotedNumber(message);
  const reason = originalError.message;
  const place = / at "[^"]*"$/.exec(message.slice(0, -`; ${reason}`.length))?.[0] ?? '';
  return `${quoting}${place}; ${withoutQuotedNumber(reason)}`;
}

/** The number where an object is expected, or in the place of the type. */
function withoutQuotedNumber(reason: string): string {
  return reason
    .replace(/^(Expected (?:value of )?type "[^"]*"[^,]*), found [{[][\s\S]*$/, '$1.')
    .replace(/^(\w+ cannot represent [^:]*): [{[][\s\S]*$/, '$1.')
    .replace(/^(Expected value of type "[^"]*\bIdNumberInput\b[^"]*"), found [\s\S]*$/, '$1.')
    .replace(/^Value "[\s\S]*" (does not exist in "IdNumberType" enum\.)/, 'Value $1')
    .replace(/^(Enum "IdNumberType" cannot represent [a-z-]+ value): [\s\S]*$/, '$1.');
}

/** Whether a root field of a result has a value. Without any, a failure of the service decides the status. */
export function hasValue({ data }: { data?: unknown }): boolean {
  return Object.values(data ?? {}).some((value) => value !== null);
}

/** Time after which the client should retry, from our own errors. */
export function retryHeaders(
  extensions: Record<string, unknown> | undefined,
): Record<string, string> | undefined {
  const seconds = extensions?.retryAfterSeconds;
  return typeof seconds === 'number' ? { 'retry-after': String(seconds) } : undefined;
}

/** A result with its errors in public form. */
export function presentResult(
  result: ExecutionResult,
  log: Logger,
  requestId: string,
  document: DocumentNode,
): ExecutionResult {
  if (!result.errors) return result;
  const errors: GraphQLError[] = result.errors.map((error) => presentError(error, log, requestId, document));
  return result.data === undefined ? { errors } : { ...result, errors };
}
