import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { parseJson } from '@vouchgraph/platform/json';
import { LIMITS } from '@vouchgraph/platform/limits';
import { readText } from '@vouchgraph/rest';

/** Document, variables and operation that a request names. */
export type GraphQLParameters = {
  query: string;
  operationName: string | undefined;
  variables: Record<string, unknown> | undefined;
};

/** A body in which an empty name of an operation, which some clients send, is none. */
export function withoutEmptyName(body: unknown): unknown {
  return isObject(body) && body.operationName === '' ? { ...body, operationName: undefined } : body;
}

/** The parameters of a body, whose other keys are ignored. Throws `graphql.invalid` if it is not well-formed. */
export function parametersOf(body: unknown): GraphQLParameters {
  if (body === undefined) throw malformed('POST body sent invalid JSON.');
  if (Array.isArray(body)) throw malformed('Batching is not supported.');
  if (!isObject(body)) throw malformed(`POST body is expected to be object but received ${nameOf(body)}`);
  const { query, variables, operationName, extensions } = body;
  if (query == null) throw malformed('Must provide query string.');
  if (typeof query !== 'string')
    throw malformed(`Expected "query" param to be a string, but given ${nameOf(query)}.`);
  if (operationName != null && typeof operationName !== 'string')
    throw malformed('Expected "operationName" param to be empty or a string.');
  requireObject('extensions', extensions);
  return {
    query,
    operationName: operationName ?? undefined,
    variables: requireObject('variables', variables),
  };
}

/**
 * The parameters of a GET as a body has them, without others, which are ignored as unknown keys of a body. Throws `input.invalid`
 * for a parameter that is repeated or is not JSON.
 */
export function valuesOfQuery(query: URLSearchParams): Record<string, unknown> {
  const json = (name: string) => {
    const text = readText(query, name);
    if (text === '') return undefined;
    const value = parseJson(text, LIMITS.requestBodyDepth);
    if (value === undefined) throw invalidInput(`${name}: must be JSON`);
    return value;
  };
  return {
    query: query.has('query') ? readText(query, 'query') : undefined,
    documentId: query.has('documentId') ? readText(query, 'documentId') : undefined,
    operationName: readText(query, 'operationName') || undefined,
    variables: json('variables'),
    extensions: json('extensions'),
  };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function requireObject(name: string, value: unknown): Record<string, unknown> | undefined {
  if (value == null) return undefined;
  if (isObject(value)) return value;
  throw malformed(`Expected "${name}" param to be empty or an object, but given ${nameOf(value)}.`);
}

function nameOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function malformed(message: string): AppError {
  return new AppError('graphql.invalid', 'invalid_input', message);
}
