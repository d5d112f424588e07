import { type AppError, invalidInput } from './errors.ts';
import { findForbiddenText, jsonDepth } from './text.ts';
import { FORBIDDEN_TEXT } from './wording.ts';

/**
 * Parses a body; undefined for text that is not JSON. Rejects an ambiguous body or one that cannot be stored with
 * `input.invalid`: duplicate keys in an object, nesting deeper than `maxDepth`, NUL characters and lone surrogates.
 */
export function parseJson(text: string, maxDepth: number): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  checkStructure(text, maxDepth);
  refuseForbiddenText(value);
  return value;
}

export const notJson = (): AppError => invalidInput('Body is not valid JSON');

/** The same checks for a value parsed by a library, in which duplicate keys are already lost. */
export function checkParsedJson(value: unknown, maxDepth: number): void {
  if (jsonDepth(value, maxDepth) > maxDepth) throw tooDeep(maxDepth);
  refuseForbiddenText(value);
}

function refuseForbiddenText(value: unknown): void {
  const forbidden = findForbiddenText(value);
  if (forbidden !== null)
    throw invalidInput(`${forbidden.replace(/^\$\.?/, '') || 'Body'}: ${FORBIDDEN_TEXT}`);
}

function tooDeep(maxDepth: number): AppError {
  return invalidInput(`Body is nested deeper than ${maxDepth} levels`);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

/** Scans valid JSON text, tracking the keys of each open object. */
function checkStructure(text: string, maxDepth: number): void {
  const open: (Set<string> | null)[] = [];
  let expectsKey = false;
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
    }
  }
}

function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) return index;
    if (character === BACKSLASH) index += 1;
  }
  return text.length;
}

function addKey(keys: Set<string> | null, quoted: string): void {
  const key = quoted.includes('\\') ? (JSON.parse(quoted) as string) : quoted.slice(1, -1);
  if (keys?.has(key)) throw invalidInput(`Duplicate key ${JSON.stringify(key.slice(0, 100))}`);
  keys?.add(key);
}
