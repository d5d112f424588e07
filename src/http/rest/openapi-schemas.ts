import { z } from 'zod';

type JsonSchema = Record<string, unknown>;

/** Schemas of an OpenAPI document: each object is a component, which others refer to. */
export type SchemaComponents = ReturnType<typeof createSchemaComponents>;

export function createSchemaComponents(own: Readonly<Record<string, JsonSchema>>) {
  const schemas: Record<string, JsonSchema> = { ...own };

  /** Adds the components of a schema and returns what is left of it. */
  function add(shape: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // A schema with an id is a component as a part of another one only.
    const { $defs = {}, properties } = z.toJSONSchema(z.object({ root: shape }), {
      io,
      unrepresentable: 'any',
      target: 'draft-2020-12',
      override: ({ jsonSchema }) => openObject(jsonSchema as JsonSchema),
    });
    for (const [name, schema] of Object.entries($defs)) schemas[name] = toComponents(schema as JsonSchema);
    return toComponents(properties!.root as JsonSchema);
  }

  return {
    schemas,
    reference,
    /** A reference to the body of an answer. */
    answer: (shape: z.ZodType): JsonSchema => add(shape, 'output'),
    /** A reference to the body of a request, which is the component `name` unless it has a name of its own. */
    request(shape: z.ZodType, name: string): { schema: JsonSchema; example: unknown } {
      const { id = name } = (shape.meta() ?? {}) as { id?: string };
      const added = add(shape, 'input');
      const { example, ...schema } = id === name ? added : schemas[id]!;
      schemas[id] = schema;
      return { schema: reference(id), example: example ?? shape.meta()?.example };
    },
  };
}

export function reference(name: string): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

/** Keys may be added to objects at any time, so that no client may refuse those that it does not know. */
function openObject(schema: JsonSchema): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
}

function toComponents(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));
}
