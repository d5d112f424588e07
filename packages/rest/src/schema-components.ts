import { z } from 'zod';
import type { JsonSchema } from './json-schema.ts';

type Plain = Record<string, unknown>;

/** Schemas of an OpenAPI document: each object is a component, which others refer to. */
export type SchemaComponents = ReturnType<typeof createSchemaComponents>;

/** Collects the components of an OpenAPI document. `existing`: components that are written by hand. */
export function createSchemaComponents(existing: Readonly<Record<string, Plain>>) {
  const schemas: Record<string, Plain> = { ...existing };

  /** Adds the components of a schema of a response or a webhook, and returns the schema with references. */
  function answer(schema: JsonSchema): Plain {
    const { component, isOptional: _, properties, description, ...rest } = schema;
    const about = description === undefined ? {} : { description };
    if (component === undefined) return { ...(partsOf(rest) as Plain), ...about };
    addOnce(component, {
      ...rest,
      properties: partsOf(properties),
      required: Object.entries(properties!).flatMap(([key, { isOptional }]) => (isOptional ? [] : [key])),
    });
    return { ...reference(component), ...about };
  }

  function partsOf(value: unknown): unknown {
    if (Array.isArray(value)) return value.map(partOf);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, partOf(part)]));
  }

  function partOf(part: unknown): unknown {
    const isObject = typeof part === 'object' && part !== null && !Array.isArray(part);
    return isObject ? answer(part as JsonSchema) : partsOf(part);
  }

  function addOnce(name: string, schema: Plain): void {
    const known = schemas[name];
    if (known && JSON.stringify(known) !== JSON.stringify(schema))
      throw new Error(`openapi.json: two objects of different shapes are the component ${name}`);
    schemas[name] = schema;
  }

  /** Adds the components of the body of a request and returns the schema with references. */
  function add(shape: z.ZodType): Plain {
    // A schema with an id is a component as a part of another one only.
    const { $defs = {}, properties } = z.toJSONSchema(z.object({ root: shape }), {
      io: 'input',
      unrepresentable: 'any',
      target: 'draft-2020-12',
      override: ({ jsonSchema }) => openObject(jsonSchema as Plain),
    });
    for (const [name, schema] of Object.entries($defs)) schemas[name] = toComponents(schema as Plain);
    return toComponents(properties!.root as Plain);
  }

  return {
    schemas,
    reference,
    answer,
    /** A reference to the body of a request, which is the component `name` unless it has another name. */
    request(shape: z.ZodType, name: string): { schema: Plain; example: unknown } {
      const { id = name } = (shape.meta() ?? {}) as { id?: string };
      const added = add(shape);
      const { example, ...schema } = id === name ? added : schemas[id]!;
      schemas[id] = schema;
      return { schema: reference(id), example: example ?? shape.meta()?.example };
    },
  };
}

/** Reference to a component of the document. */
export function reference(name: string): Plain {
  return { $ref: `#/components/schemas/${name}` };
}

/** Keys can be added to objects at any time, so clients must ignore unknown ones. */
function openObject(schema: Plain): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

function toComponents(schema: Plain): Plain {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
