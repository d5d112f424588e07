import { invalidInput } from '@vouchgraph/platform/errors';
import type { z } from 'zod';
import { restPath } from './errors.ts';

/**
 * Returns a function that checks a body that was sent against the shape of a row; undefined for a row without one. Throws
 * `input.invalid` with the keys of the body. `groups` are the names that errors leave out.
 */
export function bodyCheck(
  shape: z.ZodType | null,
  groups: readonly PropertyKey[],
): (sent: unknown) => unknown {
  if (!shape) return () => undefined;
  const mayBeEmpty = shape.safeParse({}).success;
  return (sent) => {
    // Some languages serialize an empty map as an empty array.
    const isEmptyArray = Array.isArray(sent) && sent.length === 0;
    const body = isEmptyArray && mayBeEmpty ? {} : sent;
    if (typeof body !== 'object' || body === null || Array.isArray(body)) {
      throw invalidInput('Body must be a JSON object');
    }
    const parsed = shape.safeParse(body);
    if (parsed.success) return parsed.data;
    const issue = parsed.error.issues[0]!;
    const path = restPath(issue.path, groups);
    const isMissing = issue.code === 'invalid_type' && valueAt(body, issue.path) === undefined;
    const message = isMissing ? 'required' : issue.message;
    throw invalidInput(path === '' ? message : `${path}: ${message}`);
  };
}

function valueAt(body: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) => (value as Record<PropertyKey, unknown> | undefined)?.[part],
    body,
  );
}
