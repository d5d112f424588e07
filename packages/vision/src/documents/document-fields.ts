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

/** Parts of a document that were read. */
export type DocumentParts = {
  mrz: MrzResult | null;
  card: AamvaCard | null;
  print: VisualZone;
  lines: readonly TextLine[];
  /** Lines that can confirm a value: all except those of the machine readable zone. */
  printLines: readonly TextLine[];
  /** ISO 3166-1 alpha-2, '' if unknown. Determines the format of dates. */
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
  /** Print has another possible date of birth than the zone or the barcode. */
  hasOtherBirth: boolean;
};

/** Confidence from which a printed line counts alone: fewer than one in a hundred such lines is misread. */
const FAIR_CONFIDENCE = 0.96;
/** Lower for an address: it decides nothing, and a wrong letter in it is harmless. */
const FAIR_ADDRESS_CONFIDENCE = 0.93;
/** From this age on a two-digit year is unambiguous: hardly any person is a hundred years older. */
const MIN_CLEAR_AGE = 10;
/** Median confidence of the lines. Below it the image is too poor for print to count alone. */
const FAIR_IMAGE = 0.93;

/** Fields of a document after the cross-check of its parts. */
export function agreeOnFields(parts: DocumentParts): DocumentFields {
  const { mrz, card, print } = parts;
  const isClear = median(parts.lines.map(({ confidence }) => confidence)) >= FAIR_IMAGE;
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
  const labeled = (own: Printed | null, other: readonly Witness[]) =>
    printed(own).filter(({ value }) => !other.some((of) => of.value === value));
  const birth = agreeOnDate(
    [...machine.birth, ...labeled(print.birth, machine.expiry)],
    datesOf(page, print, 'birth'),
  );
  const expiry = agreeOnDate(
    [...machine.expiry, ...labeled(print.expiry, machine.birth)],
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
 * Printed occurrences of a date. A line labeled as the issue confirms no birth and no expiry. Birth and expiry are next to
 * each other, and a label of one that was read next to the other does not excuse a contradiction.
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

/** Maximum validity. A person younger than this at the expiry may have been born after the issue. */
const MAX_VALIDITY_YEARS = 16;

/** A date too early to be the issue, without a label, which the machine readable part does not contain. */
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
 * Document number in zone and print. Zones have room for nine characters, so a longer number in print was cut in the zone.
 * It has a value if the zone's optional data contain the rest; otherwise it is ambiguous.
 */
function numberWitnesses(mrz: MrzResult | null, page: PrintedPage, printed: readonly Witness[]): Witness[] {
  if (!mrz) return [...printed];
  const witness = zoneWitness(mrz.number);
  const longer = mrz.number.value.length === NUMBER_PLACES ? page.longerNumber(mrz.number.value) : null;
  if (longer === null) return [witness, ...printed];
  const isContinued = mrz.optional.value.replaceAll(' ', '').startsWith(longer.slice(NUMBER_PLACES));
  return isContinued ? [{ ...witness, value: longer, strength: 'weak' }, ...printed] : [];
}

/** Length of the number's field in zones of every format. */
const NUMBER_PLACES = 9;

/** Numbers have many labels. The zone's second number does not contradict its first. */
function numberOf(print: VisualZone, mrz: MrzResult | null): Printed | null {
  const second = secondNumber(mrz)?.value;
  return print.number && print.number.text === second ? null : print.number;
}

function secondNumber(mrz: MrzResult | null): MrzField | undefined {
  const field = mrz?.optional.value ? mrz.optional : mrz?.optional2;
  return field && { ...field, value: field.value.replaceAll(' ', '') };
}

/** An issue date only in print counts if it is a whole number of years before the expiry, and never if out of order. */
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
    // The names of a zone with invalid check digits are not reliable.
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
    // The label of one name was beside the other name, or beside both.
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
 * A card's name in one text without commas (version 1 of the standard, some states): print determines which of its words
 * are the family name. Without such print the card has no names.
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

/** An address in print is only confirmed by the confidence of its reading. */
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
