import type { MrzLines } from '../readings.ts';
import { centuryBefore, parseUsDate, shortBirth, shortExpiry, usDate } from './dates.ts';
import { cleanLine } from './mrz-correction.ts';
import { mrzCountry } from './mrz-country.ts';
import { cut, type FieldName, ISSUER, type MrzFormat, type MrzLayout, withItsDigit } from './mrz-layout.ts';
import {
  collectReads,
  commonLines,
  isReadAlike,
  readsAt,
  replaceSpan,
  wasReadWhole,
  type ZoneReads,
} from './mrz-reads.ts';
import {
  holds,
  joinNumber,
  longNumber,
  type Piece,
  type Resolved,
  resolvePieces,
  type Validity,
} from './mrz-resolve.ts';

export type MrzField = {
  /** '' when invalid or empty. Dates are MM/DD/YYYY. */
  value: string;
  validity: Validity;
};

/** Contents of a machine readable zone, with the validity by its check digits. */
export type MrzResult = {
  format: MrzFormat;
  /** Most probable text of the lines. */
  lines: readonly string[];
  /** P, I, AC … without fillers. */
  documentCode: string;
  /** Issuing country, ISO 3166-1 alpha-2; '' if it is not a country or was not read. */
  country: string;
  nationality: string;
  number: MrzField;
  /** Latest day that the two-digit year allows. */
  birth: MrzField;
  /** MM/DD/YYYY of the same birth a century earlier; '' beyond the maximum age. */
  earlierBirth: string;
  expiry: MrzField;
  /** Optional data, fillers as spaces: a personal or second number. */
  optional: MrzField;
  optional2: MrzField;
  sex: 'M' | 'F' | '';
  /** Names have no check digit. In capitals, A to Z, words separated by spaces. */
  lastName: string;
  firstName: string;
  /** Two engines, or three reads of one, have the same names. */
  areNamesAgreed: boolean;
  /** The names fill their field and may be truncated. */
  isNameCut: boolean;
  /** `unchecked` where the format has no composite digit. */
  composite: Validity;
  /** A check digit is invalid although two engines read every line alike, and others are valid. */
  contradictsItself: boolean;
  /** All check digits are valid for the lines of one engine: no second engine is needed. */
  holds: boolean;
};

const NOTHING: MrzField = { value: '', validity: 'unchecked' };

/**
 * Parses a machine readable zone from several reads; null if none has its shape. Letters and digits are corrected by their
 * positions, reads are combined field by field, and a field is valid only if the check digits leave one answer. If the
 * combination is invalid but one read is valid, reads that contradict it are dropped.
 */
export function readMrz(candidates: readonly MrzLines[], now: Date = new Date()): MrzResult | null {
  const together = resolveCandidates(candidates, now);
  if (together === null || together.holds || candidates.length === 1) return together;
  const alone = candidates.map((one) => ({ one, result: resolveCandidates([one], now) }));
  const holding = alone.flatMap(({ result }) => (result?.holds ? [result] : []));
  const [best] = holding;
  // Two valid reads that differ are ambiguous.
  if (!best || holding.some((other) => sameFields(other, best) < 3)) return together;
  // Reads of the same rows with a wrong offset only take votes from the one with valid check digits.
  const agreeing = alone.filter(({ result }) => result !== null && sameFields(result, best) >= 2);
  const supported = resolveCandidates(
    agreeing.map(({ one }) => one),
    now,
  );
  return withOtherEngine(supported?.holds ? supported : best, candidates);
}

/** Maximum offset of the number in a read of the rows with a wrong offset. */
const MAX_SHIFT = 1;

/**
 * Makes the number valid if two engines read it with its digit, even if their rows differ otherwise: two engines with
 * different methods do not make the same error of equal weight.
 */
function withOtherEngine(result: MrzResult, candidates: readonly MrzLines[]): MrzResult {
  const reads = collectReads(candidates);
  if (reads?.layout.format !== result.format || result.number.validity !== 'unchecked') return result;
  const span = withItsDigit(reads.layout, 'number');
  const text = cut(result.lines, span);
  if (!holds(text, { kind: 'number' })) return result;
  const engines = new Set(
    candidates.flatMap(({ engine, lines }) => {
      const at = lines.map((line) => cleanLine(line).indexOf(text));
      return at.some((start) => start >= 0 && Math.abs(start - span.start) <= MAX_SHIFT) ? [engine] : [];
    }),
  );
  return engines.size > 1 ? { ...result, number: { ...result.number, validity: 'valid' } } : result;
}

/** Number of equal values among number, birth and expiry; 0 for zones of different formats. */
function sameFields(a: MrzResult, b: MrzResult): number {
  if (a.format !== b.format) return 0;
  return (['number', 'birth', 'expiry'] as const).filter((name) => a[name].value === b[name].value).length;
}

function resolveCandidates(candidates: readonly MrzLines[], now: Date): MrzResult | null {
  const reads = collectReads(candidates);
  if (reads === null) return null;
  const result = resolveZone(reads, now);
  if (result.format !== 'FRA-ID' || result.composite === 'valid') return result;
  // Other French documents of this size use the common order.
  const common = resolveZone(collectReads(candidates, 'I')!, now);
  return common.composite === 'valid' ? common : result;
}

function resolveZone(reads: ZoneReads, now: Date): MrzResult {
  const { layout } = reads;
  const isWhole = reads.lines.every((line) => line.length > 0);
  const pieces = piecesOf(reads, layout);
  const resolution = resolvePieces(reads, pieces, layout.compositeDigit);
  // A zone without a line proves nothing as a whole, even if its fillers happen to satisfy the digit.
  const composite = isWhole ? resolution.composite : 'invalid';
  const settled = isWhole ? resolution.pieces : resolution.pieces.map(doubted);
  const lines = settled.reduce(
    (before, { text }, index) => (text === '' ? before : replaceSpan(before, pieces[index]!.span, text)),
    commonLines(reads),
  );
  const { nationality, sex } = layout.fields;
  const country = mrzCountry(cut(lines, ISSUER)) ?? '';
  return {
    format: layout.format,
    lines,
    documentCode: lines[0]!.slice(0, 2).replace(/<+$/, ''),
    country,
    nationality: nationality ? (mrzCountry(cut(lines, nationality)) ?? '') : country,
    ...fieldsOf(pieces, settled, now),
    ...cutNumberOf(pieces, settled, composite),
    ...namesOf(reads, lines),
    sex: sexOf(cut(lines, sex)),
    composite,
    contradictsItself: isReadAlike(reads) && failsAlone(lines, layout, pieces, settled, composite),
    holds:
      isWhole &&
      composite !== 'invalid' &&
      settled.every(({ wasReadAs }) => wasReadAs) &&
      lines.every((line, index) => wasReadWhole(reads, index, line)),
  };
}

function doubted({ text, validity, wasReadAs }: Resolved): Resolved {
  return { text, validity: validity === 'valid' ? 'unchecked' : validity, wasReadAs };
}

const KINDS: Readonly<Partial<Record<FieldName, Piece['kind']>>> = {
  number: 'number',
  birth: 'date',
  expiry: 'date',
};

/** Pieces in the order of the composite digit. */
function piecesOf(reads: ZoneReads, layout: MrzLayout): Piece[] {
  const pieces = layout.covered.map((field): Piece => {
    const hasDigit = layout.withDigit.includes(field);
    const kind = KINDS[field] ?? (hasDigit ? 'optional-with-digit' : 'free');
    return { field, span: withItsDigit(layout, field), kind };
  });
  const { number, optional } = layout.fields;
  if (layout.lineCount === 2 && optional && isNumberCut(reads, layout)) {
    return pieces.map((piece) => (piece.field === 'number' ? { ...piece, kind: 'cut-number' } : piece));
  }
  if (layout.format !== 'TD1' || !optional) return pieces;
  const long: Piece = { field: 'number', span: { ...number, end: optional.end }, kind: 'long-number' };
  if (readsAt(reads, long.span)[0]?.text[9] !== '<') return pieces;
  return [long, ...pieces.filter(({ field }) => field !== 'number' && field !== 'optional')];
}

/** Whether most reads have a filler where the check digit of a full number would be. */
function isNumberCut(reads: ZoneReads, layout: MrzLayout): boolean {
  return /^[A-Z0-9]{9}<$/.test(readsAt(reads, withItsDigit(layout, 'number'))[0]?.text ?? '');
}

type Fields = Pick<MrzResult, 'number' | 'birth' | 'earlierBirth' | 'expiry' | 'optional' | 'optional2'>;

function fieldsOf(pieces: readonly Piece[], settled: readonly Resolved[], now: Date): Fields {
  const field = (name: FieldName, read: (text: string, kind: Piece['kind']) => string): MrzField => {
    const index = pieces.findIndex((piece) => piece.field === name);
    return index < 0 ? NOTHING : fieldOf(settled[index]!, (text) => read(text, pieces[index]!.kind));
  };
  const long = settled[pieces.findIndex(({ kind }) => kind === 'long-number')];
  const birth = field('birth', (text) => usDate(shortBirth(text.slice(0, 6), now)));
  const born = parseUsDate(birth.value);
  const restOfLong = long && bare(longNumber(long.text)?.optional ?? '');
  return {
    number: field('number', (text, kind) =>
      kind === 'long-number' ? (longNumber(text)?.body ?? '') : bare(text.slice(0, -1)),
    ),
    birth,
    earlierBirth: usDate(born && centuryBefore(born, now)),
    expiry: field('expiry', (text) => usDate(shortExpiry(text.slice(0, 6), now))),
    optional: restOfLong
      ? { value: restOfLong, validity: 'unchecked' }
      : field('optional', (text, kind) => bare(kind === 'free' ? text : text.slice(0, -1))),
    optional2: field('optional2', bare),
  };
}

/** Number and rest of the optional data, if the number continues there; otherwise nothing. */
function cutNumberOf(
  pieces: readonly Piece[],
  settled: readonly Resolved[],
  composite: Validity,
): Partial<Pick<MrzResult, 'number' | 'optional'>> {
  const [number, optional] = [
    settled[pieces.findIndex(({ kind }) => kind === 'cut-number')],
    settled[pieces.findIndex(({ field }) => field === 'optional')],
  ];
  if (!number || !optional) return {};
  // A passport's optional data end with their own digit.
  const hasDigit = pieces.some(({ kind }) => kind === 'optional-with-digit');
  const text = hasDigit ? optional.text.slice(0, -1) : optional.text;
  const joined = joinNumber(number, { ...optional, text }, composite);
  // A filler for its digit and no continuation: the number is unknown.
  if (!joined) return { number: { value: '', validity: 'invalid' } };
  return {
    number: { value: joined.number.text, validity: joined.number.validity },
    optional: { value: bare(joined.optional), validity: 'unchecked' },
  };
}

/** An impossible value (a day that does not exist) makes the field invalid, even with a valid digit. */
function fieldOf(piece: Resolved, read: (text: string) => string): MrzField {
  if (piece.validity === 'invalid') return { value: '', validity: 'invalid' };
  const value = read(piece.text);
  const isMissing = value === '' && !/^<*\d?$/.test(piece.text);
  return isMissing ? { value: '', validity: 'invalid' } : { value, validity: piece.validity };
}

function bare(text: string): string {
  return text.replace(/<+/g, ' ').trim();
}

function sexOf(letter: string): MrzResult['sex'] {
  return letter === 'M' || letter === 'F' ? letter : '';
}

function namesOf(reads: ZoneReads, lines: readonly string[]) {
  const { names, firstNames } = reads.layout.fields;
  const found = readsAt(reads, names);
  const best = found[0];
  const text = best?.text ?? cut(lines, names);
  const [last = '', ...first] = text.replace(/<+$/, '').split('<<');
  const given = firstNames ? cut(lines, firstNames) : first.join('<');
  return {
    lastName: bare(last),
    firstName: bare(given),
    areNamesAgreed: best !== undefined && (best.engines.size > 1 || (found.length === 1 && best.votes > 2)),
    isNameCut: !text.endsWith('<') || (firstNames !== undefined && !given.endsWith('<')),
  };
}

/** One check digit is invalid while at least two are valid. A filler in place of a digit does not count. */
function failsAlone(
  lines: readonly string[],
  layout: MrzLayout,
  pieces: readonly Piece[],
  settled: readonly Resolved[],
  composite: Validity,
): boolean {
  const own = layout.withDigit.flatMap((field) => {
    const index = pieces.findIndex((piece) => piece.field === field);
    const digit = cut(lines, withItsDigit(layout, field)).slice(-1);
    return /\d/.test(digit) && index >= 0 ? [settled[index]!.wasReadAs] : [];
  });
  const hasComposite = layout.compositeDigit !== null && /\d/.test(cut(lines, layout.compositeDigit));
  const all = hasComposite ? [...own, composite === 'valid'] : own;
  const held = all.filter(Boolean).length;
  return held >= 2 && held < all.length;
}
