import type { TextLine } from '../readings.ts';
import type { AamvaCard } from './aamva.ts';
import {
  type Agreed,
  agreeOnDate,
  agreeOnName,
  agreeOnNumber,
  type NameWitness,
  type OnPage,
  type Strength,
  type Witness,
} from './cross-check.ts';
import { ageOn, compareDays, parseUsDate, today, usDate, wholeYearsBetween } from './dates.ts';
import type { MrzField, MrzResult } from './mrz.ts';
import { isSameName, nameWords, titleCase } from './names.ts';
import { type PrintedPage, readPage } from './printed-page.ts';
import type { Printed, VisualZone } from './visual-zone.ts';

/** All parts of a document that were read. */
export type DocumentParts = {
  mrz: MrzResult | null;
  card: AamvaCard | null;
  print: VisualZone;
  lines: readonly TextLine[];
  /** The lines without those of the machine readable zone: what a value may be confirmed by. */
  printLines: readonly TextLine[];
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
  /** Print has a date that may be the birth, and not the one that the zone or the barcode has. */
  hasOtherBirth: boolean;
};

/** Confidence of a printed line that is taken alone: the reader is wrong about fewer than one in a hundred such. */
const FAIR_CONFIDENCE = 0.96;
/** An address decides nothing, and a letter amiss in one is read over. */
const FAIR_ADDRESS_CONFIDENCE = 0.93;
/** From this age on a two-digit year is unambiguous: hardly any person is a hundred years older. */
const MIN_CLEAR_AGE = 10;
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
  const page = readPage(parts.printLines, parts.country);
  const zoneBirths = mrz ? zoneBirth(mrz, card?.birth || print.birth?.text, page, parts.now) : [];
  const machine = {
    birth: [...barcode(card?.birth), ...zoneBirths],
    expiry: [...barcode(card?.expiry), ...zone(mrz?.expiry)],
  };
  const labelled = (own: Printed | null, other: readonly Witness[]) =>
    printed(own).filter(({ value }) => !other.some((of) => of.value === value));
  const birth = agreeOnDate(
    [...machine.birth, ...labelled(print.birth, machine.expiry)],
    datesOf(page, print, 'birth'),
  );
  const expiry = agreeOnDate(
    [...machine.expiry, ...labelled(print.expiry, machine.birth)],
    datesOf(page, print, 'expiry'),
  );
  const issues = issueWitnesses(printed(print.issue), birth.value, expiry.value);
  const numbers = [...barcode(card?.number), ...numberWitnesses(mrz, page, printed(numberOf(print, mrz)))];
  const onPage: OnPage = {
    isPrinted: page.hasNumber,
    isPrintedExactly: (value) => page.hasNumber(value, true),
    isUnclaimed: page.hasNumber,
  };
  return {
    ...agreeOnNames(parts, isClear, page),
    birth,
    expiry,
    issue: agreeOnDate([...barcode(card?.issue), ...issues], datesOf(page, print, 'issue')),
    number: agreeOnNumber(numbers, onPage),
    number2: agreeOnNumber([...zone(secondNumber(mrz)), ...printed(print.number2)], onPage),
    address: card ? cardAddress(card) : printedAddress(print, isClear),
    hasOtherBirth: !birth.isConfirmed && hasOtherBirth(page, machine.birth, machine.expiry, print),
  };
}

type DateField = 'birth' | 'expiry' | 'issue';

/**
 * Where print has a date. A line that a label claims for the issue confirms no birth and no expiry; birth and expiry
 * stand beside each other, and a label of one that was read beside the other excuses no contradiction.
 */
function datesOf(page: PrintedPage, print: VisualZone, field: DateField): OnPage {
  const others = (['birth', 'expiry', 'issue'] as const).filter((other) => other !== field);
  const claims = (value: string, fields: readonly DateField[]) =>
    fields.filter((other) => print[other]?.text === value).length;
  const isPrinted = (value: string) =>
    page.countDate(value) > claims(value, field === 'issue' ? [] : ['issue']);
  return {
    isPrinted,
    isPrintedExactly: isPrinted,
    isUnclaimed: (value) => page.countDate(value) > claims(value, others),
  };
}

/** No document is given for longer; a person younger than this at its expiry may have been born after its issue. */
const MAX_VALIDITY_YEARS = 16;

/** A date too early to be the issue, which no label explains and the machine readable part does not have. */
function hasOtherBirth(
  { dates }: PrintedPage,
  births: readonly Witness[],
  expiries: readonly Witness[],
  print: VisualZone,
): boolean {
  const [expires] = expiries.flatMap(({ value }) => parseUsDate(value) ?? []);
  if (!expires || births.length === 0) return false;
  const known = [...births, ...expiries].map(({ value }) => value);
  const earliestIssue = { ...expires, year: expires.year - MAX_VALIDITY_YEARS };
  return dates.some((date) => {
    const text = usDate(date);
    return compareDays(date, earliestIssue) < 0 && !known.includes(text) && text !== print.issue?.text;
  });
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
 * A two-digit year does not distinguish a small child from a person a hundred years older. A source with a four-digit year
 * decides; without one the date of birth is empty.
 */
function zoneBirth(
  { birth, earlierBirth, expiry }: MrzResult,
  written: string | undefined,
  page: PrintedPage,
  now: Date,
): Witness[] {
  const later = zoneWitness(birth);
  if (earlierBirth === '') return [later];
  const earlier = { ...later, value: earlierBirth };
  const [born, expires] = [birth.value, expiry.value].map(parseUsDate);
  if (born && expires && compareDays(born, expires) > 0) return [earlier];
  if (written) {
    const isNearer = differentDigits(written, earlierBirth) < differentDigits(written, birth.value);
    return [isNearer ? earlier : later];
  }
  if (page.hasWholeDate(earlierBirth)) return [earlier];
  return ageOn(parseUsDate(birth.value)!, today(now))! < MIN_CLEAR_AGE ? [] : [later];
}

function differentDigits(a: string, b: string): number {
  return [...a].filter((digit, place) => digit !== b[place]).length;
}

/**
 * The number as zone and print have it. Zones have room for nine characters: one that goes on in print was cut. It is
 * given where the rest stands in the zone's optional data; otherwise nothing says which of the two is the number.
 */
function numberWitnesses(mrz: MrzResult | null, page: PrintedPage, printed: readonly Witness[]): Witness[] {
  if (!mrz) return [...printed];
  const witness = zoneWitness(mrz.number);
  const longer = mrz.number.value.length === NUMBER_PLACES ? page.longerNumber(mrz.number.value) : null;
  if (longer === null) return [witness, ...printed];
  const isContinued = mrz.optional.value.replaceAll(' ', '').startsWith(longer.slice(NUMBER_PLACES));
  return isContinued ? [{ ...witness, value: longer, strength: 'weak' }, ...printed] : [];
}

/** Places of the number's field in zones of every format. */
const NUMBER_PLACES = 9;

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

function agreeOnNames(parts: DocumentParts, isClear: boolean, page: PrintedPage) {
  const { mrz, print } = parts;
  const card = parts.card && splitName(parts.card, print);
  const fromPrint = (field: 'lastName' | 'firstName'): NameWitness | null => {
    const value = print[field];
    return value && { ...printWitness(value, isClear), isCut: false };
  };
  const fromMachine = (field: 'lastName' | 'firstName'): NameWitness | null => {
    if (card) {
      const strength = card.isNameSure ? 'sure' : 'weak';
      return { source: 'barcode', value: card[field], strength, isCut: card.isNameCut };
    }
    if (!mrz) return null;
    // A zone whose digits fail was not read well enough to believe its names.
    const strength = mrz.areNamesAgreed && mrz.composite !== 'invalid' ? 'fair' : 'weak';
    const isCut = mrz.isNameCut && (field === 'firstName' || mrz.firstName === '');
    return { source: 'zone', value: mrz[field], strength, isCut };
  };
  const onPage: OnPage = {
    isPrinted: page.hasName,
    isPrintedExactly: (value) => page.hasName(value, true),
    isUnclaimed: page.hasName,
  };
  const agreed = (field: 'lastName' | 'firstName', other: 'lastName' | 'firstName') => {
    const [machine, printed] = [fromMachine(field), fromPrint(field)];
    const rest = fromMachine(other)?.value ?? '';
    // The label of one name stood beside the other, or beside both.
    const isAmbiguous =
      machine !== null &&
      printed !== null &&
      rest !== '' &&
      [rest, `${rest} ${machine.value}`, `${machine.value} ${rest}`].some((name) =>
        isSameName(printed.value, name),
      );
    return titled(agreeOnName(machine, isAmbiguous ? null : printed, onPage));
  };
  const lastName = agreed('lastName', 'firstName');
  const firstName = agreed('firstName', 'lastName');
  const wholePrint =
    print.lastName !== null && print.firstName !== null && lastName.isConfirmed && firstName.isConfirmed;
  return { lastName, firstName, isNameCut: (card?.isNameCut ?? mrz?.isNameCut ?? false) && !wholePrint };
}

/**
 * A card's name in one text without commas (version 1 of the standard, some states): print says which of its words are
 * the family name. Without print that has them, the card gives none.
 */
function splitName(card: AamvaCard, print: VisualZone): AamvaCard {
  if (card.wholeName === '') return card;
  const words = card.wholeName.split(' ');
  const splits = words.slice(1).flatMap((_, index) => {
    const [head, tail] = [words.slice(0, index + 1).join(' '), words.slice(index + 1).join(' ')];
    return [
      { firstName: head, lastName: tail },
      { firstName: tail, lastName: head },
    ];
  });
  const printed = [print.lastName, print.firstName].map((value) => nameWords(value?.text ?? '').join(' '));
  const found = splits.filter(({ lastName, firstName }) =>
    [lastName, firstName].every((name, index) => nameWords(name).join(' ') === printed[index]),
  );
  return found.length === 1 ? { ...card, ...found[0]! } : card;
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
