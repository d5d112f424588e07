import { snakeCase } from '@vouchgraph/platform/letter-case';

/** A value with all keys in snake case, at every depth. Not for objects whose keys are data of a client. */
export function snakeKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeKeys);
  if (value === null || typeof value !== 'object' || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [snakeCase(key), snakeKeys(part)]));
}
