import type { TextLine } from '../readings.ts';
import { countryOfState } from './states.ts';

type Part = { text: string; confidence: number };
export type PrintedAddress = {
  street: Part | null;
  city: Part | null;
  state: Part | null;
  postalCode: Part | null;
};

const NONE: PrintedAddress = { street: null, city: null, state: null, postalCode: null };
/** SACRAMENTO, CA 95818 */
const AMERICAN_CITY = /^([A-Z][A-Z .'-]+?)(?:,\s*|\s+)([A-Z]{2})\s*(\d{5}(?:-\d{4})?)$/;
/** 20095 Hamburg, 3511 AA Utrecht, LS1 4AP Leeds */
const POSTAL_FIRST =
  /^(\d{5}|\d{4}\s?[A-Z]{2}|\d{4}|[A-Z]{1,2}\d[A-Z\d]?\s?\d[A-Z]{2})\s+(\p{L}[\p{L}\s.'-]+)$/u;

/** The address in print: under its label, or above a city with its state and postal code. */
export function readAddress(
  sides: readonly (readonly TextLine[])[],
  country: string,
  labeled: Part | null,
): PrintedAddress {
  const lines = sides.flatMap((side) => [...side].sort((a, b) => a.box.y - b.box.y));
  const index = lines.findIndex(({ text }) => isCity(text.trim(), country));
  const city = lines[index];
  // Without a label, a line of five digits and a word may be anything in Europe.
  if (!city || (!labeled && country !== 'US')) return NONE;
  const street = spaced(labeled ?? streetAbove(lines[index - 1]));
  const part = (text: string | undefined): Part | null =>
    text ? { text, confidence: city.confidence } : null;
  const american = AMERICAN_CITY.exec(city.text.trim());
  if (american)
    return { street, city: part(american[1]), state: part(american[2]), postalCode: part(american[3]) };
  const [, postal, name] = POSTAL_FIRST.exec(city.text.trim()) ?? [];
  return { street, city: part(name), state: null, postalCode: part(postal) };
}

function isCity(text: string, country: string): boolean {
  if (country !== 'US') return POSTAL_FIRST.test(text);
  const state = AMERICAN_CITY.exec(text)?.[2];
  return state !== undefined && countryOfState(state) === 'US';
}

/** Lost space after a house number, before a capitalized word (but not in 24TH). */
function spaced(street: Part | null): Part | null {
  return street && { ...street, text: street.text.replace(/^(\d+)(\p{Lu}\p{Ll})/u, '$1 $2') };
}

/**
 * A street starts with a house number. The number of the field on the card (8) may precede it; if the reader lost the
 * space between them, the house number cannot be determined.
 */
function streetAbove(line: TextLine | undefined): Part | null {
  const text = line?.text.trim().replace(/^8\.?\s+(?=\d)/, '') ?? '';
  return line && /^(?!8\d)\d+\s+\S/.test(text) ? { text, confidence: line.confidence } : null;
}
