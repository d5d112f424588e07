/*
 * Printed dates, found anywhere in a text. A two-digit year has no century: such a date can confirm a known day, but is not
 * a value.
 */

/** Printed date. `year` has four digits, or two if `hasCentury` is false. */
export type PrintedDate = { year: number; month: number; day: number; hasCentury: boolean };

/** Day with a four-digit year. */
type KnownDay = { readonly year: number; readonly month: number; readonly day: number };

/** Full names by month in English, German, French, Spanish, Portuguese, Italian and Dutch, accents dropped. */
const MONTH_NAMES: readonly (readonly string[])[] = [
  ['january', 'januar', 'jaenner', 'janner', 'janvier', 'enero', 'janeiro', 'gennaio', 'januari'],
  ['february', 'februar', 'feber', 'fevrier', 'febrero', 'fevereiro', 'febbraio', 'februari'],
  ['march', 'maerz', 'marz', 'mrz', 'mars', 'marzo', 'marco', 'maart', 'mrt'],
  ['april', 'avril', 'abril', 'aprile'],
  ['may', 'mai', 'mayo', 'maio', 'maggio', 'mei'],
  ['june', 'juni', 'juin', 'junio', 'junho', 'giugno'],
  ['july', 'juli', 'juillet', 'julio', 'julho', 'luglio'],
  ['august', 'aout', 'agosto', 'augustus'],
  ['september', 'septembre', 'septiembre', 'setiembre', 'setembro', 'settembre'],
  ['october', 'oktober', 'octobre', 'octubre', 'outubro', 'ottobre'],
  ['november', 'novembre', 'noviembre', 'novembro'],
  ['december', 'dezember', 'decembre', 'diciembre', 'dezembro', 'dicembre'],
];
const SHORTEST_NAME = 3;

/** Months by every unique prefix of their names: jan, juil and sett, but not jui. */
const MONTHS = monthsByBeginning();

/** Countries whose documents print the month before the day. */
const MONTH_FIRST = new Set(['US']);

function monthsByBeginning(): ReadonlyMap<string, number> {
  const found = new Map<string, Set<number>>();
  for (const [index, names] of MONTH_NAMES.entries())
    for (const name of names)
      for (let length = SHORTEST_NAME; length <= name.length; length += 1) {
        const beginning = name.slice(0, length);
        found.set(beginning, (found.get(beginning) ?? new Set()).add(index + 1));
      }
  return new Map(
    [...found].flatMap(([name, months]) => (months.size === 1 ? [[name, [...months][0]!] as const] : [])),
  );
}

/** Month from 1 to 12; undefined for other words. */
export function monthNamed(word: string): number | undefined {
  const bare = word.toLowerCase().replaceAll('ä', 'ae').normalize('NFD').replace(/\p{M}/gu, '');
  return MONTHS.get(bare) ?? MONTHS.get(bare.replace('ae', 'a'));
}

/** Month in the words between a day and a year, in one language or several; null for none or for different months. */
function monthOf(words: string): number | null {
  const months = words
    .split(/[^\p{L}]+/u)
    .flatMap((word) => monthNamed(word) ?? halves(word))
    .filter((month) => month !== undefined);
  return months.length > 0 && new Set(months).size === 1 ? months[0]! : null;
}

/** Two languages without their slash, which OCR lost: AUGAOUT. */
function halves(word: string): number[] {
  for (let place = SHORTEST_NAME; place <= word.length - SHORTEST_NAME; place += 1) {
    const [first, second] = [monthNamed(word.slice(0, place)), monthNamed(word.slice(place))];
    if (first !== undefined && first === second) return [first];
  }
  return [];
}

const SEPARATOR = String.raw`\s{0,2}[./\-–,·: ]\s{0,2}`;
const SHORT = String.raw`(\d{1,2})`;
const YEAR = String.raw`(\d{4}|\d{2})(?!\d)`;
const WORDS = String.raw`(\p{L}{3,20}\.?(?:[\s./\-]{0,3}\p{L}{2,20}\.?){0,2}|\p{L}{2}\s\p{L}{3,12}\s\p{L}{2})`;
const GAP = String.raw`[\s.\-/,]{0,3}`;
// Searched from each position: a match that starts earlier may include a number beside the date.
const from = (pattern: string) => new RegExp(String.raw`(?<!\d)(?=${pattern})`, 'gu');
const NUMERIC = from(`${SHORT}${SEPARATOR}${SHORT}${SEPARATOR}${YEAR}`);
const YEAR_FIRST = from(String.raw`(\d{4})${SEPARATOR}${SHORT}${SEPARATOR}${SHORT}(?!\d)`);
const COMPACT = from(String.raw`(\d{2})(\d{2})(\d{4})(?!\d)`);
const COMPACT_YEAR_FIRST = from(String.raw`(\d{4})(\d{2})(\d{2})(?!\d)`);
const DAY_NAME = from(`${SHORT}${GAP}${WORDS}${GAP}${YEAR}`);
const YEAR_NAME = from(String.raw`(\d{4})${GAP}${WORDS}${GAP}${SHORT}(?!\d)`);
const NAME_DAY = new RegExp(String.raw`(?<!\p{L})(?=(\p{L}{3,12})${GAP}${SHORT}[\s.\-/,]{1,3}${YEAR})`, 'gu');

/**
 * All dates in a text: numbers with any separator, with the year last or first, names and abbreviations of months in
 * one language or two. `country` (alpha-2) decides whether the month is first; with '' both readings are returned.
 */
export function datesIn(text: string, country: string): PrintedDate[] {
  const numbers = digitsOf(text);
  const words = lettersOf(text);
  return [
    ...matches(NUMERIC, numbers).flatMap(([a, b, year]) => numericDates(a!, b!, year!, country)),
    ...matches(YEAR_FIRST, numbers).flatMap(([year, month, day]) => dateOf(year!, Number(month), day!)),
    ...matches(DAY_NAME, words).flatMap(([day, name, year]) => dateOf(year!, monthOf(name!), day!)),
    ...matches(YEAR_NAME, words).flatMap(([year, name, day]) => dateOf(year!, monthOf(name!), day!)),
    ...matches(NAME_DAY, words).flatMap(([name, day, year]) => dateOf(year!, monthOf(name!), day!)),
    ...matches(COMPACT, numbers).flatMap(([a, b, year]) => numericDates(a!, b!, year!, country)),
    ...matches(COMPACT_YEAR_FIRST, numbers).flatMap(([year, month, day]) =>
      dateOf(year!, Number(month), day!),
    ),
  ];
}

/** Whether a printed date equals a known day. A two-digit year is compared without the century. */
export function isDay({ year, month, day, hasCentury }: PrintedDate, known: KnownDay): boolean {
  return (
    month === known.month &&
    day === known.day &&
    (hasCentury ? year === known.year : year === known.year % 100)
  );
}

function matches(pattern: RegExp, text: string): string[][] {
  return [...text.matchAll(pattern)].map((match) => match.slice(1));
}

function numericDates(first: string, second: string, year: string, country: string): PrintedDate[] {
  const monthFirst = dateOf(year, Number(first), second);
  const dayFirst = dateOf(year, Number(second), first);
  if (country !== '') return MONTH_FIRST.has(country) ? monthFirst : dayFirst;
  return first === second ? dayFirst : [...dayFirst, ...monthFirst];
}

function dateOf(year: string, month: number | null, dayText: string): PrintedDate[] {
  if (month === null) return [];
  const [value, day] = [Number(year), Number(dayText)];
  const hasCentury = year.length === 4;
  if (hasCentury && (value < 1850 || value > 2200)) return [];
  // An unknown century uses a leap year.
  const date = new Date(Date.UTC(hasCentury ? value : 2000 + (value % 4 === 0 ? 0 : 1), month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? [{ year: value, month, day, hasCentury }] : [];
}

/** Letters that OCR returns for digits, among digits: O1.O2.199O. */
function digitsOf(text: string): string {
  let digits = text;
  for (const [letters, digit] of [
    ['OoQ', '0'],
    ['Il|', '1'],
    ['Zz', '2'],
    ['Ss', '5'],
    ['B', '8'],
  ] as const) {
    digits = digits
      .replace(new RegExp(`(?<=\\d[./\\- ]?)[${letters}](?=[\\d./\\- ]|$)`, 'g'), digit)
      .replace(new RegExp(`(?<=^|[\\s./\\-])[${letters}](?=\\d)`, 'g'), digit);
  }
  return digits;
}

/** Digits that OCR returns for letters in the names of months. */
function lettersOf(text: string): string {
  return text
    .replace(/0(?=[CK]T)/gi, 'O')
    .replace(/(?<=N)0(?=V)/gi, 'O')
    .replace(/(?<=AG)0(?!\d)/gi, 'O')
    .replace(/(?<=JU)1(?!\d)/gi, 'L')
    .replace(/(?<=[\s./-])5(?=EP)/gi, 'S')
    .replace(/(?<=[\s./-])4(?=UG|PR|GO)/gi, 'A');
}
