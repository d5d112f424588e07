import { usernameKey } from '@vouchgraph/persons';
import { LIMITS } from '@vouchgraph/platform/limits';
import { isDotSegment } from '@vouchgraph/platform/text';
import {
  hasNoOuterSpace,
  invisibleCharacter,
  isVisibleText,
  NO_OUTER_SPACE,
  withoutNeedlessSelectors,
} from '@vouchgraph/platform/visible-text';
import { DOT_SEGMENT_TEXT } from '@vouchgraph/platform/wording';
import { z } from 'zod';
import { STANDARD_LISTS } from './standard-lists.ts';

const SEPARATORS = /[\p{Z}\p{Pd}\p{Pc}.]/gu;
/** Key of names that look alike: without case and separators, unless the name has nothing else. */
const keyOf = (name: string) => usernameKey(name).replace(SEPARATORS, '') || usernameKey(name);
/** Standard lists by the key of their names. */
const STANDARD = new Map(STANDARD_LISTS.map(({ name }) => [keyOf(name), name as string]));

/**
 * The name of a list, composed (NFC). It is readable in paths and logs, and looks like that of no standard list: an account on a
 * list `Block` would not be blocked.
 */
export const listNameShape = z
  .string()
  .normalize('NFC')
  .overwrite(withoutNeedlessSelectors)
  .min(1, 'must not be empty')
  .max(LIMITS.listNameLength, `must be at most ${LIMITS.listNameLength} characters`)
  .refine((name) => refusedCharacter(name) === null, {
    error: ({ input }) => `must be printable characters without /, not ${refusedCharacter(String(input))}`,
  })
  .refine(hasNoOuterSpace, NO_OUTER_SPACE)
  .refine((name) => !isDotSegment(name), DOT_SEGMENT_TEXT)
  .refine((name) => resembledList(name) === null, {
    error: ({ input }) =>
      `must not resemble the name of a standard list. Did you mean "${resembledList(String(input))}"?`,
  });

/** A character that a name cannot contain, as in "U+00A0 at position 4"; null without one. */
function refusedCharacter(name: string): string | null {
  if (!isVisibleText(name)) return invisibleCharacter(name);
  const slash = name.indexOf('/');
  return slash < 0 ? null : `/ at position ${[...name.slice(0, slash)].length + 1}`;
}

/** The standard list with another name that looks the same; null without one. */
function resembledList(name: string): string | null {
  const standard = STANDARD.get(keyOf(name));
  return standard === undefined || standard === name ? null : standard;
}

/** The first of the names for which another, existing list looks the same. Null without one. */
export function findResembled(
  names: readonly string[],
  existing: readonly string[],
): { name: string; existing: string } | null {
  const byKey = new Map(existing.map((name) => [keyOf(name), name]));
  for (const name of names) {
    const resembled = byKey.get(keyOf(name));
    if (resembled !== undefined && resembled !== name) return { name, existing: resembled };
  }
  return null;
}

/** The name in its composed form; null for a text that cannot name a list. */
export function readListName(text: string): string | null {
  return listNameShape.safeParse(text).data ?? null;
}

/** Why a text cannot name a list; null if it can. */
export function listNameProblem(text: string): string | null {
  return listNameShape.safeParse(text).error?.issues[0]?.message ?? null;
}
