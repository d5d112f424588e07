import {
  arrayOf,
  component,
  constant,
  isNullable,
  type JsonSchema,
  optional,
  pick,
  required,
} from './json-schema.ts';

/*
 * Bodies of answers are described once: a part computes a value from the data of a document, and the JSON Schema of
 * that value from the schema of the data.
 */

/** A key of an answer from some data. `Meta` is what the answer contains besides data, such as the id of the request. */
export type Part<Data, Meta = unknown> = {
  /** Undefined: the body as JSON does not have the key. */
  readonly value: (data: Data, meta: Meta) => unknown;
  readonly schema: (selected: JsonSchema) => JsonSchema;
};
type AnyPart = Part<never, never>;
type Parts = Readonly<Record<string, AnyPart>>;

/** Parts of fields, whose data is not typed. */
export type FieldParts<Meta> = Readonly<Record<string, Part<object, Meta>>>;

/** The data that all of some parts need. */
type DataOf<Some extends AnyPart> = (
  Some extends Part<infer Data, never>
    ? (data: Data) => void
    : never
) extends (data: infer All) => void
  ? All
  : never;

/** What all of some parts need besides data. */
type MetaOf<Some extends AnyPart> = (
  Some extends Part<never, infer Meta>
    ? (meta: Meta) => void
    : never
) extends (meta: infer All) => void
  ? All
  : never;

type With<Key extends string, Value = unknown> = { readonly [Name in Key]?: Value };

export const propertyOf = (selected: JsonSchema, key: string): JsonSchema => pick(selected, [key])[key]!;

/** A field of the data. */
export const field = <Key extends string>(key: Key): Part<With<Key>> => ({
  value: (data) => data[key],
  schema: (selected) => propertyOf(selected, key),
});

/** Fields of the data under their own names. */
export function fields<Key extends string>(...keys: Key[]): Record<Key, Part<With<Key>>> {
  return Object.fromEntries(keys.map((key) => [key, field(key)])) as Record<Key, Part<With<Key>>>;
}

/**
 * Every field of a fragment by its keys, so that it is the only list of them. `changed` has other parts in the place of some
 * fields.
 */
export function partsOf<Meta>(
  keys: readonly string[],
  changed: Readonly<Record<string, Readonly<Record<string, Part<never, Meta>>>>> = {},
): FieldParts<Meta> {
  return Object.fromEntries(
    keys.flatMap((key) => Object.entries(changed[key] ?? { [key]: field(key) })),
  ) as FieldParts<Meta>;
}

/** A part of the object in a field. Absent where the field is null or absent. */
export const at = <Key extends string, Inner, Meta>(
  key: Key,
  part: Part<Inner, Meta>,
): Part<With<Key, Inner | null>, Meta> => ({
  value: (data, meta) => {
    const inner = data[key];
    return inner === null || inner === undefined ? undefined : part.value(inner, meta);
  },
  schema: (selected) => {
    const inner = propertyOf(selected, key);
    const made = part.schema(required(inner));
    return inner.isOptional || isNullable(inner) ? optional(made) : made;
  },
});

/** Parts of the object in a field. */
export function of<Key extends string, Some extends Parts>(key: Key, parts: Some) {
  const entries = Object.entries(parts).map(([name, part]) => [name, at(key, part)]);
  return Object.fromEntries(entries) as {
    readonly [Name in keyof Some]: Part<With<Key, DataOf<Some[Name]> | null>, MetaOf<Some[Name]>>;
  };
}

/** A part of the object in a field after a check, which throws the documented errors. */
export const checked = <Key extends string, Inner, Meta>(
  key: Key,
  check: (inner: Inner | null) => unknown,
  part: Part<Inner, Meta>,
): Part<With<Key, Inner | null>, Meta> => ({
  value: (data, meta) => {
    check(data[key] ?? null);
    return part.value(data[key]!, meta);
  },
  schema: (selected) => part.schema(required(propertyOf(selected, key))),
});

/** A part of every entry of a list. */
export const each = <Item, Meta>(part: Part<Item, Meta>): Part<readonly Item[], Meta> => ({
  value: (items, meta) => items.map((item) => part.value(item, meta)),
  schema: ({ items, description }) => ({
    ...arrayOf(required(part.schema(items!))),
    ...(description === undefined ? {} : { description }),
  }),
});

/** A part that contains all of some parts. */
type PartOf<Some extends Parts> = Part<DataOf<Some[keyof Some]>, MetaOf<Some[keyof Some]>>;

/** An object that openapi.json has as a component. */
export function object<Some extends Parts>(name: string, parts: Some): PartOf<Some> {
  const entries = Object.entries<AnyPart>(parts);
  // Copied for each object: assignment to existing keys is twice as fast as their addition.
  const empty: Record<string, unknown> = Object.fromEntries(entries.map(([key]) => [key, undefined]));
  return {
    value: (data, meta) => {
      const made = { ...empty };
      for (const [key, part] of entries) made[key] = part.value(data as never, meta as never);
      return made;
    },
    schema: (selected) =>
      component(name, Object.fromEntries(entries.map(([key, part]) => [key, part.schema(selected)]))),
  };
}

/** An object of parts, followed by all fields of the data. */
export function extended<Some extends Parts>(name: string, parts: Some): PartOf<Some> {
  const first = object(name, parts);
  return {
    value: (data, meta) => ({ ...(first.value(data, meta) as object), ...(data as object) }),
    schema: (selected) => component(name, { ...first.schema(selected).properties, ...selected.properties }),
  };
}

/** All of the data, with its component under a separate name: other responses select other fields of the type. */
export const named = (name: string): Part<unknown> => ({
  value: (data) => data,
  schema: (selected) => ({ ...selected, component: name }),
});

/** The first part that has a value. */
export const either = <First, Second, Meta>(
  first: Part<First, Meta>,
  second: Part<Second, Meta>,
): Part<First & Second, Meta> => ({
  value: (data, meta) => first.value(data, meta) ?? second.value(data, meta),
  // Generators of clients need to read that every alternative is an object.
  schema: (selected) => ({
    type: 'object',
    anyOf: [first, second].map(({ schema }) => required(schema(selected))),
  }),
});

/** A value that is not of the data. */
export const own = <Meta>(
  schema: JsonSchema,
  value: (meta: Meta) => unknown,
  // Not inferred from the object around the part, where it is never.
): Part<unknown, NoInfer<Meta>> => ({
  value: (_, meta) => value(meta),
  schema: () => schema,
});

/** The same value in every answer. */
export const always = (value: string | boolean): Part<unknown> => own(constant(value), () => value);

/** Words of an enum in lower case. */
export const lowerCase = <Key extends string>(key: Key): Part<{ readonly [Name in Key]: string }> => ({
  value: (data) => data[key].toLowerCase(),
  schema: (selected) => {
    const { enum: values, ...schema } = propertyOf(selected, key);
    return { ...schema, enum: (values as readonly string[]).map((value) => value.toLowerCase()) };
  },
});
