const WEIGHTS = [7, 3, 1] as const;

/** Check digit of ICAO Doc 9303 for a text of A to Z, 0 to 9 and fillers: weights 7, 3, 1 and the last digit of the sum. */
export function checkDigit(text: string): string {
  let sum = 0;
  for (let place = 0; place < text.length; place += 1) sum += weightOf(text[place]!) * WEIGHTS[place % 3]!;
  return String(sum % 10);
}

function weightOf(character: string): number {
  if (character === '<') return 0;
  return character >= 'A' ? character.charCodeAt(0) - 55 : Number(character);
}
