import { describe, expect, it } from 'vitest';
import { makeLicense } from '../../../../test/fixtures/documents/license.ts';
import { checkDigit } from '../../../../test/fixtures/documents/mrz-text.ts';
import { makePassport } from '../../../../test/fixtures/documents/passport.ts';
import { type Person, randomPerson } from '../../../../test/fixtures/documents/person.ts';
import { seededRandom } from '../../../../test/fixtures/documents/random.ts';
import type { DocumentReading, MrzLines, SideReading, TextLine } from '../readings.ts';
import { judgeDocument } from './judge-document.ts';

/*
 * Results for authentic documents and simple forgeries, by what the documents show. Only readings: losses of a
 * camera are part of the tests with images. `REAL` and the like are the decisions from the judgment alone.
 */

const NOW = new Date('2026-11-21T12:00:00Z');
const PERSON: Person = {
  ...randomPerson(seededRandom(1), { country: 'FRA', today: NOW }),
  firstName: 'Hélène',
  lastName: 'Lefèvre',
  born: { year: 1990, month: 8, day: 12 },
};
const DATES = {
  issued: { year: 2021, month: 4, day: 27 },
  expires: { year: 2031, month: 4, day: 26 },
  today: NOW,
};
const zoneOf = (changes: Partial<Person> = {}, number = '21CK05832') =>
  makePassport({ ...PERSON, ...changes }, { ...DATES, number }).truth.mrzLines!;
const both = (lines: readonly string[]): MrzLines[] => [
  { engine: 'ocrb', lines },
  { engine: 'ppocr', lines },
];
const own = new Float32Array(128);
const other = new Float32Array(128).fill(0.1);

/** Labels as read from small print: most of them are lost. */
const PRINT = [
  'REPUBLIQUE FRANCAISE',
  'PASSEPORT PASSPORT',
  '21CK05832',
  'N0m Sumanne',
  'LEFEVRE',
  'Prén0ms Givan nannes',
  'HELENE',
  'Dade de naissanœ',
  '12 AUG/AOUT 90',
  'Date dedelivrance',
  '27 04 2021',
  'Date d expi',
  '26 04 2031',
];

function column(texts: readonly string[]): TextLine[] {
  return texts.map((text, index) => ({
    text,
    confidence: 0.98,
    box: { x: 0.35, y: 0.03 + index * 0.05, width: 0.3, height: 0.03 },
  }));
}

type Shown = {
  print?: readonly string[];
  zone?: readonly string[];
  engines?: (lines: readonly string[]) => MrzLines[];
  side?: Partial<SideReading>;
  portrait?: Float32Array | null;
};

function show({ print = PRINT, zone = zoneOf(), engines = both, side = {}, portrait = own }: Shown = {}) {
  const front: SideReading = {
    problem: null,
    hasOutline: true,
    margin: 0.08,
    aspect: 1.42,
    imageAspect: 1.42,
    zone: null,
    sharpness: 500,
    glare: 0,
    recaptureScore: 2.5,
    lines: [...column(print), ...zone.map((text, index) => zoneLine(text, index))],
    mrz: zone.length > 0 ? engines(zone) : [],
    barcode: null,
    ...side,
  };
  const reading: DocumentReading = {
    front,
    back: null,
    portrait: portrait && { descriptor: portrait, image: new Uint8Array() },
    timings: {},
  };
  return judgeDocument(reading, { now: NOW, selfie: { descriptor: own, ageYears: 36 } });
}

function zoneLine(text: string, index: number): TextLine {
  return { text, confidence: 0.95, box: { x: 0.04, y: 0.82 + index * 0.08, width: 0.9, height: 0.05 } };
}

const without = (...left: string[]) => PRINT.filter((text) => !left.includes(text));
const replaced = (from: string, to: string) => PRINT.map((text) => (text === from ? to : text));

describe('an authentic document', () => {
  it('is confirmed by values with misread labels', () => {
    const { signals, doubt, data } = show();
    expect([signals.idTextStatus, signals.idValidity, doubt]).toEqual([
      'likely_original_text',
      'likely_authentic_id',
      'none',
    ]);
    expect(data.userData).toMatchObject({
      lastName: 'Lefevre',
      dateOfBirth: '08/12/1990',
      idNumber: '21CK05832',
    });
  });

  it.each<[string, Shown]>([
    ['that is truncated', { side: { margin: 0 } }],
    ['in an image too blurred to show a screen', { side: { sharpness: 5 } }],
    ['whose date of birth was not read', { print: without('12 AUG/AOUT 90') }],
    ['whose name was not read', { print: without('LEFEVRE') }],
    ['read by one engine', { engines: (lines) => [{ engine: 'ppocr', lines }], side: { margin: 0 } }],
  ])('%s leaves little doubt', (_, shown) => {
    const { signals, doubt } = show(shown);
    expect([signals.idValidity, doubt]).toEqual(['cannot_confirm_id_is_authentic', 'little']);
  });

  it.each<[string, Shown]>([
    ['whose zone was not read', { zone: [] }],
    [
      'whose zone has a misread digit',
      {
        zone: zoneOf().map((line) => line.replace('900812', '900817')),
        engines: (lines) => [{ engine: 'ppocr', lines }],
      },
    ],
    ['whose print was not read', { print: [] }],
    ['whose portrait was not found', { portrait: null }],
    [
      'whose date of birth has a lookalike character in print',
      { print: replaced('12 AUG/AOUT 90', 'Date of birth: 12.08.1996') },
    ],
  ])('%s is undecided and requests another image', (_, shown) => {
    const { signals, doubt, reasons } = show(shown);
    expect([signals.idValidity, doubt]).toEqual(['cannot_confirm_id_is_authentic', 'open']);
    expect(reasons).toContain('try_again');
  });
});

describe('authentic documents can have', () => {
  it('both names under one label', () => {
    const { doubt, data } = show({
      print: [...without('LEFEVRE', 'HELENE'), 'Given names: LEFEVRE HELENE'],
    });
    expect([doubt, data.userData.lastName, data.userData.firstName]).toEqual(['none', 'Lefevre', 'Helene']);
  });

  it('a number before its labels, which is not a value', () => {
    const { doubt } = show({ print: [...without('HELENE'), '2. Eesnimed/Given names', 'HELENE'] });
    expect(doubt).toBe('none');
  });

  it('a birth more than a hundred years ago, before the expiry', () => {
    const born = { year: 1922, month: 12, day: 12 };
    const expires = { year: 2021, month: 6, day: 29 };
    const zone = makePassport({ ...PERSON, born }, { ...DATES, expires, number: '21CK05832' }).truth
      .mrzLines!;
    const { data, signals } = show({ zone, print: replaced('12 AUG/AOUT 90', '12 DEC 22') });
    expect([data.userData.dateOfBirth, signals.idValidity]).toEqual(['12/12/1922', 'likely_authentic_id']);
  });
});

describe('a number that is longer in print than the nine places of the zone', () => {
  const numberOf = (printed: string, optional = '') => {
    const zone = makePassport(PERSON, { ...DATES, number: '210005832' }).truth.mrzLines!;
    const [first, second] = zone as [string, string];
    const personal = optional.padEnd(14, '<') + (optional ? checkDigit(optional.padEnd(14, '<')) : '<');
    const line = second.slice(0, 28) + personal;
    const digit = checkDigit(line.slice(0, 10) + line.slice(13, 20) + line.slice(21));
    const { data, doubt } = show({ zone: [first, line + digit], print: replaced('21CK05832', printed) });
    return [data.userData.idNumber, doubt];
  };

  it('is complete when the zone has the rest in its optional data, and omitted otherwise', () => {
    expect(numberOf('210005832')).toEqual(['210005832', 'none']);
    expect(numberOf('21000583277', '77')).toEqual(['21000583277', 'none']);
    expect(numberOf('21000583277', '41')).toEqual(['', 'none']);
    expect(numberOf('21000583277')).toEqual(['', 'none']);
  });
});

describe('an attack', () => {
  it('with a new portrait on a found document is not detected: the parts are consistent', () => {
    expect(show({ portrait: own }).signals.idValidity).toBe('likely_authentic_id');
  });

  it('with a found document shows another face', () => {
    expect(show({ portrait: other }).signals.idFaceMatchScore).toBeLessThan(0.05);
  });

  it('with a covered portrait on a found document is undecided', () => {
    expect(show({ portrait: null }).doubt).toBe('open');
  });

  it.each<[string, Shown, string]>([
    [
      'date of birth in print',
      { print: replaced('12 AUG/AOUT 90', 'Date of birth: 03 FEB 2001') },
      'birth_differs',
    ],
    [
      'expiry date in print',
      { print: replaced('26 04 2031', 'Date of expiry: 19 12 2036') },
      'expiry_differs',
    ],
    ['name in print', { print: replaced('LEFEVRE', 'Surname: GARCIA') }, 'names_differ'],
    ['number in print', { print: replaced('21CK05832', 'Passport No: 21CK77119') }, 'number_differs'],
    [
      'date of birth in the zone',
      {
        zone: zoneOf({ born: { year: 2001, month: 2, day: 3 } }),
        print: replaced('12 AUG/AOUT 90', 'Date of birth: 12 08 1990'),
      },
      'birth_differs',
    ],
    [
      'name in the zone',
      { zone: zoneOf({ lastName: 'Garcia' }), print: replaced('LEFEVRE', 'Nom/Surname: LEFEVRE') },
      'names_differ',
    ],
    [
      'zone without changed check digits',
      { zone: zoneOf().map((line) => line.replace('900812', '010203')) },
      'check_digits_fail',
    ],
    [
      'date of birth in print, with the true one as issue date',
      {
        print: [
          ...replaced('12 AUG/AOUT 90', 'Date of birth: 03 02 2001').filter((text) => text !== '27 04 2021'),
          'Date of issue: 12 08 1990',
        ],
      },
      'birth_differs',
    ],
  ])('with a changed %s is likely fake', (_, shown, reason) => {
    const { signals, reasons } = show(shown);
    expect(reasons).toContain(reason);
    expect(signals.idValidity).toBe('likely_fake_id');
  });

  it('with a changed birth date in the zone and no label read is undecided: print has another date', () => {
    const { signals, doubt, reasons } = show({
      zone: zoneOf({ born: { year: 2001, month: 2, day: 3 } }),
      print: replaced('12 AUG/AOUT 90', '12 AUG 1990'),
    });
    expect([signals.idValidity, doubt]).toEqual(['cannot_confirm_id_is_authentic', 'open']);
    expect(reasons).toContain('other_birth_in_print');
  });

  it('with a changed birth date in print and no label read has no effect: the zone takes precedence', () => {
    const { data, doubt } = show({ print: replaced('12 AUG/AOUT 90', '03 FEB 01') });
    expect([data.userData.dateOfBirth, doubt]).toEqual(['08/12/1990', 'little']);
  });

  it('with a photographed screen is detected by its stripes', () => {
    const { signals } = show({ side: { recaptureScore: 5 } });
    expect([signals.isDigitalId, signals.idValidity]).toEqual([true, 'cannot_confirm_id_is_authentic']);
  });

  it('with a drawn document without a zone is undecided, even with a matching face', () => {
    const { doubt, signals } = show({ zone: [] });
    expect(doubt).toBe('open');
    expect(signals.idFaceMatchScore).toBeGreaterThan(0.95);
  });

  it('with a drawn zone and wrong check digits is likely fake, and undecided when one engine read it', () => {
    const [first, second] = zoneOf() as [string, string];
    const digit = String((Number(checkDigit(second.slice(13, 19))) + 1) % 10);
    const drawn = [first, second.slice(0, 19) + digit + second.slice(20)];
    expect(show({ zone: drawn }).signals.idValidity).toBe('likely_fake_id');
    expect(show({ zone: drawn, engines: (lines) => [{ engine: 'ppocr', lines }] }).doubt).toBe('open');
  });

  it('with a complete drawing and valid check digits is not detected: security features are not examined', () => {
    expect(show({ portrait: own }).doubt).toBe('none');
  });

  it('with a screen that shows only a zone is undecided: the zone does not confirm itself', () => {
    const texts = zoneOf().map((line) => line.replaceAll('<', ' '));
    const { doubt, reasons } = show({ print: texts });
    expect(doubt).toBe('open');
    expect(reasons.filter((reason) => reason.endsWith('_confirmed'))).toEqual([]);
  });
});

describe('two combined documents', () => {
  const random = seededRandom(7);
  const COUNTRIES = ['DEU', 'GBR', 'FRA', 'ESP'] as const;
  const make = (index: number) => {
    const person = randomPerson(random, { country: COUNTRIES[index % 4]!, today: NOW });
    const specimen = makePassport(person, { today: NOW, random });
    return { person, ...specimen.truth };
  };
  const two = (value: string) => value.replaceAll('/', ' ');
  const printOf = ({ userData }: ReturnType<typeof make>) => {
    const [month, day, year] = userData.dateOfBirth.split('/');
    return [
      userData.idNumber,
      userData.lastName.toUpperCase(),
      userData.firstName.toUpperCase(),
      `${day} ${month} ${year}`,
      ...[userData.dateOfIssue, userData.dateOfExpiration].map((date) => {
        const [m, d, y] = two(date).split(' ');
        return `${d} ${m} ${y}`;
      }),
    ];
  };

  it('never confirm each other by chance, and a single document always does', () => {
    const TRIES = 400;
    let chance = 0;
    for (let index = 0; index < TRIES; index += 1) {
      const [one, another] = [make(index), make(index + 1)];
      const sameName = one.userData.lastName === another.userData.lastName;
      const forged = show({ print: printOf(another), zone: one.mrzLines! });
      const { signals, doubt, reasons } = forged;
      // Two documents can expire on one day.
      const confirmed = reasons.filter((reason) => /^(?!expiry).*_confirmed$/.test(reason));
      if (signals.idValidity === 'likely_authentic_id' || doubt === 'little') chance += 1;
      if (!sameName && one.userData.firstName !== another.userData.firstName && confirmed.length > 0)
        chance += 1;
      const honest = show({ print: printOf(one), zone: one.mrzLines! });
      expect(honest.signals.idTextStatus, JSON.stringify(one.userData)).toBe('likely_original_text');
    }
    expect(chance).toBe(0);
  });
});

describe('a card with a barcode', () => {
  const american: Person = {
    ...randomPerson(seededRandom(2), { country: 'USA', today: NOW }),
    firstName: 'John P',
    lastName: 'Smith',
    born: { year: 1986, month: 2, day: 2 },
    state: 'CA',
  };
  const front = [
    'CALIFORNIA USA',
    'DRIVER LICENSE',
    'DL X8920987',
    'LN SMITH',
    'FN JOHN P',
    'DOB 02/02/1986',
    'EXP 04/26/2031',
  ];
  const judge = (text: string, print: readonly string[] = front) => {
    const side: SideReading = {
      problem: null,
      hasOutline: true,
      margin: 0.08,
      aspect: 1.586,
      imageAspect: 1.586,
      zone: null,
      sharpness: 500,
      glare: 0,
      recaptureScore: 2.5,
      lines: column(print),
      mrz: [],
      barcode: { text },
    };
    const portrait = { descriptor: own, image: new Uint8Array() };
    return judgeDocument(
      { front: side, back: null, portrait, timings: {} },
      { now: NOW, selfie: { descriptor: own, ageYears: 40 } },
    );
  };
  const license = (version: number, name?: string) => {
    const text = makeLicense(american, { ...DATES, number: 'X8920987', version }).truth.barcodeText!;
    return name === undefined ? text : text.replace(/^DAA.*$/m, `DAA${name}`);
  };

  it('of version 1 without commas in its name is split as in print', () => {
    const { data, signals } = judge(license(1, 'JOHN P SMITH'));
    expect([data.userData.lastName, data.userData.firstName]).toEqual(['Smith', 'John P']);
    expect(signals.idValidity).toBe('likely_authentic_id');
    // The family name may come first.
    expect(judge(license(1, 'SMITH JOHN P')).data.userData.lastName).toBe('Smith');
  });

  it('has no name when print does not show how to split it', () => {
    const print = front.filter((text) => !/^[LF]N /.test(text));
    for (const name of ['JOHN P SMITH', 'SMITH,JOHN,P']) {
      const { userData } = judge(license(1, name), print).data;
      expect([userData.lastName, userData.firstName, userData.idNumber]).toEqual(['', '', 'X8920987']);
    }
    // Later versions have an element for each.
    expect(judge(license(10), print).data.userData.lastName).toBe('Smith');
  });

  it('with names in another order between commas does not return a wrong last name', () => {
    const { userData } = judge(license(1, 'JOHN,SMITH,P')).data;
    expect(userData.lastName).not.toBe('John');
  });

  it('without print is undecided: a barcode is easy to forge', () => {
    expect(judge(license(10), []).doubt).toBe('open');
    expect(judge(license(10), front.slice(0, 3)).doubt).toBe('little');
  });
});
