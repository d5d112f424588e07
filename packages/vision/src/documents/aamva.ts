import { type Day, realDay, usDate } from './dates.ts';
import { countryOfState } from './states.ts';

/** Contents of the PDF417 barcode of a driver's license or identification card of the USA or Canada. Missing text is ''. */
export type AamvaCard = {
  kind: 'driver_license' | 'state_id';
  version: number;
  /** ISO 3166-1 alpha-2. */
  country: string;
  state: string;
  lastName: string;
  /** First and middle names. */
  firstName: string;
  /**
   * Name as one text, if the family name cannot be separated (version 1 without commas); `lastName` and `firstName` are
   * '' then. Otherwise ''.
   */
  wholeName: string;
  /** Whether each name has its own element. In a text separated by commas the order varies. */
  isNameSure: boolean;
  /** Whether the card flags a name as truncated. */
  isNameCut: boolean;
  /** MM/DD/YYYY. */
  birth: string;
  issue: string;
  expiry: string;
  number: string;
  street: string;
  city: string;
  postalCode: string;
};

/** Maximum length. No card has a longer text, and a PDF417 symbol cannot contain it. */
const MAX_TEXT_LENGTH = 4000;
/** Separators of elements and records. Any other control character is invalid in a card. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern searches for them.
const FORBIDDEN = /[\x00-\x09\x0b\x0c\x0e-\x1b\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufffd]/;
// biome-ignore lint/suspicious/noControlCharactersInRegex: separators of the standard.
const HEADER = /^@?[\n\r\x1c-\x1e ]{0,6}(?:ANSI |AAMVA)(\d{6})(\d{2})/;
const NO_VALUE = /^(?:NONE|UNAVL|UNAVAIL|N\/A|-*)$/i;

/**
 * Parses a card's text, anchored element by element (AAMVA DL/ID Card Design Standard, versions 1 to 10 and later). null
 * for other text, for control characters outside the standard, and for an element with two different values, which
 * indicates manipulation.
 */
export function parseAamva(text: string): AamvaCard | null {
  if (text.length > MAX_TEXT_LENGTH || FORBIDDEN.test(text)) return null;
  const header = HEADER.exec(text);
  if (!header) return null;
  const version = Number(header[2]);
  const subfile = findSubfile(text, header[0].length, version);
  const elements = subfile && readElements(subfile.body);
  if (!subfile || !elements) return null;
  const card = readCard(subfile.kind, version, elements);
  const isCard =
    card.number !== '' && `${card.lastName}${card.firstName}${card.wholeName}` !== '' && card.birth !== '';
  return isCard ? card : null;
}

type Subfile = { kind: AamvaCard['kind']; body: string };

/**
 * The DL or ID subfile by the directory, or after the end of the directory if its offsets are wrong, as in some states.
 * Some states omit the two letters at the start of the subfile.
 */
function findSubfile(text: string, headerEnd: number, version: number): Subfile | null {
  const directory = findDirectory(text, headerEnd, version);
  if (!directory) return null;
  const { entries, end } = directory;
  for (const [, type, offset] of entries.matchAll(/([A-Z]{2})(\d{4})\d{4}/g)) {
    if (type !== 'DL' && type !== 'ID') continue;
    const starts = [Number(offset), end, text.indexOf(type, end)];
    const start = starts.find((place) => isSubfile(text, place, type)) ?? starts.find(isElementAt(text, end));
    if (start === undefined) continue;
    const body = text.slice(start).startsWith(type) ? text.slice(start + 2) : text.slice(start);
    // A carriage return ends a subfile; that of the state may follow. Before a line feed it only ends a line.
    const [own = ''] = body.trimStart().split(/\r(?!\n)/);
    return { kind: type === 'DL' ? 'driver_license' : 'state_id', body: own };
  }
  return null;
}

/** Entries of the directory, after the number of subfiles. From version 2 on the jurisdiction version precedes it. */
function findDirectory(text: string, headerEnd: number, version: number) {
  const lengths = version >= 2 ? [4, 2] : [2, 4];
  for (const length of lengths) {
    const start = headerEnd + length;
    const [entries] = /^(?:[A-Z]{2}\d{8})+/.exec(text.slice(start)) ?? [];
    if (entries !== undefined) return { entries, end: start + entries.length };
  }
  return null;
}

const ELEMENT = /^\s*D[A-Z]{2}/;

function isSubfile(text: string, start: number, type: string): boolean {
  return start >= 0 && text.startsWith(type, start) && ELEMENT.test(text.slice(start + 2));
}

/** Whether an element starts after the directory or on a new line. */
function isElementAt(text: string, directoryEnd: number) {
  return (place: number) =>
    place >= directoryEnd &&
    (place === directoryEnd || /[\n\r]$/.test(text.slice(0, place))) &&
    ELEMENT.test(text.slice(place));
}

type Elements = ReadonlyMap<string, string>;

function readElements(body: string): Elements | null {
  const elements = new Map<string, string>();
  for (const line of body.split(/\r?\n/)) {
    const match = /^\s*([DZ][A-Z]{2})(.*)$/.exec(line);
    if (!match) continue;
    const [, id, value] = [match[0], match[1]!, match[2]!.trim()];
    const known = elements.get(id);
    if (known !== undefined && known !== value) return null;
    elements.set(id, value);
  }
  return elements;
}

function readCard(kind: AamvaCard['kind'], version: number, elements: Elements): AamvaCard {
  const get = (...ids: string[]) => {
    const value = ids.map((id) => elements.get(id) ?? '').find((found) => found !== '') ?? '';
    return NO_VALUE.test(value) ? '' : value;
  };
  const state = get('DAJ');
  const country = { USA: 'US', CAN: 'CA' }[get('DCG')] ?? countryOfState(state);
  const isYearFirst = version === 1 || country === 'CA';
  const date = (id: string) => usDate(compactDay(get(id), isYearFirst));
  return {
    kind,
    version,
    country,
    state,
    ...readNames(get),
    isNameCut: ['DDE', 'DDF', 'DDG'].some((id) => elements.get(id) === 'T'),
    birth: date('DBB'),
    issue: date('DBD'),
    expiry: date('DBA'),
    number: get('DAQ', 'DBJ'),
    street: [get('DAG'), get('DAH')].filter((part) => part !== '').join(', '),
    city: get('DAI'),
    postalCode: postalCode(get('DAK'), country),
  };
}

type Names = Pick<AamvaCard, 'lastName' | 'firstName' | 'wholeName' | 'isNameSure'>;

function readNames(get: (...ids: string[]) => string): Names {
  const words = (text: string) => text.replace(/[,\s]+/g, ' ').trim();
  const sure = { wholeName: '', isNameSure: true };
  const lastName = get('DCS', 'DAB');
  const given = [get('DAC', 'DCT'), get('DAD')].filter((part) => part !== '').join(' ');
  if (lastName !== '' || given !== '') return { lastName: words(lastName), firstName: words(given), ...sure };
  // Version 1: the whole name. The standard has the family name first, separated by commas; some cards have it last, and
  // some separate it only by spaces.
  const whole = get('DAA');
  if (!whole.includes(','))
    return { lastName: '', firstName: '', wholeName: words(whole), isNameSure: false };
  const [last = '', first = '', middle = ''] = whole.split(',');
  const firstName = words(`${first} ${NO_VALUE.test(middle) ? '' : middle}`);
  return { lastName: words(last), firstName, wholeName: '', isNameSure: false };
}

/** Eight digits. The year is first in version 1 and in Canada. Uses the only order that results in a valid day. */
function compactDay(text: string, isYearFirst: boolean): Day | null {
  if (!/^\d{8}$/.test(text)) return null;
  const part = (start: number, end: number) => Number(text.slice(start, end));
  const first = plausible(realDay(part(0, 4), part(4, 6), part(6, 8)));
  const last = plausible(realDay(part(4, 8), part(0, 2), part(2, 4)));
  return isYearFirst ? (first ?? last) : (last ?? first);
}

function plausible(day: Day | null): Day | null {
  return day && day.year >= 1850 && day.year < 2200 ? day : null;
}

/** Five digits in the USA, or nine with a hyphen. Cards pad missing digits with four zeros. */
function postalCode(text: string, country: string): string {
  const digits = /^(\d{5})-?(\d{4})?$/.exec(text);
  if (country !== 'US' || !digits) return text;
  return digits[2] === undefined || digits[2] === '0000' ? digits[1]! : `${digits[1]}-${digits[2]}`;
}
