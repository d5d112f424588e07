import recorded from './openapi-examples.json' with { type: 'json' };

/*
 * Examples of openapi.json, taken from answers of a gateway: tools/docs/print-openapi-examples.ts reads them from the
 * recordings of test/integration/rest/rest-bytes.
 */

type ByStatus = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
type Recorded = {
  shared: Readonly<Record<string, unknown>>;
  operations: Readonly<Record<string, ByStatus>>;
};
const { shared, operations } = recorded as Recorded;

/** The example of an answer with status 200. */
export function answerExample(operation: string): unknown {
  return Object.values(operations[operation]?.['200'] ?? {})[0];
}

/** Examples of errors of an operation with a status, by code. */
export function errorExamples(operation: string, status: string): Record<string, object> | undefined {
  const examples = Object.entries(operations[operation]?.[status] ?? {});
  if (examples.length === 0) return undefined;
  return Object.fromEntries(examples.map(([code, value]) => [code, { value }]));
}

/** An example of an error that is the same for all operations. */
export function sharedExample(status: string): unknown {
  return shared[status];
}
