import { knownAccountIdShape } from '@vouchgraph/platform/account-id';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { type HttpAnswer, jsonAnswer, methodNotAllowed } from '@vouchgraph/platform/http';
import { readInput } from '@vouchgraph/platform/input-shape';
import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql';
import type { AnswerMeta } from './engine/answer-parts.ts';
import { presentRouteError, restPath } from './engine/errors.ts';
import { inlineFragments } from './engine/inline-fragments.ts';
import { readQuery } from './engine/query.ts';
import { restSchema } from './engine/rest-schema.ts';
import type { Route } from './engine/route.ts';
import { valueForms } from './engine/value-forms.ts';
import { ROUTES } from './routes/routes.ts';

export type MatchedRoute = {
  route: Route;
  params: Record<string, string>;
  /** The row for a request without a body, if this one is only for requests with a body. */
  withoutBody: MatchedRoute | null;
};

type Pattern = { route: Route; segments: readonly string[] };
const PATTERNS: readonly Pattern[] = ROUTES.map((route) => ({
  route,
  segments: route.path.split('/').slice(1),
}));

/** The rows' documents as they are run. */
const DOCUMENTS = new Map(ROUTES.map((route) => [route, inlineFragments(route.document)]));

const VALUE_FORMS = new Map(ROUTES.map((route) => [route, valueForms(DOCUMENTS.get(route)!, restSchema)]));

/** Documented response body from the data of a row's document. */
export function presentData(route: Route, data: unknown, meta: AnswerMeta): unknown {
  VALUE_FORMS.get(route)!(data as Record<string, unknown>);
  return route.answer.value(data, meta);
}

/** Rows whose body may be an empty object. */
const WITHOUT_REQUIRED_FIELD = new Set(ROUTES.filter(({ body }) => body?.safeParse({}).success));

/**
 * The row for a method and path; null for an unknown path; throws 405 when only the method is wrong. A slash at the end is
 * part of the path: URL libraries remove dot segments, so that `/list/x/account/..` arrives as `/list/x/`.
 */
export function matchRoute(method: string, path: string): MatchedRoute | null {
  const segments = path.split('/').slice(1);
  const allowed = new Set<string>();
  let matched: MatchedRoute | null = null;
  for (const pattern of PATTERNS) {
    const params = matchSegments(pattern.segments, segments);
    if (!params) continue;
    const { route } = pattern;
    // The body of an answer to HEAD is left out where it is sent.
    if (route.method === method || (method === 'HEAD' && isReading(route))) {
      if (matched) return { ...matched, withoutBody: { route, params, withoutBody: null } };
      matched = { route, params, withoutBody: null };
      if (!route.requiresBody) return matched;
    }
    allowed.add(route.method);
    if (isReading(route)) allowed.add('HEAD');
  }
  if (matched) return matched;
  if (allowed.size === 0) return null;
  throw methodNotAllowed([...allowed, 'OPTIONS'].sort());
}

function isReading({ method, creates }: Route): boolean {
  return method === 'GET' && creates !== true;
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index]!;
    if (!expected.startsWith('{')) {
      if (expected !== segment) return null;
    } else {
      const value = decode(segment);
      if (value === null || value === '') return null;
      params[expected.slice(1, -1)] = value;
    }
  }
  return params;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}

/** Runs a checked document with variables; set by the composition root. */
export type RunDocument = (document: DocumentNode, variables: unknown) => Promise<ExecutionResult>;

/** The answer of a row: shapes checked, its document run, its data or its error presented. */
export async function answerRoute(
  { route, params }: MatchedRoute,
  query: URLSearchParams,
  body: unknown,
  meta: AnswerMeta,
  run: RunDocument,
): Promise<HttpAnswer> {
  try {
    checkAccountId(params);
    const request = { params, ...readQuery(route, query), body: checkBody(route, body) };
    const result = await run(DOCUMENTS.get(route)!, route.variables(request));
    const error = result.errors?.[0];
    if (error) throw route.explain?.(request, error.extensions.code) ?? error;
    return jsonAnswer(200, presentData(route, result.data, meta));
  } catch (error) {
    if (!(error instanceof AppError || error instanceof GraphQLError)) throw error;
    return presentRouteError(route.path, error, meta.requestId);
  }
}

/** Names the id of a path also where the schema answers it like an unknown one. */
function checkAccountId({ account_id }: Readonly<Record<string, string>>): void {
  if (account_id !== undefined) readInput(knownAccountIdShape, account_id, 'account_id');
}

function checkBody(route: Route, sent: unknown): unknown {
  if (!route.body) return undefined;
  // Some languages serialize an empty map as an empty array.
  const isEmptyArray = Array.isArray(sent) && sent.length === 0;
  const body = isEmptyArray && WITHOUT_REQUIRED_FIELD.has(route) ? {} : sent;
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidInput('Body must be a JSON object');
  }
  const parsed = route.body.safeParse(body);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0]!;
  const path = restPath(issue.path);
  const isMissing = issue.code === 'invalid_type' && valueAt(body, issue.path) === undefined;
  const message = isMissing ? 'required' : issue.message;
  throw invalidInput(path === '' ? message : `${path}: ${message}`);
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (value as Record<PropertyKey, unknown> | undefined)?.[part],
    body,
  );
}
