import { knownAccountIdShape } from '@vouchgraph/platform/account-id';
import { AppError } from '@vouchgraph/platform/errors';
import { type HttpAnswer, jsonAnswer } from '@vouchgraph/platform/http';
import { readInput } from '@vouchgraph/platform/input-shape';
import { compileRoute, type Matched, routeMatcher } from '@vouchgraph/rest';
import { type DocumentNode, type ExecutionResult, GraphQLError } from 'graphql';
import { GROUPS, presentRouteError } from './errors.ts';
import { restSchema } from './rest-schema.ts';
import type { AnswerMeta, Route } from './route.ts';
import { ROUTES } from './routes/routes.ts';

export type MatchedRoute = Matched<Route>;

/** The row for a method and path; null for an unknown path; throws 405 when only the method is wrong. */
export const matchRoute = routeMatcher(ROUTES);

const COMPILED = new Map(ROUTES.map((route) => [route, compileRoute(route, restSchema, GROUPS)]));

/** Documented response body from the data of a row's document. */
export function presentData(route: Route, data: unknown, meta: AnswerMeta): unknown {
  return COMPILED.get(route)!.present(data, meta);
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
    const { document, readRequest } = COMPILED.get(route)!;
    const request = readRequest(params, query, body);
    const result = await run(document, route.variables(request));
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
