import type { InputFieldBuilder, InputFieldMap, InputFieldRef, InputRef, InputType } from '@pothos/core';
import { countryCodeShape } from '@vouchgraph/platform/country-code-shape';
import { innerShape, namedObject } from '@vouchgraph/platform/input-shape';
import { isJsonObjectShape } from '@vouchgraph/platform/json-object-shape';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { z } from 'zod';
import { accountIdShape, knownAccountIdShape } from '../../domain/model/account-id.ts';
import { builder } from './builder.ts';

/*
 * Input types made from the shapes of the domain: name, descriptions, types and nullability of fields, and the validation.
 */

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

const FIELD_TYPES = z.registry<{ type: InputType<Types> }>();
FIELD_TYPES.add(objectIdShape, { type: 'ID' });
FIELD_TYPES.add(accountIdShape, { type: 'ID' });
FIELD_TYPES.add(knownAccountIdShape, { type: 'ID' });
FIELD_TYPES.add(countryCodeShape, { type: 'CountryCode' });

/** Sets the type of fields whose shape does not define it, such as enumerations. */
export function setFieldType<Value>(
  shape: z.ZodType<Value>,
  type: InputRef<Value> | keyof Types['Scalars'],
): void {
  FIELD_TYPES.add(shape, { type: type as InputType<Types> });
}

/**
 * The input type of an argument. Its shape checks the values of all fields, also those of inputs inside of it, unless the
 * service does: `validates: false`.
 */
export function inputFrom<Shape extends z.ZodObject>(shape: Shape, { validates = true } = {}) {
  return implement<z.output<Shape>>(shape, validates ? shape : undefined);
}

function implement<Value extends object>(shape: z.ZodObject, validate?: z.ZodObject) {
  const { id, description } = shape.meta() ?? {};
  if (id === undefined) throw new Error('The shape of an input has no id');
  const type = builder.inputRef<Value, false>(id).implement({
    description,
    validate,
    fields: (t) => fieldsOf(shape, t as never, id) as never,
  });
  FIELD_TYPES.add(shape, { type: type as InputType<Types> });
  return type;
}

/** The arguments of a field that are not an input. The service checks them. */
export function argsFrom<Shape extends z.ZodObject>(shape: Shape) {
  type Args = { [Name in keyof z.output<Shape>]: InputFieldRef<Types, z.output<Shape>[Name]> };
  return builder.args((t) => fieldsOf(shape, t as never, 'argument')) as unknown as Args;
}

function fieldsOf(shape: z.ZodObject, t: InputFieldBuilder<Types, 'Arg'>, place: string): InputFieldMap {
  const fields = Object.entries(shape.shape).map(([name, field]) => [
    name,
    t.field({
      type: typeOf(field, `${place}.${name}`),
      required: !field.safeParse(undefined).success,
      description: field.description,
    }),
  ]);
  return Object.fromEntries(fields) as InputFieldMap;
}

function typeOf(shape: z.ZodType, place: string): InputType<Types> | [InputType<Types>] {
  const known = FIELD_TYPES.get(shape)?.type;
  if (known !== undefined) return known;
  if (isJsonObjectShape(shape)) return 'JSONObject';
  const inner = innerShape(shape);
  if (inner) return typeOf(inner, place);
  if (shape instanceof z.ZodArray) return [typeOf(shape.element as z.ZodType, place) as InputType<Types>];
  const object = namedObject(shape);
  if (object) return implement(object) as InputType<Types>;
  if (shape instanceof z.ZodNumber) return shape.isInt ? 'Int' : 'Float';
  if (shape instanceof z.ZodString) return 'String';
  if (shape instanceof z.ZodBoolean) return 'Boolean';
  if (shape instanceof z.ZodDate) return 'DateTime';
  if (shape instanceof z.ZodRecord) return 'JSONObject';
  throw new Error(`${place} has a shape without a type: call setFieldType`);
}
