/*
 * Positions of the fields of machine readable zones (ICAO Doc 9303, parts 4 to 7, and French identity cards from before
 * 2021).
 */

export type MrzFormat = 'TD1' | 'TD2' | 'TD3' | 'MRV-A' | 'MRV-B' | 'FRA-ID';

/** Characters allowed at a position. Determines the correction of a misread letter or digit. */
export type PlaceKind = 'letter' | 'digit' | 'any';

export type Span = {
  line: number;
  start: number;
  end: number;
};

export type FieldName =
  | 'head'
  | 'names'
  | 'firstNames'
  | 'number'
  | 'nationality'
  | 'birth'
  | 'sex'
  | 'expiry'
  | 'optional'
  | 'optional2';

export type MrzLayout = {
  format: MrzFormat;
  lineCount: number;
  length: number;
  /** Fields without their check digits. */
  fields: Readonly<Partial<Record<FieldName, Span>>> &
    Readonly<Record<'names' | 'number' | 'birth' | 'sex', Span>>;
  /** Fields followed by their check digit. */
  withDigit: readonly FieldName[];
  /** Fields that the composite digit covers, in order; without one, the fields to judge. */
  covered: readonly FieldName[];
  /** Visas have none. */
  compositeDigit: Span | null;
};

const at = (line: number, start: number, end: number): Span => ({ line, start, end });

export const ISSUER = at(0, 2, 5);

const DIGITS = ['number', 'birth', 'expiry'] as const;

const TD1: MrzLayout = {
  format: 'TD1',
  lineCount: 3,
  length: 30,
  fields: {
    names: at(2, 0, 30),
    number: at(0, 5, 14),
    optional: at(0, 15, 30),
    birth: at(1, 0, 6),
    sex: at(1, 7, 8),
    expiry: at(1, 8, 14),
    nationality: at(1, 15, 18),
    optional2: at(1, 18, 29),
  },
  withDigit: DIGITS,
  covered: ['number', 'optional', 'birth', 'expiry', 'optional2'],
  compositeDigit: at(1, 29, 30),
};

/** Passports, visas and larger cards share the second line up to the expiry. */
function twoLines(format: MrzFormat, length: number, optional: Span, compositeDigit: Span | null): MrzLayout {
  return {
    format,
    lineCount: 2,
    length,
    fields: {
      names: at(0, 5, length),
      number: at(1, 0, 9),
      nationality: at(1, 10, 13),
      birth: at(1, 13, 19),
      sex: at(1, 20, 21),
      expiry: at(1, 21, 27),
      optional,
    },
    withDigit: format === 'TD3' ? [...DIGITS, 'optional'] : DIGITS,
    covered: [...DIGITS, 'optional'],
    compositeDigit,
  };
}

const TD2 = twoLines('TD2', 36, at(1, 28, 35), at(1, 35, 36));
const TD3 = twoLines('TD3', 44, at(1, 28, 42), at(1, 43, 44));
const MRV_A = twoLines('MRV-A', 44, at(1, 28, 44), null);
const MRV_B = twoLines('MRV-B', 36, at(1, 28, 36), null);

/** French cards from before 2021: the composite digit covers both lines completely, and there is no expiry. */
const FRENCH_CARD: MrzLayout = {
  format: 'FRA-ID',
  lineCount: 2,
  length: 36,
  fields: {
    head: at(0, 0, 36),
    names: at(0, 5, 30),
    number: at(1, 0, 12),
    firstNames: at(1, 13, 27),
    birth: at(1, 27, 33),
    sex: at(1, 34, 35),
  },
  withDigit: ['number', 'birth'],
  covered: ['head', 'number', 'firstNames', 'birth', 'sex'],
  compositeDigit: at(1, 35, 36),
};

/** Longest first, so that a cut line is not mistaken for a complete one of a smaller format. */
export const SHAPES = [
  { lineCount: 2, length: 44 },
  { lineCount: 2, length: 36 },
  { lineCount: 3, length: 30 },
] as const;

/** Layout by the length of the lines and the start of the first: V is a visa, IDFRA on lines of 36 a French card. */
export function layoutOf(lineCount: number, length: number, head: string): MrzLayout {
  if (lineCount === 3) return TD1;
  if (length === 44) return head.startsWith('V') ? MRV_A : TD3;
  if (head.startsWith('IDFRA')) return FRENCH_CARD;
  return head.startsWith('V') ? MRV_B : TD2;
}

/** Characters allowed at each position of the lines. */
export function placeKinds(layout: MrzLayout): PlaceKind[][] {
  const { fields, withDigit, compositeDigit } = layout;
  const kinds = Array.from({ length: layout.lineCount }, () =>
    new Array<PlaceKind>(layout.length).fill('any'),
  );
  const mark = (span: Span | null | undefined, kind: PlaceKind) =>
    span && kinds[span.line]!.fill(kind, span.start, span.end);
  mark(at(0, 0, 5), 'letter');
  for (const span of [fields.names, fields.firstNames, fields.nationality, fields.sex]) mark(span, 'letter');
  for (const span of [fields.birth, fields.expiry, compositeDigit]) mark(span, 'digit');
  for (const name of withDigit) mark(digitPlace(fields[name]!), 'digit');
  return kinds;
}

function digitPlace({ line, end }: Span): Span {
  return { line, start: end, end: end + 1 };
}

/** Field with its check digit, if it has one. */
export function withItsDigit({ fields, withDigit }: MrzLayout, name: FieldName): Span {
  const span = fields[name]!;
  return withDigit.includes(name) ? { ...span, end: span.end + 1 } : span;
}

export function cut(lines: readonly string[], { line, start, end }: Span): string {
  return lines[line]!.slice(start, end);
}
