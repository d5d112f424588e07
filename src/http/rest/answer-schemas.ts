import { dataSchema, keysOf } from './document-schema.ts';
import { inlineFragments } from './inline-fragments.ts';
import type { JsonSchema } from './json-schema.ts';
import { restSchema } from './rest-schema.ts';
import type { Route } from './route.ts';
import { ROUTES } from './routes.ts';

const KEYS = keysOf(restSchema);

/** The schema of the body of a row with status 200, computed from its document and its answer. */
export function answerSchema({ document, answer }: Route): JsonSchema {
  const { isOptional: _, ...schema } = answer.schema(dataSchema(inlineFragments(document), restSchema, KEYS));
  return schema;
}

/** The schema of the body of the row of an operation. */
export function answerOf(operation: string): JsonSchema {
  return answerSchema(ROUTES.find((route) => route.operation === operation)!);
}
