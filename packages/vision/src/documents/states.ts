import states from '../../data/states.json' with { type: 'json' };

/** States and territories of the USA and provinces of Canada, whose cards have a PDF417 barcode: two letters by name, by country. */
const STATES: Readonly<Record<string, Readonly<Record<string, string>>>> = states;

/** Longer names first: West Virginia contains Virginia. */
const NAMES = Object.entries(STATES)
  .flatMap(([country, codes]) => Object.entries(codes).map(([name, code]) => ({ name, code, country })))
  .sort((a, b) => b.name.length - a.name.length);
const COUNTRY_OF_CODE = new Map(NAMES.map(({ code, country }) => [code, country]));

export type State = { code: string; country: string };

/** The state or province named in a text of capital letters A to Z, even where spaces were lost; null without one. */
export function stateNamed(text: string): State | null {
  const found = NAMES.find(({ name }) =>
    new RegExp(`\\b${name.replaceAll(' ', ' ?')}(?:\\b|USA|DRIVER|CANADA)`).test(text),
  );
  return found ? { code: found.code, country: found.country } : null;
}

/** US, CA, or '' where no state or province has the two letters. */
export function countryOfState(code: string): string {
  return COUNTRY_OF_CODE.get(code) ?? '';
}
