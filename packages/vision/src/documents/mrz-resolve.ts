import { checkDigit } from './check-digit.ts';
import { confusableTexts, mixtures } from './mrz-correction.ts';
import type { FieldName, Span } from './mrz-layout.ts';
import { readsAt, type SpanRead, type ZoneReads } from './mrz-reads.ts';

/*
 * Selects among several reads of a zone: each piece has options with a valid check digit, and the composite digit selects
 * among their combinations. An ambiguous piece has no value.
 */

/** Validity of a field by the check digits. */
export type Validity =
  /** Its digit and the composite are valid for the text read, and for no lookalike. */
  | 'valid'
  /** A digit is invalid, or allows several answers: there is no value. */
  | 'invalid'
  /** No digit, a digit that a lookalike satisfies too, or a corrected read: needs another confirmation. */
  | 'unchecked';

export type Piece = {
  field: FieldName;
  span: Span;
  /** Whether the last character of the span is its check digit, and for which text. */
  kind: 'date' | 'number' | 'long-number' | 'cut-number' | 'optional-with-digit' | 'free';
};

type Option = { text: string; votes: number; engines: number; isAsRead: boolean };

export type Resolved = { text: string; validity: Validity; wasReadAs: boolean };
export type Resolution = { pieces: Resolved[]; composite: Validity; digit: string };

const MAX_MIXTURES = 64;
const MAX_COMBINATIONS = 4096;
/** Ratio of reads from which one outvotes another that the digits allow as well. */
const CLEAR_MAJORITY = 3;

/** Pieces in the order of the composite digit's text. */
export function resolvePieces(
  reads: ZoneReads,
  pieces: readonly Piece[],
  digitSpan: Span | null,
): Resolution {
  const options = pieces.map((piece) => optionsOf(readsAt(reads, piece.span), piece));
  if (digitSpan === null) {
    return {
      pieces: options.map((choice, index) => settle(choice, pieces[index]!, 'unchecked')),
      composite: 'unchecked',
      digit: '',
    };
  }
  const digits = readsAt(reads, digitSpan).map(({ text }) => text);
  const holding = combinationsThatHold(options, digits);
  const composite = holding.length > 0 ? 'valid' : 'invalid';
  const settled = options.map((choice, index) => {
    const left =
      composite === 'valid'
        ? choice.filter((option) => holding.some((held) => held[index] === option))
        : choice;
    return settle(left, pieces[index]!, composite);
  });
  return { pieces: settled, composite, digit: digits[0] ?? '<' };
}

/** Reads that satisfy the piece's check digit, otherwise combinations of reads, otherwise lookalikes. */
function optionsOf(reads: readonly SpanRead[], piece: Piece): Option[] {
  const asRead = reads
    .filter(({ text }) => holds(text, piece))
    .map(({ text, votes, engines }) => ({ text, votes, engines: engines.size, isAsRead: true }));
  if (asRead.length > 0 || reads.length === 0) return asRead;
  const corrected = (texts: readonly string[]) =>
    texts
      .filter((text) => holds(text, piece))
      .map((text) => ({ text, votes: 0, engines: 0, isAsRead: false }));
  const mixed =
    reads.length > 1
      ? corrected(
          mixtures(
            reads.map(({ text }) => text),
            MAX_MIXTURES,
          ),
        )
      : [];
  if (mixed.length > 0 || piece.kind === 'date') return mixed;
  return corrected(confusableTexts(reads[0]!.text));
}

export function holds(text: string, { kind }: Pick<Piece, 'kind'>): boolean {
  const body = text.slice(0, -1);
  const digit = text.slice(-1);
  switch (kind) {
    case 'date':
      return /^\d{7}$/.test(text) && checkDigit(body) === digit;
    case 'number':
      return /^[A-Z0-9]+<*\d$/.test(text) && checkDigit(body) === digit;
    case 'cut-number':
      return /^[A-Z0-9]{9}<$/.test(text);
    case 'optional-with-digit':
      // An empty field may have a filler for its digit.
      return checkDigit(body) === digit || /^<+$/.test(text);
    case 'long-number': {
      const number = longNumber(text);
      return number !== null && checkDigit(number.body) === number.digit;
    }
    case 'free':
      return true;
  }
}

/** A number of more than nine characters: a filler at the digit's position; rest and digit are in the optional field. */
export function longNumber(text: string): { body: string; digit: string; optional: string } | null {
  const match = /^([A-Z0-9]{9})<([A-Z0-9]+)(\d)(?:<(.*))?$/.exec(text);
  if (!match) return null;
  return { body: match[1]! + match[2]!, digit: match[3]!, optional: match[4] ?? '' };
}

/**
 * A cut number with its continuation in the optional data of two-line zones (ICAO Doc 9303 part 6; some states do the same
 * in passports). Valid by its own digit and the composite together; null if its digit is invalid.
 */
export function joinNumber(
  number: Resolved,
  optional: Resolved,
  composite: Validity,
): { number: Resolved; optional: string } | null {
  const long = longNumber(number.text + optional.text);
  if (!long || checkDigit(long.body) !== long.digit) return null;
  const isSure =
    composite === 'valid' &&
    number.wasReadAs &&
    optional.wasReadAs &&
    !hasTwin(long.body + long.digit, { kind: 'number' });
  return {
    number: { ...number, text: long.body, validity: isSure ? 'valid' : 'unchecked' },
    optional: long.optional,
  };
}

function combinationsThatHold(options: readonly Option[][], digits: readonly string[]): Option[][] {
  const count = options.reduce((product, choice) => product * choice.length, digits.length);
  if (count === 0 || count > MAX_COMBINATIONS) return [];
  let combinations: Option[][] = [[]];
  for (const choice of options)
    combinations = combinations.flatMap((start) => choice.map((option) => [...start, option]));
  return combinations.filter((held) => digits.includes(checkDigit(held.map(({ text }) => text).join(''))));
}

function settle(options: readonly Option[], piece: Piece, composite: Validity): Resolved {
  const [first, second] = [...options].sort((a, b) => b.votes - a.votes);
  if (!first || (second && first.votes < CLEAR_MAJORITY * Math.max(1, second.votes))) {
    return { text: '', validity: 'invalid', wasReadAs: false };
  }
  return { text: first.text, validity: validityOf(first, piece, composite), wasReadAs: first.isAsRead };
}

function validityOf(option: Option, piece: Piece, composite: Validity): Validity {
  // The composite covers a field without its own digit, but does not detect changes of equal weight.
  if (piece.kind === 'cut-number') return 'unchecked';
  if (piece.kind === 'free') return composite === 'valid' && option.engines > 1 ? 'valid' : 'unchecked';
  if (piece.kind === 'date') {
    // The composite has other weights for a date than its own digit, so they are two independent confirmations.
    if (composite === 'valid') return 'valid';
    return option.isAsRead && (composite === 'unchecked' || option.engines > 1) ? 'valid' : 'unchecked';
  }
  if (!option.isAsRead || composite === 'invalid') return 'unchecked';
  return option.engines > 1 || !hasTwin(option.text, piece) ? 'valid' : 'unchecked';
}

/** Characters that OCR confuses throughout a text if it does so once. */
const SYSTEMATIC = [
  ['O', '0'],
  ['I', '1'],
  ['S', '5'],
  ['B', '8'],
  ['Z', '2'],
  ['G', '6'],
] as const;

/**
 * Whether a lookalike text satisfies the digit too: G and 6, L and 1, and a filler and K have equal weights, and systematic
 * errors (every O as a zero) may cancel out. In a text without other letters, digits are taken as they look.
 */
function hasTwin(text: string, piece: Pick<Piece, 'kind'>): boolean {
  const body = text.slice(0, -1);
  const isMixed = /[A-Z]/.test(body);
  const twins = [
    body.replace(/K(<*)$/, '<$1'),
    ...[...body].map((character, place) => {
      const twin =
        character === 'G' ? '6' : isMixed || place === 0 ? { 6: 'G', 1: 'L' }[character] : undefined;
      return twin ? body.slice(0, place) + twin + body.slice(place + 1) : body;
    }),
    ...SYSTEMATIC.flatMap(([letter, digit]) => [
      body.replaceAll(letter, digit),
      isMixed ? body.replaceAll(digit, letter) : body,
    ]),
  ];
  return twins.some((twin) => twin !== body && holds(twin + text.slice(-1), piece));
}
