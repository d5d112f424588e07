/*
 * Schemas of answers and webhooks: JSON Schema with two words of our own, which schema-components.ts resolves.
 * - `component`: the object is a component of openapi.json under this name.
 * - `isOptional`: the key of the object around it may be absent.
 */

export type JsonSchema = Readonly<Record<string, unknown>> & {
  readonly component?: string;
  readonly isOptional?: boolean;
  readonly properties?: Properties;
  readonly items?: JsonSchema;
};
export type Properties = Readonly<Record<string, JsonSchema>>;

export const text: JsonSchema = { type: 'string' };
export const boolean: JsonSchema = { type: 'boolean' };
export const number: JsonSchema = { type: 'number' };
export const score: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
export const count: JsonSchema = { type: 'integer', minimum: 0, examples: [2] };
export const uuid: JsonSchema = {
  type: 'string',
  pattern: '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
  examples: ['01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61'],
};
export const timestamp: JsonSchema = {
  type: 'string',
  pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}\\.\\d{3}Z$',
  examples: ['2025-06-10T16:35:22.184Z'],
};

export const words = (values: readonly string[]): JsonSchema => ({ type: 'string', enum: values });
/** Values of this version in a set that later versions extend. */
export const openWords = (values: readonly string[]): JsonSchema => ({
  type: 'string',
  'x-extensible-enum': values,
});
export const constant = (value: string | boolean): JsonSchema => ({ type: typeof value, const: value });
export const arrayOf = (items: JsonSchema): JsonSchema => ({ type: 'array', items });
export const described = (schema: JsonSchema, description: string): JsonSchema => ({
  ...schema,
  description,
});
export const optional = (schema: JsonSchema): JsonSchema => ({ ...schema, isOptional: true });

const NULL: JsonSchema = { type: 'null' };

export function nullable({ description, isOptional, ...schema }: JsonSchema): JsonSchema {
  const isPlain = typeof schema.type === 'string' && !schema.component && !schema.enum;
  return {
    ...(isPlain ? { ...schema, type: [schema.type, 'null'] } : { anyOf: [schema, NULL] }),
    ...(description === undefined ? {} : { description }),
    ...(isOptional ? { isOptional } : {}),
  };
}

export function isNullable({ type, anyOf }: JsonSchema): boolean {
  return (Array.isArray(type) && type.includes('null')) || (Array.isArray(anyOf) && anyOf.includes(NULL));
}

/** The same schema for a key that is never absent or null. */
export function required(given: JsonSchema): JsonSchema {
  const { isOptional: _, type, anyOf, ...schema } = given;
  if (!isNullable(given)) return { ...(type ? { type } : {}), ...(anyOf ? { anyOf } : {}), ...schema };
  if (Array.isArray(type)) return { ...schema, type: type[0] };
  return { ...(anyOf as readonly JsonSchema[])[0], ...schema };
}

export const component = (name: string, properties: Properties): JsonSchema => ({
  type: 'object',
  component: name,
  properties,
});

/** Some of the properties of an object. Throws for one that it does not have. */
export function pick({ properties = {}, component: name }: JsonSchema, keys: readonly string[]): Properties {
  return Object.fromEntries(
    keys.map((key) => {
      const property = properties[key];
      if (!property) throw new Error(`REST: ${name} has no ${key}`);
      return [key, property];
    }),
  );
}

/** The properties of an object without some of them. */
export function omit({ properties = {} }: JsonSchema, keys: readonly string[]): Properties {
  return Object.fromEntries(Object.entries(properties).filter(([key]) => !keys.includes(key)));
}
