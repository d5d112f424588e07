/*
 * JSON numbers with the text that the client sent. JavaScript has 64-bit floating point: 9007199254740993, 1e400, 1.0 and -0
 * change when they are parsed and written again. Most of the gateway reads numbers as such. Data that the gateway only
 * stores and returns, such as the metadata of an account, keeps the text of these numbers in objects of JSON.rawJSON, which
 * JSON.stringify writes as they are.
 */

/** A number whose text differs from that of the JavaScript number. */
export type RawNumber = { readonly rawJSON: string };

declare global {
  interface JSON {
    rawJSON(text: string): RawNumber;
    isRawJSON(value: unknown): value is RawNumber;
  }
}

/** By key, or by index. */
type Texts = Record<string | number, string | undefined>;

/** Texts of the numbers that a parsed object or array contains and that JavaScript changes. */
const sources = new WeakMap<object, Texts>();

export function isRawNumber(value: unknown): value is RawNumber {
  return JSON.isRawJSON(value);
}

/** A number as JavaScript computes with it: the nearest one. */
export function numberOf(value: unknown): number {
  return Number(isRawNumber(value) ? value.rawJSON : value);
}

/** An object or an array, as opposed to a number with its text. */
export function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !isRawNumber(value);
}

/** Parses JSON with the exact text of every number. Throws a SyntaxError like JSON.parse. */
export function parseExactJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return hasInexactNumber(text) ? exactJson([parseWithSources(text)])[0] : value;
}

/**
 * Replaces the numbers of a value that `parseJson` returned with numbers that keep their text. Containers without such
 * numbers are returned as they are.
 */
export function exactJson<Value extends object>(value: Value): Value {
  const texts = sources.get(value);
  let isChanged = texts !== undefined;
  const entries = Object.entries(value).map(([key, child]): [string, unknown] => {
    const text = texts?.[key];
    const exact = text !== undefined ? JSON.rawJSON(text) : isContainer(child) ? exactJson(child) : child;
    isChanged ||= exact !== child;
    return [key, exact];
  });
  if (!isChanged) return value;
  return (Array.isArray(value) ? entries.map(([, each]) => each) : Object.fromEntries(entries)) as Value;
}

/** The text of a parsed number that JavaScript changes; undefined for all other values. */
export function sourceOf(container: object, key: string): string | undefined {
  return sources.get(container)?.[key];
}

/** Whether JavaScript writes a number as it was written. */
function isExact(number: string): boolean {
  return String(Number(number)) === number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** Whether valid JSON contains a number that JavaScript changes. */
function hasInexactNumber(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const character = text.charCodeAt(index);
    if (character === QUOTE) index = endOfString(text, index);
    else if (startsNumber(character)) {
      const end = endOfNumber(text, index);
      if (!isExactBetween(text, index, end)) return true;
      index = end - 1;
    }
  }
  return false;
}

/** Index of the quote that ends a string of valid JSON. */
export function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before -= 1;
    if ((end - before) % 2 === 1) return end;
  }
  return text.length;
}

/** Whether a character outside of strings begins a number in valid JSON. */
export function startsNumber(character: number): boolean {
  return (character >= ZERO && character <= NINE) || character === MINUS;
}

const AFTER_NUMBER = new Set([...',]} \t\n\r'].map((character) => character.charCodeAt(0)));

/** Index after a number of valid JSON. */
export function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && !AFTER_NUMBER.has(text.charCodeAt(end))) end += 1;
  return end;
}

/** A number of at most this many digits has one text without an exponent, unless it is tiny. */
const SAFE_DIGITS = 15;
const POINT = 0x2e;

/** `isExact` for a part of a text. Most numbers are short, and are not converted. */
export function isExactBetween(text: string, start: number, end: number): boolean {
  return isPlain(text, start, end) || isExact(text.slice(start, end));
}

/** Whether a number is a short positive integer, or a short positive decimal from 0.1 whose last digit is not 0. */
function isPlain(text: string, start: number, end: number): boolean {
  if (end - start > SAFE_DIGITS) return false;
  let points = 0;
  for (let index = start; index < end; index += 1) {
    const character = text.charCodeAt(index);
    if (character === POINT) points += 1;
    else if (!isDigit(character)) return false;
  }
  if (points === 0) return true;
  const isTiny = text.charCodeAt(start) === ZERO && text.charCodeAt(start + 2) === ZERO;
  return !isTiny && text.charCodeAt(end - 1) !== ZERO;
}

function isDigit(character: number): boolean {
  return character >= ZERO && character <= NINE;
}

/** Of JSON, without commas and colons. */
const TOKEN = /[{}[\]]|"[^"\\]*(?:\\.[^"\\]*)*"|[^\s{}[\]:,"]+/g;

/** Parses valid JSON, and remembers the text of each number that JavaScript changes. A reviver takes ten times as long. */
export function parseWithSources(text: string): unknown {
  const root: unknown[] = [];
  const open: object[] = [root];
  let key: string | null = null;
  for (const token of text.match(TOKEN) ?? []) {
    const container = open[open.length - 1]!;
    if (token === '}' || token === ']') {
      open.pop();
    } else if (token === '{' || token === '[') {
      const child = token === '{' ? {} : [];
      addValue(container, key, child);
      open.push(child);
      key = null;
    } else if (key === null && !Array.isArray(container)) {
      key = stringOf(token);
    } else {
      addScalar(container, key, token);
      key = null;
    }
  }
  return root[0];
}

function addScalar(container: object, key: string | null, token: string): void {
  if (!startsNumber(token.charCodeAt(0))) {
    addValue(container, key, token.startsWith('"') ? stringOf(token) : JSON.parse(token));
    return;
  }
  addNumber(container, key, token);
}

/** Adds a number to a list, for which the key is null, or to an object, and remembers its text if JavaScript changes it. */
export function addNumber(container: object, key: string | null, text: string): void {
  if (!isExactBetween(text, 0, text.length)) {
    let texts = sources.get(container);
    if (!texts) {
      texts = (key === null ? [] : Object.create(null)) as Texts;
      sources.set(container, texts);
    }
    texts[key ?? (container as unknown[]).length] = text;
  }
  addValue(container, key, Number(text));
}

/** Adds a value to a list, for which the key is null, or to an object. */
export function addValue(container: object, key: string | null, value: unknown): void {
  if (key === null) (container as unknown[]).push(value);
  else if (key !== '__proto__') (container as Record<string, unknown>)[key] = value;
  // An assignment would set the prototype.
  else Object.defineProperty(container, key, { value, enumerable: true, writable: true, configurable: true });
}

function stringOf(token: string): string {
  return token.includes('\\') ? (JSON.parse(token) as string) : token.slice(1, -1);
}

/** Digits before and after the decimal point that a numeric of PostgreSQL can have. */
const MAX_NUMERIC_INTEGER_DIGITS = 131_072;
const MAX_NUMERIC_FRACTION_DIGITS = 16_383;

/** Larger exponents are refused for zero too. */
const MAX_NUMERIC_EXPONENT = 2 ** 30 - 2;

const NUMBER = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Whether a number has more digits than PostgreSQL can store: numbers from 1e131072, and more than 16,383 decimal places. */
export function isBeyondNumeric(number: string): boolean {
  if (number.length <= MAX_NUMERIC_FRACTION_DIGITS && !/e/i.test(number)) return false;
  const [, integer = '', fraction = '', exponent = '0'] = NUMBER.exec(number) ?? [];
  const shift = Number(exponent);
  if (fraction.length - shift > MAX_NUMERIC_FRACTION_DIGITS || shift > MAX_NUMERIC_EXPONENT) return true;
  const zeros = /^0*/.exec(integer + fraction)![0].length;
  const isZero = zeros === integer.length + fraction.length;
  return !isZero && integer.length - zeros + shift > MAX_NUMERIC_INTEGER_DIGITS;
}
