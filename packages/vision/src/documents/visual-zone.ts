import type { TextLine } from '../readings.ts';
import { printedDay, usDate } from './dates.ts';
import { readAddress } from './visual-address.ts';
import { labelOf, type PrintedField } from './visual-labels.ts';

/** Printed value, with the confidence of its line. */
export type Printed = { text: string; confidence: number };

/** Printed values of a document by their labels. Dates are MM/DD/YYYY. null if not found. */
export type VisualZone = {
  lastName: Printed | null;
  firstName: Printed | null;
  /** Both names under one label. */
  fullName: Printed | null;
  birth: Printed | null;
  issue: Printed | null;
  expiry: Printed | null;
  number: Printed | null;
  number2: Printed | null;
  street: Printed | null;
  city: Printed | null;
  state: Printed | null;
  postalCode: Printed | null;
};

type Found = Partial<Record<PrintedField, Printed[]>>;

/** Maximum distance of a value below its label, in heights of the label. */
const MAX_BELOW = 4;
/** Maximum offset of its left edge, as a share of the document's width. */
const MAX_ASIDE = 0.06;

/** Maximum distance of a value to the right of its number. */
const MAX_BESIDE = 0.12;

/**
 * Numbers and short words before the values on licenses. EU directive 2006/126 and the AAMVA standard use the same numbers,
 * except for the number of the card (5 and 4d).
 */
const MARKED: readonly (readonly [PrintedField, RegExp])[] = [
  ['expiry', /^(?:4b[.,]?\s*)?EXP(?:IRES)?[:.]?\s*(.+)$/i],
  ['issue', /^(?:4a[.,]?\s*)?[I1l]SS(?:UED)?[:.]?\s*(\d.+)$/i],
  ['birth', /^(?:3[.,]?\s*)?(?:D[O0]B|D\.O\.B\.)[:.]?\s*(.+)$/i],
  ['lastName', /^(?:1[.,]?\s*)?LN[:.]?\s*(.+)$/],
  ['firstName', /^(?:2[.,]?\s*)?FN[:.]?\s*(.+)$/],
  ['number', /^(?:4d[.,]?\s*)?(?:DL|ID|LIC)(?:\s?(?:NO|#))?[:.]?\s*((?=.*\d)[A-Z0-9 -]{5,20})$/i],
  ['number', /^4d[.,]?\s*((?=.*\d)[A-Z0-9 -]{5,20})$/],
  ['lastName', /^1\.\s*(\D{2,})$/],
  ['firstName', /^2\.\s*(\D{2,})$/],
  ['birth', /^3\.\s*(\d.+)$/],
  ['issue', /^4a\.?\s*(\d.+)$/i],
  ['expiry', /^4b\.?\s*(\d.+)$/i],
  ['number', /^5\.\s*((?=.*\d)[A-Z0-9/ -]{5,20})$/i],
];

/** The printed fields of one or both sides. The country (alpha-2, '' unknown) determines the format of dates. */
export function readVisualZone(sides: readonly (readonly TextLine[])[], country: string): VisualZone {
  const found: Found = {};
  for (const side of sides) {
    const lines = joinMarks(side)
      .flatMap(splitMarks)
      .sort((a, b) => a.box.y - b.box.y);
    for (const [field, value] of [...markedFields(lines), ...labeledFields(lines)])
      found[field] = [...(found[field] ?? []), value];
  }
  const date = (values: readonly Printed[] = []) => {
    // Another label may be beside one of two labels: the first date counts.
    const dates = values.map((value) => ({ ...value, text: usDate(printedDay(value.text, country)) }));
    return dates.find(({ text }) => text !== '') ?? null;
  };
  return {
    lastName: nameIn(found.lastName?.[0]),
    firstName: nameIn(found.firstName?.[0]),
    fullName: nameIn(found.fullName?.[0]),
    birth: date(found.birth),
    issue: date(found.issue),
    expiry: date(found.expiry),
    number: numberIn(found.number?.[0]),
    number2: numberIn(found.number2?.[0]),
    ...readAddress(sides, country, found.address?.[0] ?? null),
  };
}

/** Joins a field's number with its value if they were read separately. */
function joinMarks(lines: readonly TextLine[]): TextLine[] {
  const isMark = ({ text }: TextLine) => /^\s*(?:[1235]|4[abd])[.,]?\s*$/i.test(text);
  const isBeside = (mark: TextLine, { box }: TextLine) =>
    Math.abs(box.y - mark.box.y) < mark.box.height / 2 &&
    box.x > mark.box.x &&
    box.x < mark.box.x + MAX_BESIDE;
  return lines.flatMap((line) => {
    if (isMark(line)) return [];
    const mark = lines.find((other) => isMark(other) && isBeside(other, line));
    return [
      mark ? { ...line, text: `${mark.text.trim().replace(/[.,]?$/, '.')} ${line.text.trim()}` } : line,
    ];
  });
}

/** Splits two numbered fields on one line (4a … 4b …) into two lines. */
function splitMarks(line: TextLine): TextLine[] {
  const second = /\s(4[bcd]\.)/.exec(line.text);
  if (!second || !/^4a/i.test(line.text)) return [line];
  return [line.text.slice(0, second.index), line.text.slice(second.index + 1)].map((text) => ({
    ...line,
    text,
  }));
}

function markedFields(lines: readonly TextLine[]): [PrintedField, Printed][] {
  return lines.flatMap(({ text, confidence }) => {
    const trimmed = text.trim();
    for (const [field, pattern] of MARKED) {
      const value = pattern.exec(trimmed)?.[1];
      // Some passports number their labels.
      if (value !== undefined && labelOf(value) === null) return [[field, { text: value, confidence }]];
    }
    return [];
  });
}

function labeledFields(lines: readonly TextLine[]): [PrintedField, Printed][] {
  const labels = lines.map((line) => labelOf(line.text.split(':')[0]!));
  return lines.flatMap((line, index) => {
    const field = labels[index];
    if (!field || field === 'other') return [];
    const value = valueBeside(line) ?? valueBelow(line, lines, labels);
    return value ? [[field, value]] : [];
  });
}

/** `Label: value` on one line. */
function valueBeside({ text, confidence }: TextLine): Printed | null {
  const value = text.split(':').slice(1).join(':').trim();
  return value === '' ? null : { text: value, confidence };
}

/** Nearest line below the label that is left-aligned with it and is not a label. */
function valueBelow(
  label: TextLine,
  lines: readonly TextLine[],
  labels: readonly (PrintedField | null)[],
): Printed | null {
  for (const [index, line] of lines.entries()) {
    const below = line.box.y - label.box.y;
    const isBelow = below > label.box.height * 0.4 && below < label.box.height * MAX_BELOW;
    if (!isBelow || Math.abs(line.box.x - label.box.x) > MAX_ASIDE) continue;
    // A label at the position of the value: the value was not read.
    return labels[index] ? null : { text: line.text.trim(), confidence: line.confidence };
  }
  return null;
}

function nameIn(value: Printed | undefined): Printed | null {
  if (!value || /\d|</.test(value.text)) return null;
  const text = value.text
    .replace(/[^\p{L}\s'’.-]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim();
  return text.length > 1 ? { ...value, text } : null;
}

function numberIn(value: Printed | undefined): Printed | null {
  if (!value) return null;
  const text = value.text.toUpperCase().replace(/[\s.-]/g, '');
  return /^[A-Z0-9/]{4,20}$/.test(text) && /\d/.test(text) ? { ...value, text } : null;
}
