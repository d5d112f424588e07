import { z } from 'zod';
import { isContainer } from './exact-json.ts';

type JsonObject = Record<string, unknown>;

type Options = {
  /** Replaces an object before it is checked. */
  readonly read?: (value: JsonObject) => JsonObject;
  /** Error text for an object that is not accepted; null otherwise. */
  readonly problemOf?: (value: JsonObject) => string | null;
};

const shapes = new WeakSet<z.ZodType>();

/**
 * Shape of an object with any keys and values. It returns the same object, to which the texts of numbers belong. `z.record`
 * copies it and drops the key `__proto__`.
 */
export function jsonObjectShape({ read = (value) => value, problemOf = () => null }: Options = {}) {
  const shape = z
    .custom<JsonObject>()
    .overwrite((value) => (isJsonObject(value) ? read(value) : value))
    .superRefine((value, context) => {
      const message = isJsonObject(value) ? problemOf(value) : 'must be an object';
      if (message !== null) context.addIssue({ code: 'custom', message });
    })
    .meta({ type: 'object', propertyNames: { type: 'string' }, additionalProperties: {} });
  shapes.add(shape);
  return shape;
}

function isJsonObject(value: unknown): value is JsonObject {
  return isContainer(value) && !Array.isArray(value);
}

/** Whether a shape is one of these. */
export function isJsonObjectShape(shape: z.ZodType): boolean {
  return shapes.has(shape);
}
