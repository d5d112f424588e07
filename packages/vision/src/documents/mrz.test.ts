import fc from 'fast-check';
import { parse } from 'mrz';
import { describe, expect, it } from 'vitest';
import {
  checkDigit,
  mrzName,
  td1Lines,
  td2Lines,
  td3Lines,
  visaLines,
} from '../../../../test/fixtures/documents/mrz-text.ts';
import { passportNumber } from '../../../../test/fixtures/documents/passport.ts';
import { type Person, randomPerson } from '../../../../test/fixtures/documents/person.ts';
import { between, pick, type Random, seededRandom } from '../../../../test/fixtures/documents/random.ts';
import { usDate } from '../../../../test/fixtures/documents/specimen.ts';
import type { MrzLines } from '../readings.ts';
import { readMrz } from './mrz.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const read = (...candidates: MrzLines[]) => readMrz(candidates, NOW);
const ppocr = (...lines: string[]): MrzLines => ({ engine: 'ppocr', lines });
const ocrb = (...lines: string[]): MrzLines => ({ engine: 'ocrb', lines });

/** Examples of ICAO Doc 9303, with a fictitious country. */
const SPECIMENS = [
  {
    format: 'TD3',
    lines: ['P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO7408122F1204159ZE184226B<<<<<10'],
    number: 'L898902C3',
    birth: '08/12/1974',
    expiry: '04/15/2012',
    optional: 'ZE184226B',
  },
  {
    format: 'TD1',
    lines: [
      'I<UTOD231458907<<<<<<<<<<<<<<<',
      '7408122F1204159UTO<<<<<<<<<<<6',
      'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
    ],
    number: 'D23145890',
    birth: '08/12/1974',
    expiry: '04/15/2012',
    optional: '',
  },
  {
    format: 'TD2',
    lines: ['I<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'D231458907UTO7408122F1204159<<<<<<<6'],
    number: 'D23145890',
    birth: '08/12/1974',
    expiry: '04/15/2012',
    optional: '',
  },
  {
    format: 'MRV-A',
    lines: ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L8988901C4XXX4009078F96121096ZE184226B<<<<<<'],
    number: 'L8988901C',
    birth: '09/07/1940',
    expiry: '12/10/1996',
    optional: '6ZE184226B',
  },
  {
    format: 'MRV-B',
    lines: ['V<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<', 'L8988901C4XXX4009078F9612109<<<<<<<<'],
    number: 'L8988901C',
    birth: '09/07/1940',
    expiry: '12/10/1996',
    optional: '',
  },
];

describe('a machine readable zone', () => {
  it.each(SPECIMENS)(
    'of the format $format is read',
    ({ format, lines, number, birth, expiry, optional }) => {
      const result = read(ppocr(...lines))!;
      expect(result).toMatchObject({
        format,
        lines,
        lastName: 'ERIKSSON',
        firstName: 'ANNA MARIA',
        sex: 'F',
        holds: true,
      });
      expect([result.number.value, result.birth.value, result.expiry.value]).toEqual([number, birth, expiry]);
      expect(result.optional.value).toBe(optional);
      expect([result.birth.validity, result.expiry.validity]).toEqual(['valid', 'valid']);
      expect(result.composite).toBe(format.startsWith('MRV') ? 'unchecked' : 'valid');
    },
  );

  it('has letters and digits corrected by their positions', () => {
    const result = read(
      ppocr('P<UT0ER1KSS0N<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<', 'L898902C36UTO74O8I22F12O4I59ZE184226B<<<<<IO'),
    );
    expect(result!.lines).toEqual(SPECIMENS[0]!.lines);
  });

  it('is read despite a wrong number of fillers, spaces, or fillers that were read as letters', () => {
    const [first, second] = SPECIMENS[0]!.lines as [string, string];
    for (const line of [
      first.slice(0, -3),
      `${first}<<`,
      first.replace(/<{5}$/, '<<K<<'),
      first.replace('<<ANNA', ' < <ANNA'),
    ]) {
      expect(read(ppocr(line, second))!.lines).toEqual([first, second]);
    }
  });

  it('is found among other lines of text', () => {
    expect(read(ppocr('PASSPORT', 'UTOPIAN PASSPORT AND IDENTITY', ...SPECIMENS[0]!.lines))!.lines).toEqual(
      SPECIMENS[0]!.lines,
    );
  });

  it('is combined from two engines that misread different lines', () => {
    const [first, second] = SPECIMENS[0]!.lines as [string, string];
    const broken = second.replace('740812', '740312');
    const result = read(ppocr(first, broken), ocrb('P<UTOERIKSSQN<<ANNA<MARIA<<<', second))!;
    expect(result.lines[1]).toBe(second);
    expect(result.birth).toEqual({ value: '08/12/1974', validity: 'valid' });
  });

  it('is read when most fillers at the end of a line were lost', () => {
    const [first, second] = SPECIMENS[3]!.lines as [string, string];
    expect(read(ppocr(first.slice(0, -11), second))!.lines).toEqual([first, second]);
  });

  it('that lacks its first character is taken from an engine that read it whole', () => {
    const [first, second] = SPECIMENS[0]!.lines as [string, string];
    const shifted = [`${first.slice(1)}<`, `${second.slice(1)}<`];
    expect(read({ engine: 'ocrb', lines: shifted }, ppocr(first, second))!.lines).toEqual([first, second]);
  });

  it('is not found in other text', () => {
    expect(read()).toBeNull();
    expect(read(ppocr('DRIVER LICENSE', 'JANE DOE'))).toBeNull();
  });

  it('can have the one-letter code of Germany and other codes that ISO lacks', () => {
    const lines = td3Lines({
      ...personOf(5, 'DEU'),
      code: 'P',
      number: 'C01X00T47',
      nationality: 'DEU',
      expires: { year: 2030, month: 2, day: 1 },
    });
    expect(read(ppocr(...lines))).toMatchObject({ country: 'DE', nationality: 'DE' });
    expect(read(ppocr(lines[0]!.replace('P<D<<', 'P<GBD'), lines[1]!))).toMatchObject({ country: 'GB' });
    expect(read(ppocr(lines[0]!.replace('P<D<<', 'P<QQQ'), lines[1]!))).toMatchObject({ country: '' });
  });

  it('of French identity cards before 2021 has its own order and no expiry', () => {
    const first = 'IDFRABERTHIER<<<<<<<<<<<<<<<<<952042';
    const second = '8806923102858CORINNE<<<<<<<6512068F';
    const whole = second + checkDigit(first + second);
    const result = read(ppocr(first, whole), ocrb(first, whole))!;
    expect(result).toMatchObject({
      format: 'FRA-ID',
      country: 'FR',
      lastName: 'BERTHIER',
      firstName: 'CORINNE',
      sex: 'F',
    });
    expect(result.number).toEqual({ value: '880692310285', validity: 'valid' });
    expect(result.birth).toEqual({ value: '12/06/1965', validity: 'valid' });
    expect(result.expiry.value).toBe('');
    expect(result.contradictsItself).toBe(false);
  });

  it('of other French documents with that size has the common order', () => {
    const person = personOf(9, 'FRA');
    const expires = { year: 2030, month: 2, day: 1 };
    const lines = td2Lines({ ...person, code: 'ID', number: '56LW37101', nationality: 'FRA', expires });
    expect(read(ppocr(...lines))).toMatchObject({ format: 'TD2', composite: 'valid', lines });
  });

  it('has numbers of more than nine characters in the optional field', () => {
    const lines = td1Lines({
      ...personOf(6, 'NLD'),
      code: 'I',
      number: 'D23145890734',
      nationality: 'NLD',
      expires: { year: 2030, month: 2, day: 1 },
    });
    const result = read(ppocr(...lines), ocrb(...lines))!;
    expect(result.number).toEqual({ value: 'D23145890734', validity: 'valid' });
  });
});

describe('check digits', () => {
  it.each([
    ['number', 'L898902C36', 'L898802C36'],
    ['birth', '7408122', '7409122'],
    ['expiry', '1204159', '1204179'],
  ] as const)('that are wrong leave the %s empty', (field, right, wrong) => {
    const [first, second] = SPECIMENS[0]!.lines as [string, string];
    const result = read(ppocr(first, second.replace(right, wrong)))!;
    expect(result[field].validity).not.toBe('valid');
    expect(result[field].value).not.toBe(SPECIMENS[0]![field]);
    expect(result.holds).toBe(false);
  });

  it('that are wrong on lines which two engines read equally contradict the document', () => {
    const [first, second] = SPECIMENS[0]!.lines as [string, string];
    const forged = second.replace('740812', '840812');
    expect(read(ppocr(first, forged))!.contradictsItself).toBe(false);
    expect(read(ppocr(first, forged), ocrb(first, forged))!.contradictsItself).toBe(true);
    expect(read(ppocr(first, second), ocrb(first, second))!.contradictsItself).toBe(false);
  });

  it('do not make an invalid calendar date valid', () => {
    const body = 'L898902C36UTO';
    const birth = `740230${checkDigit('740230')}`;
    const rest = '1204159ZE184226B<<<<<1';
    const composite = checkDigit(`L898902C36${birth}${rest}`);
    const result = read(ppocr(SPECIMENS[0]!.lines[0]!, `${body}${birth}F${rest}${composite}`))!;
    expect(result.composite).toBe('valid');
    expect(result.birth).toEqual({ value: '', validity: 'invalid' });
  });

  it('leave a number doubtful that a lookalike also satisfies: G and 6 have the same weight', () => {
    const line = (number: string) =>
      td3Lines({
        ...personOf(7, 'GBR'),
        code: 'P',
        number,
        nationality: 'GBR',
        expires: { year: 2030, month: 2, day: 1 },
      });
    expect(read(ppocr(...line('C2GHY8892')))!.number.validity).toBe('unchecked');
    expect(read(ppocr(...line('C2GHY8892')), ocrb(...line('C2GHY8892')))!.number.validity).toBe('valid');
    expect(read(ppocr(...line('532899734')))!.number).toEqual({ value: '532899734', validity: 'valid' });
  });

  it('allow a birth date a century earlier where possible, since the year has two digits', () => {
    const expires = { year: 2030, month: 2, day: 1 };
    const lines = (year: number, day: number) =>
      td3Lines({
        ...personOf(8, 'GBR'),
        born: { year, month: 11, day },
        code: 'P',
        number: '532899734',
        nationality: 'GBR',
        expires,
      });
    const births = (year: number, day: number) => {
      const { birth, earlierBirth } = read(ppocr(...lines(year, day)))!;
      return [birth.value, birth.validity, earlierBirth];
    };
    // No age before the birth, and none from 120 on.
    expect(births(1926, 25)).toEqual(['11/25/1926', 'valid', '']);
    expect(births(1926, 20)).toEqual(['11/20/2026', 'valid', '11/20/1926']);
    expect(births(2006, 25)).toEqual(['11/25/2006', 'valid', '11/25/1906']);
    expect(births(2006, 20)).toEqual(['11/20/2006', 'valid', '']);
  });
});

type Zone = { lines: string[]; number: string; birth: string; expiry: string; person: Person };

function personOf(seed: number, country?: string): Person {
  return randomPerson(seededRandom(seed), { country, today: NOW });
}

function randomZone(random: Random, format: 'TD1' | 'TD2' | 'TD3' | 'MRV-A' | 'MRV-B'): Zone {
  const person = randomPerson(random, { today: NOW, longName: random() < 0.2 });
  const country = format === 'TD2' && person.country === 'FRA' ? 'NLD' : person.country;
  const number = passportNumber(random, country);
  const expires = {
    year: between(random, 2020, 2036),
    month: between(random, 1, 12),
    day: between(random, 1, 28),
  };
  const code = { TD1: 'ID', TD2: 'ID', TD3: 'P', 'MRV-A': 'V', 'MRV-B': 'V' }[format];
  const text = { ...person, country, code, number, nationality: person.country, expires };
  const lines = {
    TD1: () => td1Lines(text),
    TD2: () => td2Lines(text),
    TD3: () => td3Lines(text),
    'MRV-A': () => visaLines(text, 'A'),
    'MRV-B': () => visaLines(text, 'B'),
  }[format]();
  return { lines, number, birth: usDate(person.born), expiry: usDate(expires), person };
}

const FORMATS = ['TD1', 'TD2', 'TD3', 'MRV-A', 'MRV-B'] as const;
const seeds = fc.integer({ min: 0, max: 0x7fffffff });

describe('zones of random people', () => {
  it('are read back as written', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom(...FORMATS), (seed, format) => {
        const { lines, number, birth, expiry, person } = randomZone(seededRandom(seed), format);
        const result = read(ppocr(...lines), ocrb(...lines))!;
        expect(result).toMatchObject({ format, lines, holds: true, areNamesAgreed: true });
        expect(result.number).toEqual({ value: number, validity: 'valid' });
        expect(result.birth).toEqual({ value: birth, validity: 'valid' });
        expect(result.expiry).toEqual({ value: expiry, validity: 'valid' });
        const last = mrzName(person.lastName).replaceAll('<', ' ');
        expect(last.startsWith(result.lastName)).toBe(true);
        expect(result.isNameCut || result.lastName === last).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it('are parsed as by another parser', () => {
    fc.assert(
      fc.property(seeds, fc.constantFrom('TD1', 'TD2', 'TD3'), (seed, format) => {
        const { lines } = randomZone(seededRandom(seed), format);
        const other = parse(lines);
        const result = read(ppocr(...lines))!;
        expect(other.format).toBe(format);
        expect([result.lastName, result.firstName]).toEqual([
          other.fields.lastName ?? '',
          other.fields.firstName ?? '',
        ]);
        expect(result.number.value).toBe(other.documentNumber);
        expect(result.composite).toBe('valid');
      }),
      { numRuns: 100 },
    );
  });

  it('with one misread character in a field never result in a wrong valid value', () => {
    const counts = { valid: 0, wrong: 0 };
    fc.assert(
      fc.property(
        seeds,
        fc.constantFrom(...FORMATS),
        fc.integer({ min: 1, max: 3 }),
        (seed, format, count) => {
          const random = seededRandom(seed);
          const zone = randomZone(random, format);
          const candidates = Array.from({ length: count }, (_, index) => ({
            engine: pick(random, ['ocrb', 'ppocr'] as const),
            lines: zone.lines.map((line) => misread(random, line, index === 0 ? 1 : 2)),
          }));
          const result = read(...candidates);
          for (const field of ['number', 'birth', 'expiry'] as const) {
            if (result?.[field].validity !== 'valid') continue;
            counts.valid += 1;
            if (result[field].value !== zone[field]) counts.wrong += 1;
          }
        },
      ),
      { numRuns: 3000, seed: 77 },
    );
    expect(counts.wrong).toBe(0);
    // A reader that reads nothing would satisfy the property.
    expect(counts.valid).toBeGreaterThan(2000);
  });

  it('never cause an exception for any text', () => {
    const line = fc.string({ unit: fc.constantFrom(...'ABKLOZ0158<< «'), minLength: 0, maxLength: 50 });
    const engine = fc.constantFrom('ppocr' as const, 'ocrb' as const);
    fc.assert(
      fc.property(
        fc.array(fc.record({ engine, lines: fc.array(line, { maxLength: 4 }) }), { maxLength: 4 }),
        (candidates) => {
          const result = readMrz(candidates, NOW);
          for (const field of result ? [result.number, result.birth, result.expiry] : []) {
            expect(field.validity === 'invalid').toBe(field.validity === 'invalid' && field.value === '');
          }
        },
      ),
      { numRuns: 500 },
    );
  });
});

const CONFUSED: Readonly<Record<string, string>> = {
  0: 'O',
  O: '0',
  1: 'I',
  I: '1',
  5: 'S',
  S: '5',
  8: 'B3',
  B: '8',
  2: 'Z',
  Z: '2',
  6: 'G5',
  G: '6',
  3: '8',
  7: '1',
  '<': 'K',
  D: '0',
  L: '1',
};

/** Up to this number of characters replaced by lookalikes, and possibly one filler more or less at the end. */
function misread(random: Random, line: string, most: number): string {
  const characters = [...line];
  for (let change = between(random, 0, most); change > 0; change -= 1) {
    const place = between(random, 0, characters.length - 1);
    const twins = CONFUSED[characters[place]!];
    if (twins) characters[place] = pick(random, [...twins]);
  }
  const text = characters.join('');
  return text.endsWith('<<<') && random() < 0.3 ? pick(random, [text.slice(0, -1), `${text}<`]) : text;
}
