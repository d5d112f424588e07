import type { DocumentNode, GraphQLSchema } from 'graphql';
import { dataSchema, type Names } from './document-schema.ts';
import { inlineFragments } from './inline-fragments.ts';
import type { JsonSchema } from './json-schema.ts';
import { readQuery } from './query.ts';
import { bodyCheck } from './request-body.ts';
import type { DocumentRoute, RouteRequest } from './route.ts';
import { valueForms } from './value-forms.ts';

/** What is computed of a row once at start. */
export type CompiledRoute<Meta> = {
  /** The document as it is run. */
  readonly document: DocumentNode;
  /** The request with its parts checked; throws `input.invalid`. */
  readRequest(
    params: Readonly<Record<string, string>>,
    query: URLSearchParams,
    body: unknown,
  ): RouteRequest<unknown>;
  /** Documented response body from the data of the document, which is changed. */
  present(data: unknown, meta: Meta): unknown;
};

/** Compiles a row. `schema` is the documented one, `groups` names what groups inputs of the schema and no body. */
export function compileRoute<Meta>(
  route: DocumentRoute<unknown, unknown, unknown, Meta>,
  schema: GraphQLSchema,
  groups: readonly PropertyKey[],
): CompiledRoute<Meta> {
  const document = inlineFragments(route.document);
  const rewrite = valueForms(document, schema);
  const checkBody = bodyCheck(route.body, groups);
  return {
    document,
    readRequest: (params, query, body) => ({ params, ...readQuery(route, query), body: checkBody(body) }),
    present(data, meta) {
      rewrite(data as Record<string, unknown>);
      return route.answer.value(data, meta);
    },
  };
}

/** The schema of the body of a row with status 200, computed from its document and its answer. */
export function answerSchema(
  { document, answer }: Pick<DocumentRoute<unknown, unknown, unknown, never>, 'document' | 'answer'>,
  schema: GraphQLSchema,
  keys: Names,
): JsonSchema {
  const { isOptional: _, ...made } = answer.schema(dataSchema(inlineFragments(document), schema, keys));
  return made;
}
