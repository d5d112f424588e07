import { keysOf, answerSchema as schemaOfAnswer } from '@vouchgraph/rest';
import { restSchema } from '../rest-schema.ts';
import type { Route } from '../route.ts';
import { ROUTES } from '../routes/routes.ts';

const KEYS = keysOf(restSchema);

/** The schema of the body of a row with status 200. */
export const answerSchema = (route: Route) => schemaOfAnswer(route, restSchema, KEYS);

/** The schema of the body of the row of an operation. */
export function answerOf(operation: string) {
  return answerSchema(ROUTES.find((route) => route.operation === operation)!);
}
