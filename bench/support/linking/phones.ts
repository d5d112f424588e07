import type { Random } from '../signals/random.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import type { Country } from './countries.ts';

/** New number in the model, in its international form. */
export function drawPhone(country: Country, taken: Set<string>, random: Random): string {
  for (;;) {
    const digits = random.pick(country.mobilePatterns).replaceAll('#', () => String(random.whole(0, 9)));
    const phone = `+${country.callingCode}${digits}`;
    if (taken.has(phone)) continue;
    taken.add(phone);
    return phone;
  }
}

/** The number as typed by a person. */
export function writePhone(phone: string, country: Country, isExpected: boolean, random: Random): string {
  const prefix = `+${country.callingCode}`;
  // A person with a foreign number types the whole number.
  if (!phone.startsWith(prefix)) return phone;
  const national = phone.slice(prefix.length);
  const share = isExpected ? ASSUMPTIONS.nationalWhereExpected : ASSUMPTIONS.nationalElsewhere;
  if (random.chance(share)) return grouped(`${country.nationalPrefix}${national}`, random);
  return random.weighted([
    [phone, 55],
    [`${prefix} ${grouped(national, random)}`, 30],
    [`00${country.callingCode}${national}`, 15],
  ]);
}

function grouped(digits: string, random: Random): string {
  const separator = random.pick([' ', '-', '']);
  return `${digits.slice(0, 3)}${separator}${digits.slice(3, 6)}${separator}${digits.slice(6)}`;
}
