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

/** What a machine readable zone says, and how far its check digits vouch for it. */
export type MrzResult = {
  format: MrzFormat;
  /** The lines as they most likely are. */
  lines: readonly string[];
  /** P, I, AC … without fillers. */
  documentCode: string;
  /** Issuing country, ISO 3166-1 alpha-2; '' when it is none or was not read. */
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
  /** Names have no check digit. In capitals, A to Z, words parted by spaces. */
  lastName: string;
  firstName: string;
  /** Two engines, or three reads of one, have the same names. */
  areNamesAgreed: boolean;
  /** The names fill their field, so that they may go on beyond it. */
  isNameCut: boolean;
  /** `unchecked` where the format has no composite digit. */
  composite: Validity;
  /** A check digit fails although two engines read every line alike, and others hold. */
  contradictsItself: boolean;
  /** Every check digit holds for lines that one engine read so: no second look is needed. */
  holds: boolean;
};

const NOTHING: MrzField = { value: '', validity: 'unchecked' };

/**
 * A machine readable zone out of several reads of it; null when none has the shape of one. Letters and digits are put
 * right by their places, reads are combined field by field, and only what the check digits leave one answer for is valid.
 * Where they do not add up together but one read does, the reads that contradict it are left out.
 */
export function readMrz(candidates: readonly MrzLines[], now: Date = new Date()): MrzResult | null {
  const together = resolveCandidates(candidates, now);
  if (together === null || together.holds || candidates.length === 1) return together;
  const alone = candidates.map((one) => ({ one, result: resolveCandidates([one], now) }));
  const holding = alone.flatMap(({ result }) => (result?.holds ? [result] : []));
  const [best] = holding;
  // Two reads that hold and differ leave it open which is right.
  if (!best || holding.some((other) => sameFields(other, best) < 3)) return together;
  // Reads of the same rows from a wrong place only take votes from the one whose check digits hold.
  const agreeing = alone.filter(({ result }) => result !== null && sameFields(result, best) >= 2);
  const supported = resolveCandidates(
    agreeing.map(({ one }) => one),
    now,
  );
  return withOtherEngine(supported?.holds ? supported : best, candidates);
}

/** How far a read of the rows from a wrong place may have the number beside its own place. */
const MAX_SHIFT = 1;

/**
 * The number valid where two engines have it with its digit, whatever else of their rows differs: what weighs the same
 * as another number is then read alike by two that compare different things.
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

/** How many of number, birth and expiry are the same; none of zones of different formats. */
function sameFields(a: MrzResult, b: MrzResult): number {
  if (a.format !== b.format) return 0;
  return (['number', 'birth', 'expiry'] as const).filter((name) => a[name].value === b[name].value).length;
}

function resolveCandidates(candidates: readonly MrzLines[], now: Date): MrzResult | null {
  const reads = collectReads(candidates);
  if (reads === null) return null;
  const result = resolveZone(reads, now);
  if (result.format !== 'FRA-ID' || result.composite === 'valid') return result;
  // France's other papers of this size keep to the common order.
  const common = resolveZone(collectReads(candidates, 'I')!, now);
  return common.composite === 'valid' ? common : result;
}

function resolveZone(reads: ZoneReads, now: Date): MrzResult {
  const { layout } = reads;
  const isWhole = reads.lines.every((line) => line.length > 0);
  const pieces = piecesOf(reads, layout);
  const resolution = resolvePieces(reads, pieces, layout.compositeDigit);
  // A zone that lacks a line proves nothing as a whole, whatever its fillers happen to sum up to.
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

/** The pieces in the order in which the composite digit covers them. */
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

/** The number and what is left of the optional data, where the number is continued there; nothing elsewhere. */
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
  // A passport's optional data end with a digit of their own.
  const hasDigit = pieces.some(({ kind }) => kind === 'optional-with-digit');
  const text = hasDigit ? optional.text.slice(0, -1) : optional.text;
  const joined = joinNumber(number, { ...optional, text }, composite);
  // A filler for its digit and nothing that continues it: the number is unknown.
  if (!joined) return { number: { value: '', validity: 'invalid' } };
  return {
    number: { value: joined.number.text, validity: joined.number.validity },
    optional: { value: bare(joined.optional), validity: 'unchecked' },
  };
}

/** A value that the text does not have (no such day) makes the field invalid, whatever its digit says. */
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

/** One check digit fails while at least two hold; a filler in a digit's place is no digit that fails. */
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
