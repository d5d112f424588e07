export {
  always,
  at,
  checked,
  each,
  either,
  extended,
  type FieldParts,
  field,
  fields,
  lowerCase,
  named,
  object,
  of,
  own,
  type Part,
  partsOf,
  propertyOf,
} from './answer-parts.ts';
export { bodyFrom } from './body-from.ts';
export { readFlag } from './boolean-parameters.ts';
export { compileDocuments } from './compile-documents.ts';
export { answerSchema, compileRoute } from './compile-route.ts';
export { keysOf, wholeSchema } from './document-schema.ts';
export { documentedSchema } from './documented-schema.ts';
export { type DocumentedErrors, envelope, errorAnswer, refusalOf, refusalOfExecution } from './errors.ts';
export {
  arrayOf,
  boolean,
  component,
  constant,
  count,
  described,
  type JsonSchema,
  nullable,
  omit,
  openWords,
  optional,
  type Properties,
  pick,
  required,
  score,
  text,
  timestamp,
  uuid,
  words,
} from './json-schema.ts';
export { type Matched, routeMatcher } from './match-route.ts';
export { pathParameters, queryParameters } from './openapi-parameters.ts';
export { pageLimit, readText, rejectUnknown } from './query.ts';
export type { RestForm } from './rest-form.ts';
export { type DocumentRoute, found } from './route.ts';
export { createSchemaComponents, reference, type SchemaComponents } from './schema-components.ts';
