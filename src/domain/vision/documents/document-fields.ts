import type { TextLine } from '../readings.ts';
import type { AamvaCard } from './aamva.ts';
import {
  type Agreed,
  agreeOnDate,
  agreeOnName,
  agreeOnNumber,
  type IsOnPage,
  type NameWitness,
  type Strength,
  type Witness,
} from './cross-check.ts';
import { ageOn, parseUsDate, printedDay, today, usDate, wholeYearsBetween } from './dates.ts';
import type { MrzField, MrzResult } from './mrz.ts';
import { isSameName, titleCase } from './names.ts';
import type { Printed, VisualZone } from './visual-zone.ts';

/** All parts of a document that were read. */
export type DocumentParts = {
  mrz: MrzResult | null;
  card: AamvaCard | null;
  print: VisualZone;
  lines: readonly TextLine[];
  /** ISO 3166-1 alpha-2, '' unknown: how dates are written. */
  country: string;
  now: Date;
};

export type DocumentFields = {
  lastName: Agreed;
  firstName: Agreed;
  isNameCut: boolean;
  birth: Agreed;
  expiry: Agreed;
  issue: Agreed;
  number: Agreed;
  number2: Agreed;
  address: { street: string; city: string; state: string; postalCode: string };
};

/** Confidence of a printed line that is taken alone: the reader is wrong about fewer than one in a hundred such. */
const FAIR_CONFIDENCE = 0.96;
/** An address decides nothing, and a letter amiss in one is read over. */
const FAIR_ADDRESS_CONFIDENCE = 0.93;
/** From this age on two digits of a year are believed alone: next to nobody is a hundred years older. */
const LEAST_CLEAR_AGE = 10;
/** The reader's confidence of the middle line: below, the whole picture is too poor to take any print alone. */
const FAIR_PICTURE = 0.93;

/** Each field of a document as its parts agree on it. */
export function agreeOnFields(parts: DocumentParts): DocumentFields {
  const { mrz, card, print } = parts;
  const isClear = median(parts.lines.map(({ confidence }) => confidence)) >= FAIR_PICTURE;
  const printed = (value: Printed | null): Witness[] => (value ? [printWitness(value, isClear)] : []);
  const zone = (field: MrzField | undefined): Witness[] => (field ? [zoneWitness(field)] : []);
  const barcode = (value: string | undefined): Witness[] =>
    value === undefined ? [] : [{ source: 'barcode', value, strength: 'sure' }];
  const page = pageOf(parts);
  const zoneBirths = mrz ? zoneBirth(mrz, card?.birth || print.birth?.text, page.hasDate, parts.now) : [];
  const birth = agreeOnDate([...barcode(card?.birth), ...zoneBirths, ...printed(print.birth)], page.hasDate);
  const expiry = agreeOnDate(
    [...barcode(card?.expiry), ...zone(mrz?.expiry), ...printed(print.expiry)],
    page.hasDate,
  );
  const issues = issueWitnesses(printed(print.issue), birth.value, expiry.value);
  const numbers = [...barcode(card?.number), ...zone(mrz?.number), ...printed(numberOf(print, mrz))];
  return {
    ...agreeOnNames(parts, isClear, page.hasName),
    birth,
    expiry,
    issue: agreeOnDate([...barcode(card?.issue), ...issues], page.hasDate),
    number: agreeOnNumber(numbers, page.hasNumber),
    number2: agreeOnNumber([...zone(secondNumber(mrz)), ...printed(print.number2)], page.hasNumber),
    address: card ? cardAddress(card) : printedAddress(print, isClear),
  };
}

/** What stands anywhere in print; the lines of the zone itself do not count. */
function pageOf({ lines, country }: DocumentParts) {
  const texts = lines.map(({ text }) => text).filter((text) => !text.includes('<'));
  const dates = new Set(texts.map((text) => usDate(printedDay(text, country))));
  const squeezed = texts.map((text) => text.toUpperCase().replace(/[^A-Z0-9]/g, ''));
  return {
    hasDate: (value: string) => dates.has(value),
    hasNumber: (value: string) => squeezed.some((text) => text.includes(value)),
    hasName: (value: string) => texts.some((text) => isSameName(text, value)),
  };
}

function printWitness({ text, confidence }: Printed, isClear: boolean): Witness {
  return {
    source: 'print',
    value: text,
    strength: isClear && confidence >= FAIR_CONFIDENCE ? 'fair' : 'weak',
  };
}

function zoneWitness({ value, validity }: MrzField): Witness {
  return { source: 'zone', value, strength: validity === 'valid' ? 'sure' : 'weak' };
}

/**
 * Two digits of a year do not tell a small child from somebody a hundred years older: what writes out the year decides.
 * Where nothing does, there is no birth.
 */
function zoneBirth(
  { birth, earlierBirth }: MrzResult,
  written: string | undefined,
  isOnPage: IsOnPage,
  now: Date,
): Witness[] {
  const later = zoneWitness(birth);
  if (earlierBirth === '') return [later];
  const earlier = { ...later, value: earlierBirth };
  if (written) {
    const isNearer = differentDigits(written, earlierBirth) < differentDigits(written, birth.value);
    return [isNearer ? earlier : later];
  }
  if (isOnPage(earlierBirth)) return [earlier];
  return ageOn(parseUsDate(birth.value)!, today(now))! < LEAST_CLEAR_AGE ? [] : [later];
}

function differentDigits(a: string, b: string): number {
  return [...a].filter((digit, place) => digit !== b[place]).length;
}

/** Numbers carry many labels: one that is the zone's second number is no rival of its first. */
function numberOf(print: VisualZone, mrz: MrzResult | null): Printed | null {
  const second = secondNumber(mrz)?.value;
  return print.number && print.number.text === second ? null : print.number;
}

function secondNumber(mrz: MrzResult | null): MrzField | undefined {
  const field = mrz?.optional.value ? mrz.optional : mrz?.optional2;
  return field && { ...field, value: field.value.replaceAll(' ', '') };
}

/** An issue date in print alone is believed when it makes a whole number of years with the expiry, and never out of order. */
function issueWitnesses(witnesses: readonly Witness[], birth: string, expiry: string): Witness[] {
  return witnesses.flatMap((witness) => {
    const issued = parseUsDate(witness.value);
    const [born, expires] = [parseUsDate(birth), parseUsDate(expiry)];
    if (!issued || (born && wholeYearsBetween(born, issued) === null)) return [];
    if (!expires) return [witness];
    const years = wholeYearsBetween(issued, expires);
    if (years === null) return [{ ...witness, strength: 'weak' as Strength }];
    return [{ ...witness, strength: years.isWhole ? ('fair' as Strength) : witness.strength }];
  });
}

function agreeOnNames({ mrz, card, print }: DocumentParts, isClear: boolean, isOnPage: IsOnPage) {
  const fromPrint = (value: Printed | null): NameWitness | null =>
    value && { ...printWitness(value, isClear), isCut: false };
  const fromMachine = (field: 'lastName' | 'firstName'): NameWitness | null => {
    if (card) return { source: 'barcode', value: card[field], strength: 'sure', isCut: card.isNameCut };
    if (!mrz) return null;
    // A zone whose digits fail was not read well enough to believe its names.
    const strength = mrz.areNamesAgreed && mrz.composite !== 'invalid' ? 'fair' : 'weak';
    const isCut = mrz.isNameCut && (field === 'firstName' || mrz.firstName === '');
    return { source: 'zone', value: mrz[field], strength, isCut };
  };
  const lastName = titled(agreeOnName(fromMachine('lastName'), fromPrint(print.lastName), isOnPage));
  const firstName = titled(agreeOnName(fromMachine('firstName'), fromPrint(print.firstName), isOnPage));
  const wholePrint =
    print.lastName !== null && print.firstName !== null && lastName.isConfirmed && firstName.isConfirmed;
  return { lastName, firstName, isNameCut: (card?.isNameCut ?? mrz?.isNameCut ?? false) && !wholePrint };
}

function titled(agreed: Agreed): Agreed {
  return { ...agreed, value: titleCase(agreed.value) };
}

function cardAddress({ street, city, state, postalCode }: AamvaCard): DocumentFields['address'] {
  return { street, city, state, postalCode };
}

/** Nothing vouches for an address in print but how clearly it was read. */
function printedAddress(print: VisualZone, isClear: boolean): DocumentFields['address'] {
  const sure = (value: Printed | null) =>
    value && isClear && value.confidence >= FAIR_ADDRESS_CONFIDENCE ? value.text : '';
  return {
    street: sure(print.street),
    city: sure(print.city),
    state: sure(print.state),
    postalCode: sure(print.postalCode),
  };
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
