import type { DocumentRoute, QueryParameter } from './route.ts';

/* Parameters of a row, as OpenAPI describes them. */

/** The parameters of a path, with their descriptions by name. */
export function pathParameters(path: string, descriptions: Readonly<Record<string, string>>) {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
    description: descriptions[name!],
  }));
}

/** Types of parameters that are not types of JSON Schema. */
const TYPES: Partial<Record<QueryParameter['type'], string>> = { exclusion: 'boolean', list: 'string' };

/** Query parameters of a route in the form of OpenAPI. */
export function queryParameters(query: DocumentRoute<unknown, unknown, unknown, never>['query']) {
  return Object.entries(query).map(([name, parameter]) => ({
    name,
    in: 'query',
    required: false,
    schema: { type: TYPES[parameter.type] ?? parameter.type },
    description: descriptionOf(parameter),
  }));
}

/** Information for generated clients that the type does not contain. */
function descriptionOf({ type, description }: QueryParameter): string {
  if (type !== 'boolean') return description;
  return (
    `${description} Accepts true, 1, yes, false, 0 and no in any case. Empty: absent. Other values are a ` +
    '400.'
  );
}
