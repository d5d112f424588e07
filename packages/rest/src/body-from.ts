import { checkedShape, namedObject, withoutNull } from '@vouchgraph/platform/input-shape';
import { isJsonObjectShape, jsonObjectShape } from '@vouchgraph/platform/json-object-shape';
import { snakeCase } from '@vouchgraph/platform/letter-case';
import { timestampProblem } from '@vouchgraph/platform/timestamp';
import { z } from 'zod';

/*
 * Bodies of REST from the shapes of inputs: keys in snake_case, timestamps as text, null like absent, unknown keys ignored.
 * A checked body is the input again, in the form of variables of a document. Conditions between several fields are checked
 * by the schema, whose errors name the keys of the body.
 */

/** An input in the form of variables. */
type Sent<Value> = Value extends Date
  ? string
  : Value extends object
    ? { [Key in keyof Value]: Sent<Value[Key]> }
    : Value;

type Exceptions<Input, Omitted extends keyof Input, Extra extends z.ZodRawShape> = {
  /** Fields of the input that the body does not have. */
  readonly omit?: readonly Omitted[];
  /** Keys that are not the name of the field in snake_case, by field, in all objects of the body. */
  readonly names?: Readonly<Record<string, string>>;
  /** Name of the component of an object by the id of its shape; the id by default. */
  readonly component?: (id: string) => string;
  /** Fields whose own fields are keys of the body, with a text before the descriptions of these. */
  readonly groups?: { readonly [Field in keyof Input]?: string };
  /** Keys that are no field of the input. */
  readonly extra?: Extra;
  /** Whether objects inside of the body can be an empty array: some languages serialize an empty map so. */
  readonly emptyArrays?: boolean;
  readonly example?: object;
};

type Read = (value: unknown) => unknown;
type Names = Readonly<Record<string, string>>;
/** A body under construction, with its objects: a component has one shape. */
type Construction = {
  readonly names: Names;
  readonly component: (id: string) => string;
  readonly emptyArrays: boolean;
  readonly objects: Map<z.ZodObject, Part>;
};
type Part = { readonly shape: z.ZodType; readonly read: Read };
type Fields = { readonly fields: Record<string, z.ZodType>; readonly read: Read };

/** The body of an operation that takes an input. */
export function bodyFrom<
  Shape extends z.ZodObject,
  Omitted extends keyof z.output<Shape> = never,
  Extra extends z.ZodRawShape = Record<never, never>,
>(
  input: Shape,
  {
    omit = [],
    names = {},
    component = (id) => id,
    emptyArrays = false,
    groups = {},
    extra,
    example,
  }: Exceptions<z.output<Shape>, Omitted, Extra> = {},
) {
  type Body = Omit<Sent<z.output<Shape>>, Omitted> & z.output<z.ZodObject<Extra>>;
  const { fields, read } = fieldsOf(
    input,
    { names, component, emptyArrays, objects: new Map() },
    omit as readonly string[],
    groups as Names,
  );
  const extraKeys = Object.keys(extra ?? {});
  return z
    .object({ ...extra, ...fields })
    .transform((body) => {
      const others = extraKeys.map((key) => [key, body[key as keyof typeof body]]);
      return { ...Object.fromEntries(others), ...(read(body) as object) } as Body;
    })
    .meta({ example });
}

function fieldsOf(
  object: z.ZodObject,
  made: Construction,
  omit: readonly string[] = [],
  groups: Names = {},
): Fields {
  const shapes: Record<string, z.ZodType> = {};
  const readers: [field: string, key: string | null, read: Read][] = [];
  for (const [field, shape] of Object.entries(object.shape)) {
    if (omit.includes(field)) continue;
    const about = groups[field];
    if (about === undefined) {
      const key = made.names[field] ?? snakeCase(field);
      const part = fieldPart(shape, made);
      shapes[key] = part.shape.describe(descriptionOf(shape));
      readers.push([field, key, part.read]);
    } else {
      const group = fieldsOf(withoutNull(shape) as z.ZodObject, made);
      for (const [key, inner] of Object.entries(group.fields))
        shapes[key] = inner.describe(`${about}${inner.description}`);
      readers.push([field, null, group.read]);
    }
  }
  const read: Read = (body) => {
    const input: Record<string, unknown> = {};
    for (const [field, key, readValue] of readers) {
      const value = key === null ? body : (body as Record<string, unknown>)[key];
      if (value !== undefined) input[field] = value === null ? null : readValue(value);
    }
    return input;
  };
  return { fields: shapes, read };
}

/** REST has the words of an enumeration in lower case. */
function descriptionOf(field: z.ZodType): string {
  const inner = withoutNull(field);
  const words = inner instanceof z.ZodEnum ? inner.options.map(String) : [];
  return words.reduce((text, word) => text.replaceAll(word.toUpperCase(), word), field.description ?? '');
}

const asIs: Read = (value) => value;

function fieldPart(field: z.ZodType, made: Construction): Part {
  const inner = withoutNull(field);
  const { shape, read } = valuePart(inner, made);
  if (inner === field) return { shape, read };
  return { shape: shape === inner ? field : shape.nullish(), read };
}

function valuePart(shape: z.ZodType, made: Construction): Part {
  const checked = checkedShape(shape);
  const object = namedObject(checked);
  if (object) return objectPart(object, made);
  if (checked instanceof z.ZodArray) {
    const element = checked.element as z.ZodType;
    const part = valuePart(element, made);
    if (part.shape === element) return { shape, read: asIs };
    const list = z.core.clone(checked, { ...checked.def, element: part.shape });
    return { shape: list, read: (values) => (values as unknown[]).map(part.read) };
  }
  if (checked instanceof z.ZodDate) return { shape: timestamp, read: asIs };
  if (isJsonObjectShape(checked)) return { shape: anyObject, read: asIs };
  if (checked instanceof z.ZodRecord) return { shape: mapOf(checked), read: asIs };
  if (checked instanceof z.ZodNumber && checked.isInt && checked.minValue === 0)
    return { shape: countUpTo(checked.maxValue), read: asIs };
  return { shape, read: asIs };
}

function objectPart(object: z.ZodObject, made: Construction): Part {
  const known = made.objects.get(object);
  if (known) return known;
  const { id, description } = object.meta() as { id: string; description?: string };
  const { fields, read } = fieldsOf(object, made);
  const shape = z.object(fields).meta({ id: made.component(id), description });
  const part = { shape: made.emptyArrays ? z.preprocess(emptyMap, shape) : shape, read };
  made.objects.set(object, part);
  return part;
}

const timestamp = z.string('must be text').superRefine((value, context) => {
  const problem = timestampProblem(value);
  if (problem) context.addIssue({ code: 'custom', message: problem });
});

/** Some languages serialize an empty map as an empty array. */
const emptyMap = (value: unknown) => (Array.isArray(value) && value.length === 0 ? {} : value);

/** Conditions on the content are left to the schema, since they cost time. */
const anyObject = z.preprocess(emptyMap, jsonObjectShape());

function mapOf({ valueType }: z.ZodRecord): z.ZodType {
  return z.preprocess(emptyMap, z.record(z.string(), valueType as z.ZodType));
}

/** The upper limit is checked by the schema, whose message names it. */
function countUpTo(maximum: number | null): z.ZodType {
  return z.number().int().min(0).meta({ maximum });
}
