import { invalidInput } from '@vouchgraph/platform/errors';
import { parseJson } from '@vouchgraph/platform/json';
import { LIMITS } from '@vouchgraph/platform/limits';
import { readText } from '../rest/engine/query.ts';

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

/** The parameters of a body; null when it is not well-formed, which Yoga explains. */
export function parametersOf(body: unknown): GraphQLParameters | null {
  if (!isObject(body)) return null;
  const { query, variables, operationName, extensions } = body;
  const isNamed = operationName == null || typeof operationName === 'string';
  if (typeof query !== 'string' || !isObjectOrAbsent(variables) || !isNamed) return null;
  if (!isObjectOrAbsent(extensions)) return null;
  return { query, operationName: operationName ?? undefined, variables: variables ?? undefined };
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

function isObjectOrAbsent(value: unknown): value is Record<string, unknown> | null | undefined {
  return value == null || isObject(value);
}
