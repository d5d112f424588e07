import { dataSchema, keysOf } from '../engine/document-schema.ts';
import { inlineFragments } from '../engine/inline-fragments.ts';
import type { JsonSchema } from '../engine/json-schema.ts';
import { restSchema } from '../engine/rest-schema.ts';
import type { Route } from '../engine/route.ts';
import { ROUTES } from '../routes/routes.ts';

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
