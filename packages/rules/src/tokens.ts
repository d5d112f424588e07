import { ExpressionError } from './expression-error.ts';
import { EXPRESSION_LIMITS } from './expression-limits.ts';
import { writtenKey } from './metadata-path.ts';

export type Token = {
  /** `word`: a keyword or the name of a field. */
  readonly kind: 'word' | 'text' | 'number' | 'symbol' | 'end';
  /** As written; for a text, its value. */
  readonly text: string;
  readonly position: number;
};

const SPACE = /[ \t\r\n\u00a0]*/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z0-9_]+)*/y;
const NUMBER = /[+-]?\d+(?:\.\d+)?/y;
const SYMBOL = /!=|>=|<=|[=≠>≥<≤()[\],]/y;

type Advice = readonly (readonly [written: string, advice: string])[];

/** Notations of other languages that begin like a token of this one. */
const MISLEADING: Advice = [
  ['==', 'use ='],
  ['<>', 'use !='],
];

/** Notations of other languages, with the notation of this one. */
const FOREIGN: Advice = [
  ['&&', 'use AND'],
  ['||', 'use OR'],
  ['!', 'use NOT'],
  ['“', 'put strings in straight quotes, "…"'],
  ['”', 'put strings in straight quotes, "…"'],
  ['„', 'put strings in straight quotes, "…"'],
  ['‘', 'put strings in straight quotes, "…"'],
  ['’', 'put strings in straight quotes, "…"'],
  ['/', 'regular expressions are not supported, use CONTAINS'],
  ['.', 'a number must start with a digit, such as 0.5'],
];

/** Reads the token that begins at or after the position. Never looks back, so that any text takes linear time. */
export function readToken(text: string, from: number): Token & { readonly end: number } {
  const position = from + matchAt(SPACE, text, from).length;
  if (position === text.length) return { kind: 'end', text: '', position, end: position };
  const first = text[position]!;
  if (first === '"' || first === "'") return readText(text, position);
  const misleading = adviceFor(MISLEADING, text, position);
  if (misleading) throw unreadable(text, position, ...misleading);
  for (const [kind, pattern] of PATTERNS) {
    const found = matchAt(pattern, text, position);
    if (found === '') continue;
    if (kind === 'number') refuseOddNumber(text, position, found);
    if (kind === 'word') return readWord(text, position, found);
    return { kind, text: found, position, end: position + found.length };
  }
  const foreign = adviceFor(FOREIGN, text, position);
  throw unreadable(text, position, foreign?.[0] ?? characterAt(text, position), foreign?.[1]);
}

const SEGMENTS = /(?:\.[A-Za-z0-9_]+)+/y;

/** A keyword or the name of a field, parts of which may be quoted, as in `account.metadata."plan-type"`. */
function readWord(source: string, position: number, start: string): Token & { readonly end: number } {
  let text = start;
  let end = position + start.length;
  while (source[end] === '.' && (source[end + 1] === '"' || source[end + 1] === "'")) {
    const part = readText(source, end + 1);
    if (part.text === '') throw new ExpressionError('Metadata key must not be empty', source, end + 1);
    text += `.${writtenKey(part.text)}`;
    const plain = matchAt(SEGMENTS, source, part.end);
    text += plain;
    end = part.end + plain.length;
  }
  return { kind: 'word', text, position, end };
}

const PATTERNS = [
  ['word', WORD],
  ['number', NUMBER],
  ['symbol', SYMBOL],
] as const;

function adviceFor(advice: Advice, text: string, position: number) {
  return advice.find(([written]) => text.startsWith(written, position));
}

function matchAt(pattern: RegExp, text: string, position: number): string {
  pattern.lastIndex = position;
  return pattern.exec(text)?.[0] ?? '';
}

function unreadable(text: string, position: number, written: string, advice?: string): ExpressionError {
  const message = `Unexpected ${JSON.stringify(written)}`;
  return new ExpressionError(advice ? `${message}: ${advice}` : message, text, position);
}

function characterAt(text: string, position: number): string {
  return String.fromCodePoint(text.codePointAt(position)!);
}

/** Characters directly after a number would silently change it. */
function refuseOddNumber(text: string, position: number, found: string): void {
  const next = text[position + found.length] ?? '';
  if (/[A-Za-z_.]/.test(next)) {
    const message = 'Number must consist of digits and at most one decimal point, such as 0.5 or -12';
    throw new ExpressionError(message, text, position);
  }
  if (found.length > EXPRESSION_LIMITS.number) {
    const message = `Number must be at most ${EXPRESSION_LIMITS.number} characters`;
    throw new ExpressionError(message, text, position);
  }
  if (!found.includes('.') && !Number.isSafeInteger(Number(found))) {
    const message = `Whole number must be between ${Number.MIN_SAFE_INTEGER} and ${Number.MAX_SAFE_INTEGER}`;
    throw new ExpressionError(message, text, position);
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const HEX = /[0-9A-Fa-f]{4}/y;
const FIRST_PRINTABLE = ' ';

function readText(source: string, position: number): Token & { readonly end: number } {
  const quote = source[position]!;
  let text = '';
  let at = position + 1;
  for (;;) {
    const character = source[at];
    if (character === quote) return { kind: 'text', text, position, end: at + 1 };
    if (character === undefined || character === '\n' || character === '\r')
      throw new ExpressionError(`String has no closing ${quote}`, source, position);
    if (character < FIRST_PRINTABLE)
      throw new ExpressionError(
        'Control characters of a string must be escaped, such as \\t or \\u0007',
        source,
        at,
      );
    if (text.length >= EXPRESSION_LIMITS.string) {
      const message = `String must be at most ${EXPRESSION_LIMITS.string} characters`;
      throw new ExpressionError(message, source, position);
    }
    const [piece, length] = character === '\\' ? readEscape(source, at) : [character, 1];
    text += piece;
    at += length;
  }
}

function readEscape(source: string, at: number): [character: string, length: number] {
  const letter = source[at + 1] ?? '';
  if (letter === 'u') {
    const digits = matchAt(HEX, source, at + 2);
    if (digits !== '') return [String.fromCharCode(Number.parseInt(digits, 16)), 6];
  }
  const meant = Object.hasOwn(ESCAPES, letter) ? ESCAPES[letter] : undefined;
  if (meant === undefined) {
    const message =
      'Backslash must be followed by one of " \' \\ / b f n r t, or by u and four hexadecimal digits';
    throw new ExpressionError(message, source, at);
  }
  return [meant, 2];
}
