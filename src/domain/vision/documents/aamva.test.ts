import { parse } from 'aamva-parser';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aamvaText } from '../../../../test/fixtures/documents/license.ts';
import { randomPerson } from '../../../../test/fixtures/documents/person.ts';
import { seededRandom } from '../../../../test/fixtures/documents/random.ts';
import { usDate } from '../../../../test/fixtures/documents/specimen.ts';
import { parseAamva } from './aamva.ts';

const PERSON = {
  firstName: 'Eleanor Jane',
  lastName: "O'Neill",
  sex: 'F',
  born: { year: 1982, month: 2, day: 5 },
  country: 'USA',
  birthplace: 'AUSTIN',
  street: '2570 24TH STREET',
  city: 'SACRAMENTO',
  state: 'CA',
  postalCode: '95818',
} as const;
const ISSUED = { year: 2021, month: 9, day: 16 };
const EXPIRES = { year: 2029, month: 9, day: 15 };
const card = (options: object = {}) =>
  aamvaText({ ...PERSON }, { number: 'X8920987', issued: ISSUED, expires: EXPIRES, ...options });

describe("a card's barcode", () => {
  it.each([1, 2, 3, 4, 8, 9, 10])('of version %i is read', (version) => {
    expect(parseAamva(card({ version }))).toEqual({
      kind: 'driver_license',
      version,
      country: 'US',
      state: 'CA',
      lastName: "O'NEILL",
      firstName: 'ELEANOR JANE',
      isNameCut: false,
      birth: '02/05/1982',
      issue: '09/16/2021',
      expiry: '09/15/2029',
      number: 'X8920987',
      street: '2570 24TH STREET',
      city: 'SACRAMENTO',
      postalCode: '95818',
    });
  });

  it('says whether it is an identification card', () => {
    expect(parseAamva(card({ isStateId: true }))?.kind).toBe('state_id');
  });

  it('says that a name was cut', () => {
    expect(parseAamva(card().replace('DDFN', 'DDFT'))?.isNameCut).toBe(true);
  });

  it('of a Canadian province has the year first', () => {
    const text = card()
      .replace('DCGUSA', 'DCGCAN')
      .replace('DAJCA', 'DAJON')
      .replace('DBB02051982', 'DBB19820205')
      .replace('DAK958180000  ', 'DAKK1A0B1     ');
    expect(parseAamva(text)).toMatchObject({
      country: 'CA',
      state: 'ON',
      birth: '02/05/1982',
      postalCode: 'K1A0B1',
    });
  });

  it('with a wrong offset in its directory is read where the directory ends', () => {
    expect(parseAamva(card().replace(/DL\d{4}/, 'DL0999'))?.number).toBe('X8920987');
  });

  it('is not misled by names that hold the codes of elements', () => {
    const text = aamvaText(
      { ...PERSON, lastName: 'Sandage', street: '1 DBBARTON ST' },
      { number: 'X1', issued: ISSUED, expires: EXPIRES },
    );
    expect(parseAamva(text)).toMatchObject({
      lastName: 'SANDAGE',
      street: '1 DBBARTON ST',
      birth: '02/05/1982',
    });
  });

  it.each([
    ['nothing', ''],
    ['other text', 'HELLO WORLD'],
    ['a boarding pass', 'M1DESMARAIS/LUC       EABC123 YULFRAAC 0834 226F001A0025 106>60000'],
    ['a header alone', '@\n\x1e\rANSI 636014100001DL00310204'],
    ['a NUL', card().replace('ELEANOR', 'ELE\0NOR')],
    ['an escape sequence', card().replace('ELEANOR', '\x1b[31mELEANOR')],
    ['a character that turns the direction of text', card().replace('ELEANOR', 'ELE‮ANOR')],
    ['an element smuggled in', card().replace('DACELEANOR', 'DACELEANOR\nDBB01011950')],
    ['no birth that is a day', card().replace('DBB02051982', 'DBB02311982')],
    ['more text than a barcode holds', card() + 'A'.repeat(5000)],
  ])('that is %s is refused', (_, text) => {
    expect(parseAamva(text)).toBeNull();
  });

  it('is read as another parser reads it', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.constantFrom(4, 8, 10), (seed, version) => {
        const person = randomPerson(seededRandom(seed), { country: 'USA' });
        // The other one looks for codes anywhere.
        fc.pre(person.lastName !== 'Sandage');
        const text = aamvaText(person, { number: 'X8920987', issued: ISSUED, expires: EXPIRES, version });
        const [ours, other] = [parseAamva(text)!, parse(text)];
        expect([ours.lastName, ours.number, ours.city, ours.street]).toEqual([
          other.lastName,
          other.driversLicenseId,
          other.city,
          other.streetAddress,
        ]);
        const born = other.dateOfBirth!;
        expect(ours.birth).toBe(
          usDate({ year: born.getFullYear(), month: born.getMonth() + 1, day: born.getDate() }),
        );
      }),
    );
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii' }), fc.nat(200), (noise, place) => {
        const text = card();
        parseAamva(noise);
        parseAamva(text.slice(0, place) + noise + text.slice(place));
      }),
    );
  });
});
