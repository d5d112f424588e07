import { z } from 'zod';
import { MATCH_TYPES } from '../../domain/identifiers/identifier-kinds.ts';

/** Shapes that many answers contain. */

export const score = z.number().min(0).max(1);
export const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  .meta({ examples: ['01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61'] });
export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ examples: ['2025-06-10T16:35:22.184Z'] });
export const count = z
  .int()
  .min(0)
  .meta({ examples: [2] });
export const decision = z.enum(['Real', 'Suspicious', 'Fake']);
export const text = z.string();
export const number = z.number().nullable();
export const metadata = z.record(z.string(), z.unknown());

/** An object that openapi.json has as a component of this name. */
export const component = <Shape extends z.ZodRawShape>(id: string, shape: Shape) =>
  z.strictObject(shape).meta({ id });

/** A component whose keys all have values of one shape. */
export const keyed = <T extends z.ZodType>(id: string, keys: readonly string[], value: T) =>
  component(id, Object.fromEntries(keys.map((key) => [key, value])) as Record<string, T>);

export const matchKinds = z
  .array(z.enum(MATCH_TYPES))
  .describe('Every kind of evidence that the link rests on.');
