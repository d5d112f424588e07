import { z } from 'zod';
import { invalidInput } from './errors.ts';

/*
 * Shapes that describe an input of the public interface: an object with `id` (its name in the schema) and `description` as
 * metadata, whose fields have descriptions. The input type of GraphQL and the body of REST are both made from it.
 */

/** The object with an id that a shape is, or from which it was described again as a field. */
export function namedObject(shape: z.ZodType): z.ZodObject | null {
  if (!(shape instanceof z.ZodObject)) return null;
  const parent = shape._zod.parent as z.ZodType | undefined;
  return shape.meta()?.id === undefined && parent ? namedObject(parent) : shape;
}

/** The shape inside of those that accept null and absence. */
export function withoutNull(shape: z.ZodType): z.ZodType {
  if (!(shape instanceof z.ZodOptional || shape instanceof z.ZodNullable)) return shape;
  return withoutNull(shape.unwrap() as z.ZodType);
}

/** The shape inside of one that accepts null or absence, or that transforms a value; null for others. */
export function innerShape(shape: z.ZodType): z.ZodType | null {
  if (shape instanceof z.ZodOptional || shape instanceof z.ZodNullable) return shape.unwrap() as z.ZodType;
  if (!(shape instanceof z.ZodPipe)) return null;
  const { in: before, out: after } = shape.def;
  return (before instanceof z.ZodTransform ? after : before) as z.ZodType;
}

/** The shape that checks a value that is neither null nor absent. */
export function checkedShape(shape: z.ZodType): z.ZodType {
  const inner = innerShape(shape);
  return inner ? checkedShape(inner) : shape;
}

/** The shape of an input. */
export function inputShape<const Fields extends z.ZodRawShape>(
  id: string,
  description: string,
  fields: Fields,
) {
  return z.object(fields).meta({ id, description });
}

/** An input as its shape returns it. Throws `input.invalid` with the first field that is wrong; `name` is that of the input. */
export function readInput<Shape extends z.ZodType>(shape: Shape, input: unknown, name = ''): z.output<Shape> {
  const parsed = shape.safeParse(input);
  if (parsed.success) return parsed.data;
  const { path, message } = parsed.error.issues[0]!;
  const place = path.length === 0 && name !== '' ? [name] : (path as (string | number)[]);
  throw invalidInput(`${place.join('.')}: ${message}`, place);
}
