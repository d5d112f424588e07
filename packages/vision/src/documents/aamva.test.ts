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
      wholeName: '',
      // Commas separate the names of version 1; later versions have an element for each.
      isNameSure: version !== 1,
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

  it('reports an identification card', () => {
    expect(parseAamva(card({ isStateId: true }))?.kind).toBe('state_id');
  });

  it('reports a truncated name', () => {
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

  it('with a wrong offset in its directory is read from the end of the directory', () => {
    expect(parseAamva(card().replace(/DL\d{4}/, 'DL0999'))?.number).toBe('X8920987');
  });

  it('is parsed correctly when names contain element codes', () => {
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
    ['a bidirectional control character', card().replace('ELEANOR', 'ELE‮ANOR')],
    ['an injected element', card().replace('DACELEANOR', 'DACELEANOR\nDBB01011950')],
    ['an invalid date of birth', card().replace('DBB02051982', 'DBB02311982')],
    ['more text than a barcode can contain', card() + 'A'.repeat(5000)],
  ])('is rejected when it is %s', (_, text) => {
    expect(parseAamva(text)).toBeNull();
  });

  it('of version 1 without commas has one unsplit name', () => {
    const text = card({ version: 1 }).replace(/^DAA.*$/m, 'DAAJOHN P SMITH');
    expect(parseAamva(text)).toMatchObject({
      lastName: '',
      firstName: '',
      wholeName: 'JOHN P SMITH',
      isNameSure: false,
      number: 'X8920987',
      birth: '02/05/1982',
    });
  });

  /** Layouts of real cards, from the test files of c0shea/IdParser (GitHub), with our data. */
  describe('of a state with its own layout', () => {
    const BODY_1 = [
      'DAAMORALES,ANA,LUCIA',
      'DAG60 STATE ST',
      'DAICITY',
      'DAJ',
      'DAK061090000',
      'DAQ990000001',
    ];
    const DATES_1 = ['DBA20290915', 'DBB19820205', 'DBC2', 'DBD20210916'];
    const BODY_4 = [
      'DCAE',
      'DCSMORALES',
      'DACANA',
      'DADLUCIA',
      'DAG60 STATE ST',
      'DAICITY',
      'DAJ',
      'DAQ990000001',
    ];
    const inState = (elements: readonly string[], state: string) =>
      elements.map((element) => (element === 'DAJ' ? `DAJ${state}` : element)).join('\n');
    const expected = { birth: '02/05/1982', issue: '09/16/2021', expiry: '09/15/2029', number: '990000001' };

    it.each([
      ['CT', '@\n\x1e\rAAMVA6360060101DL00290179', [...BODY_1, ...DATES_1], 1],
      ['WV', '@\n\x1e\rANSI 636061040002DL00410313ZW03540027', [...BODY_4, ...DATES_1, 'DCGUSA'], 4],
      ['WY', '@\n\x1e\rANSI 636060040002DL00410266ZW03070036', [...BODY_4, ...DATES_1, 'DCGUSA'], 4],
    ])('is read: %s omits the letters of its subfile', (state, head, elements, version) => {
      expect(parseAamva(`${head}${inState(elements, state)}\rZW\r`)).toMatchObject({
        ...expected,
        version,
        kind: 'driver_license',
        country: 'US',
        state,
        lastName: 'MORALES',
        firstName: 'ANA LUCIA',
        isNameSure: version !== 1,
      });
    });

    it('is read: Colorado ends its lines with a carriage return and a line feed', () => {
      const text = card().replaceAll('\n', '\r\n').replace('@\r\n', '@\n');
      expect(parseAamva(text)).toMatchObject({
        number: 'X8920987',
        lastName: "O'NEILL",
        birth: '02/05/1982',
      });
    });

    it('is read: the offsets of Pennsylvania are too small', () => {
      const elements = ['DLDAQ26798765', 'DAAJOHN P SMITH', 'DAJPA', ...DATES_1];
      expect(parseAamva(`@\n\x1e\rANSI 6360250101DL00190194${elements.join('\n')}\r`)).toMatchObject({
        number: '26798765',
        state: 'PA',
        wholeName: 'JOHN P SMITH',
      });
    });

    it('is rejected without an element after the directory', () => {
      const head = '@\n\x1e\rANSI 636061040002DL00410313ZW03540027';
      expect(parseAamva(`${head}XX${inState([...BODY_4, ...DATES_1], 'WV')}`)).toBeNull();
    });
  });

  it('is parsed as by another parser', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1e9 }), fc.constantFrom(4, 8, 10), (seed, version) => {
        const person = randomPerson(seededRandom(seed), { country: 'USA' });
        // The other parser searches for codes anywhere.
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
