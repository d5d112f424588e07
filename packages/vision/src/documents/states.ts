/** States and territories of the USA and provinces of Canada, whose cards have a PDF417 barcode: two letters by name. */
const US_STATES: Readonly<Record<string, string>> = {
  ALABAMA: 'AL',
  ALASKA: 'AK',
  ARIZONA: 'AZ',
  ARKANSAS: 'AR',
  CALIFORNIA: 'CA',
  COLORADO: 'CO',
  CONNECTICUT: 'CT',
  DELAWARE: 'DE',
  'DISTRICT OF COLUMBIA': 'DC',
  FLORIDA: 'FL',
  GEORGIA: 'GA',
  HAWAII: 'HI',
  IDAHO: 'ID',
  ILLINOIS: 'IL',
  INDIANA: 'IN',
  IOWA: 'IA',
  KANSAS: 'KS',
  KENTUCKY: 'KY',
  LOUISIANA: 'LA',
  MAINE: 'ME',
  MARYLAND: 'MD',
  MASSACHUSETTS: 'MA',
  MICHIGAN: 'MI',
  MINNESOTA: 'MN',
  MISSISSIPPI: 'MS',
  MISSOURI: 'MO',
  MONTANA: 'MT',
  NEBRASKA: 'NE',
  NEVADA: 'NV',
  'NEW HAMPSHIRE': 'NH',
  'NEW JERSEY': 'NJ',
  'NEW MEXICO': 'NM',
  'NEW YORK': 'NY',
  'NORTH CAROLINA': 'NC',
  'NORTH DAKOTA': 'ND',
  OHIO: 'OH',
  OKLAHOMA: 'OK',
  OREGON: 'OR',
  PENNSYLVANIA: 'PA',
  'PUERTO RICO': 'PR',
  'RHODE ISLAND': 'RI',
  'SOUTH CAROLINA': 'SC',
  'SOUTH DAKOTA': 'SD',
  TENNESSEE: 'TN',
  TEXAS: 'TX',
  UTAH: 'UT',
  VERMONT: 'VT',
  'WEST VIRGINIA': 'WV',
  VIRGINIA: 'VA',
  WASHINGTON: 'WA',
  WISCONSIN: 'WI',
  WYOMING: 'WY',
  GUAM: 'GU',
  'AMERICAN SAMOA': 'AS',
  'VIRGIN ISLANDS': 'VI',
};
const CANADIAN_PROVINCES: Readonly<Record<string, string>> = {
  ALBERTA: 'AB',
  'BRITISH COLUMBIA': 'BC',
  MANITOBA: 'MB',
  'NEW BRUNSWICK': 'NB',
  NEWFOUNDLAND: 'NL',
  'NOVA SCOTIA': 'NS',
  ONTARIO: 'ON',
  'PRINCE EDWARD ISLAND': 'PE',
  QUEBEC: 'QC',
  SASKATCHEWAN: 'SK',
  NUNAVUT: 'NU',
  YUKON: 'YT',
  'NORTHWEST TERRITORIES': 'NT',
};

/** Longer names first: West Virginia contains Virginia. */
const NAMES = [
  ...Object.entries(US_STATES).map(([name, code]) => ({ name, code, country: 'US' })),
  ...Object.entries(CANADIAN_PROVINCES).map(([name, code]) => ({ name, code, country: 'CA' })),
].sort((a, b) => b.name.length - a.name.length);
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
