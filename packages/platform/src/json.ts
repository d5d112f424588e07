import { type AppError, invalidInput } from './errors.ts';
import { endOfNumber, endOfString, isExactBetween, parseWithSources, startsNumber } from './exact-json.ts';
import { findUnstorable } from './unstorable.ts';

/**
 * Parses a body; undefined for text that is not JSON. Rejects an ambiguous body or one that cannot be stored with
 * `input.invalid`: duplicate keys in an object, nesting deeper than `maxDepth`, NUL characters, lone surrogates, and
 * numbers that PostgreSQL cannot store. `exactJson` returns the numbers of the value with their texts.
 */
export function parseJson(text: string, maxDepth: number): unknown {
  const value = parseUnchecked(text, maxDepth);
  refuseUnstorable(value);
  return value;
}

export const notJson = (): AppError => invalidInput('Body is not valid JSON');

/** Parses like `parseJson`, without looking for values that cannot be stored. */
export function parseUnchecked(text: string, maxDepth: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  const { isExact } = checkStructure(text, maxDepth);
  return isExact ? value : parseWithSources(text);
}

/** Rejects a parsed value that cannot be stored, with the path of the first part that cannot. */
export function refuseUnstorable(value: unknown): void {
  const found = findUnstorable(value);
  if (found !== null) throw invalidInput(`${found.path.replace(/^\$\.?/, '') || 'Body'}: ${found.problem}`);
}

function tooDeep(maxDepth: number): AppError {
  return invalidInput(`JSON is nested deeper than ${maxDepth} levels`);
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Scans valid JSON text, tracking the keys of each open object. Finds whether JavaScript keeps all numbers. */
function checkStructure(text: string, maxDepth: number): { isExact: boolean } {
  const open: (Set<string> | null)[] = [];
  let expectsKey = false;
  let isExact = true;
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) {
      const end = endOfString(text, index);
      if (expectsKey) addKey(open[open.length - 1] ?? null, text.slice(index, end + 1));
      expectsKey = false;
      index = end;
    } else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      open.push(character === OPEN_BRACE ? new Set() : null);
      if (open.length > maxDepth) throw tooDeep(maxDepth);
      expectsKey = character === OPEN_BRACE;
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) {
      open.pop();
      expectsKey = false;
    } else if (character === COMMA) {
      expectsKey = open[open.length - 1] !== null;
    } else if (startsNumber(character)) {
      const end = endOfNumber(text, index);
      isExact &&= isExactBetween(text, index, end);
      index = end - 1;
    }
  }
  return { isExact };
}

function addKey(keys: Set<string> | null, quoted: string): void {
  const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (keys?.has(key)) throw invalidInput(`Duplicate key ${JSON.stringify(key.slice(0, 100))}`);
  keys?.add(key);
}
