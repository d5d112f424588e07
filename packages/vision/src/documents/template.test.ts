import { describe, expect, it } from 'vitest';
import { aamvaText } from '../../../../test/fixtures/documents/license.ts';
import { randomPerson } from '../../../../test/fixtures/documents/person.ts';
import { seededRandom } from '../../../../test/fixtures/documents/random.ts';
import { parseAamva } from './aamva.ts';
import { readMrz } from './mrz.ts';
import { asksForBarcode, asksForPortrait, findTemplate } from './template.ts';

const lines = (...texts: string[]) =>
  texts.map((text, index) => ({
    text,
    confidence: 0.99,
    box: { x: 0.1, y: index / 10, width: 0.5, height: 0.05 },
  }));
const zone = (code: string) =>
  readMrz([
    {
      engine: 'ppocr',
      lines: [
        `${code}D231458907<<<<<<<<<<<<<<<`,
        '7408122F1204159NLD<<<<<<<<<<<6',
        'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
      ],
    },
  ]);

describe('a template', () => {
  it.each([
    ['IDNLD', 'national_id'],
    ['I<NLD', 'national_id'],
    ['CANLD', 'national_id'],
    ['IRNLD', 'residence_permit'],
    ['ARNLD', 'residence_permit'],
    ['ACNLD', 'other'],
  ])('of a zone with %s is %s', (code, type) => {
    expect(findTemplate(zone(code), null, [])).toEqual({ type, country: 'NL', state: '' });
  });

  it('of a zone is a residence permit when print names one', () => {
    expect(findTemplate(zone('I<NLD'), null, lines('RESIDENCE PERMIT')).type).toBe('residence_permit');
  });

  it('of a barcode is the kind of its subfile', () => {
    const day = { year: 2030, month: 1, day: 1 };
    const person = randomPerson(seededRandom(1), { country: 'USA' });
    for (const isStateId of [false, true]) {
      const card = parseAamva(
        aamvaText({ ...person, state: 'TX' }, { number: '12345678', issued: day, expires: day, isStateId }),
      );
      expect(findTemplate(null, card, [])).toEqual({
        type: isStateId ? 'state_id' : 'driver_license',
        country: 'US',
        state: 'TX',
      });
    }
  });

  it.each([
    [['CALIFORNIA USA', 'DRIVER LICENSE'], 'driver_license', 'US', 'CA'],
    [['WEST VIRGINIA', 'DRIVER’S LICENSE'], 'driver_license', 'US', 'WV'],
    [['TEXAS', 'IDENTIFICATION CARD'], 'state_id', 'US', 'TX'],
    [['ONTARIO', "DRIVER'S LICENCE"], 'driver_license', 'CA', 'ON'],
    [['PERMIS DE CONDUIRE', 'RÉPUBLIQUE FRANÇAISE'], 'driver_license', 'FR', ''],
    [['FÜHRERSCHEIN DEUTSCHLAND'], 'driver_license', 'DE', ''],
    [['PERSONALAUSWEIS', 'BUNDESREPUBLIK DEUTSCHLAND'], 'national_id', 'DE', ''],
    [['MEDICARE', 'HEALTH INSURANCE', 'JANE DOE'], 'medical_id', '', ''],
    [['STUDENT ID', 'UNIVERSITY OF SOMEWHERE'], 'school_id', '', ''],
    [['ACME', 'EMPLOYEE ID'], 'employee_id', '', ''],
    [['UNITED KINGDOM', 'PASSPORT'], 'passport', 'GB', ''],
    [['LIBRARY', 'JANE DOE', 'MEMBER SINCE 2020'], 'other', '', ''],
    [['HELLO'], 'unknown', '', ''],
    [[], 'unknown', '', ''],
  ])('of the words %j is %s', (words, type, country, state) => {
    expect(findTemplate(null, null, lines(...words))).toEqual({ type, country, state });
  });
});

it('American and Canadian licenses have a barcode, European ones do not', () => {
  expect(asksForBarcode({ type: 'driver_license', country: 'US', state: 'TX' })).toBe(true);
  expect(asksForBarcode({ type: 'state_id', country: 'CA', state: 'ON' })).toBe(true);
  expect(asksForBarcode({ type: 'driver_license', country: 'DE', state: '' })).toBe(false);
  expect(asksForBarcode({ type: 'passport', country: 'US', state: '' })).toBe(false);
});

it('every document with a zone has a portrait', () => {
  const other = { type: 'other', country: '', state: '' } as const;
  expect(asksForPortrait(other, zone('ACNLD'))).toBe(true);
  expect(asksForPortrait(other, null)).toBe(false);
});
