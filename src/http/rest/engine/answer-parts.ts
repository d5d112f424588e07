import { keysOfFragment } from './documents.ts';
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

/** Inputs of an answer besides its data. */
export type AnswerMeta = {
  requestId: string;
  projectId: string;
  /** Time of the request. */
  at: Date;
  /** The project's older clients know Real and Fake only: Suspicious is shown as Real. */
  twoValuedDecision: boolean;
};

export type Part<Data> = {
  /** Undefined: the body as JSON does not have the key. */
  readonly value: (data: Data, meta: AnswerMeta) => unknown;
  readonly schema: (selected: JsonSchema) => JsonSchema;
};
type Parts = Readonly<Record<string, Part<never>>>;
type AnyParts = Readonly<Record<string, Part<object>>>;

/** The data that all of some parts need. */
type DataOf<Some extends Part<never>> = (
  Some extends Part<infer Data>
    ? (data: Data) => void
    : never
) extends (data: infer All) => void
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

/** Every field of a fragment, so that it is the only list of them. `changed` has other parts in the place of some fields. */
export function fieldsOf(fragment: string, changed: Readonly<Record<string, Parts>> = {}): AnyParts {
  return Object.fromEntries(
    keysOfFragment(fragment).flatMap((key) => Object.entries(changed[key] ?? { [key]: field(key) })),
  ) as AnyParts;
}

/** A part of the object in a field. Absent where the field is null or absent. */
export const at = <Key extends string, Inner>(
  key: Key,
  part: Part<Inner>,
): Part<With<Key, Inner | null>> => ({
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
    readonly [Name in keyof Some]: Part<With<Key, DataOf<Some[Name]> | null>>;
  };
}

/** A part of the object in a field after a check, which throws the documented errors. */
export const checked = <Key extends string, Inner>(
  key: Key,
  check: (inner: Inner | null) => unknown,
  part: Part<Inner>,
): Part<With<Key, Inner | null>> => ({
  value: (data, meta) => {
    check(data[key] ?? null);
    return part.value(data[key]!, meta);
  },
  schema: (selected) => part.schema(required(propertyOf(selected, key))),
});

/** A part of every entry of a list. */
export const each = <Item>(part: Part<Item>): Part<readonly Item[]> => ({
  value: (items, meta) => items.map((item) => part.value(item, meta)),
  schema: ({ items, description }) => ({
    ...arrayOf(required(part.schema(items!))),
    ...(description === undefined ? {} : { description }),
  }),
});

/** An object that openapi.json has as a component. */
export function object<Some extends Parts>(name: string, parts: Some): Part<DataOf<Some[keyof Some]>> {
  const entries = Object.entries<Part<never>>(parts);
  // Copied for each object: assignment to existing keys is twice as fast as their addition.
  const empty: Record<string, unknown> = Object.fromEntries(entries.map(([key]) => [key, undefined]));
  return {
    value: (data, meta) => {
      const made = { ...empty };
      for (const [key, part] of entries) made[key] = part.value(data as never, meta);
      return made;
    },
    schema: (selected) =>
      component(name, Object.fromEntries(entries.map(([key, part]) => [key, part.schema(selected)]))),
  };
}

/** An object of parts, followed by all fields of the data. */
export function extended<Some extends Parts>(name: string, parts: Some): Part<DataOf<Some[keyof Some]>> {
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
export const either = <First, Second>(first: Part<First>, second: Part<Second>): Part<First & Second> => ({
  value: (data, meta) => first.value(data, meta) ?? second.value(data, meta),
  // Generators of clients need to read that every alternative is an object.
  schema: (selected) => ({
    type: 'object',
    anyOf: [first, second].map(({ schema }) => required(schema(selected))),
  }),
});

/** A value that is not of the data. */
export const own = (schema: JsonSchema, value: (meta: AnswerMeta) => unknown): Part<unknown> => ({
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
