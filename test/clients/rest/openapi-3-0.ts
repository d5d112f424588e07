type Json = null | boolean | number | string | Json[] | JsonObject;
export type JsonObject = { [name: string]: Json };

const isObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const mapValues = (object: JsonObject, convert: (value: Json, name: string) => Json): JsonObject =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, convert(value, name)]));

/** Keywords of OpenAPI 3.1 that 3.0 lacks, and that change no type. */
const DROPPED = new Set(['examples', 'propertyNames']);

function convertPart(value: Json, name: string): Json {
  if (name === 'properties' && isObject(value)) return mapValues(value, convertSchema);
  if (Array.isArray(value) && ['anyOf', 'allOf', 'oneOf'].includes(name)) return value.map(convertSchema);
  return ['items', 'additionalProperties'].includes(name) ? convertSchema(value) : value;
}

/**
 * `null` among the types becomes `nullable`, and a constant text an enumeration of one value. Generators for
 * 3.0 have no unions and no boolean enumerations: a union is a value of any type, unless its variants have one
 * type.
 */
function convertSchema(schema: Json): Json {
  if (!isObject(schema)) return schema;
  const { type, const: constant, anyOf, ...rest } = schema;
  const types = [type ?? []].flat();
  const variants = Array.isArray(anyOf) ? anyOf.filter(isObject) : [];
  const used = variants
    .filter((variant) => variant.type !== 'null')
    .map(convertSchema)
    .filter(isObject);
  const nullable = types.includes('null') || used.length < variants.length;
  const own = variants.length > 0 ? used[0]?.type : types.find((name) => name !== 'null');
  const converted: JsonObject = {
    ...rest,
    ...(nullable && { nullable }),
    ...(used.every((variant) => variant.type === own) && own !== undefined && { type: own }),
    ...(constant !== undefined && { type: typeof constant }),
    ...(typeof constant === 'string' && { enum: [constant] }),
  };
  const result = Object.fromEntries(
    Object.entries(converted)
      .filter(([name]) => !DROPPED.has(name))
      .map(([name, part]) => [name, convertPart(part, name)]),
  );
  if (used.length !== 1) return result;
  // Siblings of a reference are ignored.
  return '$ref' in used[0]! ? { ...result, allOf: used } : { ...used[0], ...result };
}

/** Schemas of parameters, bodies and answers, wherever they are. */
function convertSchemasIn(value: Json): Json {
  if (Array.isArray(value)) return value.map(convertSchemasIn);
  if (!isObject(value)) return value;
  return mapValues(value, (part, name) => {
    if (name === 'example' || name === 'examples') return part;
    return name === 'schema' ? convertSchema(part) : convertSchemasIn(part);
  });
}

/** An OpenAPI 3.1 document converted to 3.0, without webhooks, which 3.0 lacks. */
export function convertToOpenApi30({ webhooks, ...document }: JsonObject): JsonObject {
  const { schemas, ...components } = document.components as JsonObject;
  const { identifier, ...license } = (document.info as JsonObject).license as JsonObject;
  return {
    ...(convertSchemasIn({ ...document, components: {} }) as JsonObject),
    openapi: '3.0.3',
    info: { ...(document.info as JsonObject), license },
    components: {
      ...(convertSchemasIn(components) as JsonObject),
      schemas: mapValues(schemas as JsonObject, convertSchema),
    },
  };
}
