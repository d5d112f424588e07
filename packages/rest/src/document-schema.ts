import { snakeCase } from '@vouchgraph/platform/letter-case';
import {
  type DocumentNode,
  type GraphQLEnumType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import {
  arrayOf,
  boolean,
  component,
  type JsonSchema,
  nullable,
  number,
  openWords,
  optional,
  text,
  timestamp,
  uuid,
  words,
} from './json-schema.ts';
import { limitsOf, restDescription } from './rest-description.ts';
import type { Unknown } from './rest-form.ts';
import { dataKeyOf, rootOf, type Selected, selectedFields, unknownOf } from './selected-fields.ts';

/* The JSON Schema of the data of a document in its documented form: the selection, walked over the schema. */

const SCALARS: Readonly<Record<string, JsonSchema>> = {
  Boolean: boolean,
  CountryCode: { type: 'string', minLength: 2, maxLength: 2 },
  Date: { type: 'string', format: 'date' },
  DateTime: timestamp,
  Float: number,
  ID: text,
  Int: { type: 'integer' },
  JSONObject: { type: 'object', additionalProperties: {} },
  String: text,
  UUID: uuid,
};
const US_DATE: JsonSchema = { type: 'string', pattern: '^(\\d{2}/\\d{2}/\\d{4})?$' };

/** Names of the schema, with their names on REST. */
export type Names = ReadonlyMap<string, string>;

/**
 * The schema of the data of a document. Fragments are inlined already; `schema` has the documented words of enums, `keys`
 * are those of its fields.
 */
export function dataSchema(document: DocumentNode, schema: GraphQLSchema, keys: Names): JsonSchema {
  const { set, type } = rootOf(document, schema);
  return objectSchema(set, type, keys);
}

/** REST names of the fields of a schema. */
export function keysOf(schema: GraphQLSchema): Names {
  const types = Object.values(schema.getTypeMap()).filter(isObjectType);
  const fields = types.flatMap((type) => Object.keys(type.getFields()));
  return new Map(fields.map((name) => [name, snakeCase(name)]));
}

/** The schema of an object with all fields of a type but `omitted` ones, and of the objects inside of it. */
export function wholeSchema(
  type: GraphQLObjectType,
  keys: Names,
  omitted: readonly string[] = [],
): JsonSchema {
  return objectSchema(wholeSelection(type, omitted), type, keys);
}

function wholeSelection(type: GraphQLObjectType, omitted: readonly string[] = []): SelectionSetNode {
  const fields = Object.values(type.getFields()).filter(({ name }) => !omitted.includes(name));
  const nameOf = (value: string) => ({ kind: Kind.NAME as const, value });
  return {
    kind: Kind.SELECTION_SET,
    selections: fields.map((field) => {
      const named = getNamedType(field.type);
      return {
        kind: Kind.FIELD,
        name: nameOf(field.name),
        alias: nameOf(snakeCase(field.name)),
        ...(isObjectType(named) ? { selectionSet: wholeSelection(named) } : {}),
      };
    }),
  };
}

function objectSchema(
  set: SelectionSetNode,
  type: GraphQLObjectType,
  keys: Names,
  within?: string,
): JsonSchema {
  return component(
    type.name,
    Object.fromEntries(
      selectedFields(set, type, within).map((selected) => [
        selected.exception.key ?? dataKeyOf(selected.field),
        fieldSchema(selected, keys),
      ]),
    ),
  );
}

function fieldSchema(selected: Selected, keys: Names): JsonSchema {
  const { field, place, type, exception } = selected;
  const unknown = unknownOf(selected);
  const form = typeof unknown === 'object' ? 'never' : unknown;
  const value =
    exception.schema ?? (exception.isUsDate ? US_DATE : typeSchema(type, field.selectionSet, keys, place));
  const description = descriptionOf(selected, isNonNullType(type) ? 'null' : form, keys);
  const limits = value.type === 'number' || value.type === 'integer' ? limitsOf(description) : {};
  const whole = { ...value, ...limits, ...(description === '' ? {} : { description }) };
  const isConditional = (field.directives ?? []).length > 0;
  const known = isNonNullType(type) || exception.isUsDate ? whole : withUnknown(whole, form);
  return isConditional ? optional(known) : known;
}

function descriptionOf({ named, exception, description }: Selected, unknown: Unknown, keys: Names): string {
  const names = isEnumType(named) ? new Map([...keys, ...documentedWords(named)]) : keys;
  const text = exception.description ?? restDescription(description, unknown, names);
  return exception.isUsDate ? `${text} As MM/DD/YYYY.` : text;
}

/** The schema of a value that may be unknown. */
function withUnknown(schema: JsonSchema, unknown: string): JsonSchema {
  if (unknown === 'null') return nullable(schema);
  if (unknown === 'absent') return optional(schema);
  if (unknown === 'never') return schema;
  const { enum: values, description, type } = schema;
  const about = description === undefined ? {} : { description };
  return { type, ...(values ? { enum: [...(values as readonly string[]), ''] } : {}), ...about };
}

/** The schema of a type, null left out. */
function typeSchema(
  type: GraphQLOutputType,
  set: SelectionSetNode | undefined,
  keys: Names,
  place: string,
): JsonSchema {
  if (isNonNullType(type)) return typeSchema(type.ofType, set, keys, place);
  if (isListType(type)) return arrayOf(typeSchema(type.ofType, set, keys, place));
  if (isObjectType(type)) return objectSchema(set!, type, keys, place);
  if (isEnumType(type)) {
    const schemaOf = type.extensions.isGrowing ? openWords : words;
    return schemaOf(type.getValues().map(({ name }) => name));
  }
  const scalar = SCALARS[type.name];
  if (!scalar) throw new Error(`REST: no JSON Schema of ${type.name}`);
  return scalar;
}

/** The documented words of an enum by their names in the public schema. */
function documentedWords(type: GraphQLEnumType): Names {
  return new Map(type.getValues().map(({ name, extensions }) => [String(extensions.publicName), name]));
}
