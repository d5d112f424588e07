import { isBeyondNumeric, isContainer, sourceOf } from './exact-json.ts';
import { hasForbiddenCharacters } from './text.ts';

/** Text for characters that PostgreSQL or UTF-8 cannot store. */
export const FORBIDDEN_TEXT = 'must not contain NUL characters or lone surrogates';
/** Text for numbers that PostgreSQL cannot store. */
export const FORBIDDEN_NUMBER =
  'must have at most 131,072 digits before and 16,383 digits after the decimal point';

/** A part of a JSON value that PostgreSQL or UTF-8 cannot store. */
export type Unstorable = { readonly path: string; readonly problem: string };

/**
 * The first string, key or number that cannot be stored, in document order; null without one. `value` is parsed JSON. Numbers
 * are checked in a result of `parseJson`.
 */
export function findUnstorable(value: unknown): Unstorable | null {
  const root = problemOf(value);
  if (root !== null) return { path: '$', problem: root };
  return findProblem(value, (container, key, child) => {
    const problem = problemOf(key) ?? problemOf(child);
    if (problem !== null || typeof child !== 'number') return problem;
    const text = sourceOf(container, key);
    return text !== undefined && isBeyondNumeric(text) ? FORBIDDEN_NUMBER : null;
  });
}

function problemOf(value: unknown): string | null {
  return typeof value === 'string' && hasForbiddenCharacters(value) ? FORBIDDEN_TEXT : null;
}

type Check = (container: object, key: string, child: unknown) => string | null;

/** The first child with a problem. Iterative, because the client controls the nesting, which must not overflow the call stack. */
function findProblem(value: unknown, check: Check): Unstorable | null {
  const frames: Frame[] = isContainer(value) ? [openFrame(value)] : [];
  while (frames.length > 0) {
    const frame = frames.at(-1)!;
    if (frame.next === frame.keys.length) {
      frames.pop();
      continue;
    }
    const key = frame.keys[frame.next]!;
    frame.next += 1;
    const child = (frame.container as Record<string, unknown>)[key];
    const problem = check(frame.container, key, child);
    if (problem !== null) return { path: pathOf(frames), problem };
    if (isContainer(child)) frames.push(openFrame(child));
  }
  return null;
}

type Frame = { container: object; keys: string[]; next: number };

function openFrame(container: object): Frame {
  return { container, keys: Object.keys(container), next: 0 };
}

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

function pathOf(frames: Frame[]): string {
  let path = '$';
  for (const { container, keys, next } of frames) {
    const key = keys[next - 1]!;
    if (Array.isArray(container)) path += `[${key}]`;
    else path += PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  }
  return path;
}
