import { describe, expect, it } from 'vitest';
import { makeIdCard } from '../../../../test/fixtures/documents/id-card.ts';
import { makeEuropeanLicense, makeLicense } from '../../../../test/fixtures/documents/license.ts';
import { makePassport, printedDate } from '../../../../test/fixtures/documents/passport.ts';
import { type Person, randomPerson } from '../../../../test/fixtures/documents/person.ts';
import { seededRandom } from '../../../../test/fixtures/documents/random.ts';
import type { Specimen } from '../../../../test/fixtures/documents/specimen.ts';
import type { DocumentReading, MrzLines, SideReading, TextLine } from '../readings.ts';
import { type JudgmentContext, judgeDocument } from './judge-document.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const ISSUED = { year: 2021, month: 4, day: 27 };
const EXPIRES = { year: 2031, month: 4, day: 26 };
const GERMAN: Person = {
  ...randomPerson(seededRandom(1), { country: 'DEU', today: NOW }),
  firstName: 'Jördis',
  lastName: 'Müller',
  born: { year: 1988, month: 7, day: 18 },
};
const AMERICAN: Person = {
  ...randomPerson(seededRandom(2), { country: 'USA', today: NOW }),
  firstName: 'Eleanor Jane',
  lastName: "O'Neill",
  born: { year: 1982, month: 2, day: 5 },
  street: '2570 24TH STREET',
  city: 'SACRAMENTO',
  state: 'CA',
  postalCode: '95818',
};
const OPTIONS = { issued: ISSUED, expires: EXPIRES, today: NOW };
const PASSPORT = makePassport(GERMAN, { ...OPTIONS, number: '532899734' });
const LICENSE = makeLicense(AMERICAN, { ...OPTIONS, number: 'X8920987' });
const PORTRAIT = { descriptor: new Float32Array(128), image: new Uint8Array() };

function column(texts: readonly string[], confidence = 0.98): TextLine[] {
  return texts.map((text, index) => ({
    text,
    confidence,
    box: { x: 0.35, y: 0.05 + index * 0.05, width: 0.3, height: 0.04 },
  }));
}

const zone = ({ truth }: Specimen, engine: MrzLines['engine'] = 'ppocr'): MrzLines => ({
  engine,
  lines: truth.mrzLines!,
});

/** A good image of a whole document. */
function side(changes: Partial<SideReading> = {}): SideReading {
  return {
    problem: null,
    hasOutline: true,
    margin: 0.08,
    aspect: 1.586,
    imageAspect: 1.586,
    sharpness: 500,
    glare: 0,
    recaptureScore: 2.5,
    lines: [],
    mrz: [],
    zone: null,
    barcode: null,
    ...changes,
  };
}

type Printed = {
  last?: string;
  first?: string;
  born?: string;
  issued?: string;
  expires?: string;
  number?: string;
};

function passportLines(printed: Printed = {}): TextLine[] {
  return column([
    'BUNDESREPUBLIK DEUTSCHLAND',
    'REISEPASS PASSPORT',
    'Pass-Nr./Passport No.',
    printed.number ?? '532899734',
    'Name/Surname',
    printed.last ?? 'MÜLLER',
    'Vornamen/Given names',
    printed.first ?? 'JÖRDIS',
    'Geburtsdatum/Date of birth',
    printed.born ?? '18.07.1988',
    'Ausstellungsdatum/Date of issue',
    printed.issued ?? '27.04.2021',
    'Gültig bis/Date of expiry',
    printed.expires ?? '26.04.2031',
  ]);
}

function passport(changes: Partial<SideReading> = {}): DocumentReading {
  const front = side({ aspect: 1.42, lines: passportLines(), mrz: [zone(PASSPORT)], ...changes });
  return { front, back: null, portrait: PORTRAIT, timings: {} };
}

function license(specimen: Specimen = LICENSE, back: Partial<SideReading> = {}): DocumentReading {
  const lines = column([
    'CALIFORNIA USA',
    'DRIVER LICENSE',
    '4d DL X8920987',
    '4b EXP 04/26/2031',
    "1 LN O'NEILL",
    '2 FN ELEANOR JANE',
    '8 2570 24TH STREET',
    'SACRAMENTO, CA 95818',
    '3 DOB 02/05/1982',
    '4a ISS 04/27/2021',
  ]);
  const barcode = { text: specimen.truth.barcodeText! };
  return { front: side({ lines }), back: side({ barcode, ...back }), portrait: PORTRAIT, timings: {} };
}

const judge = (reading: DocumentReading, context: Partial<JudgmentContext> = {}) =>
  judgeDocument(reading, { now: NOW, selfie: null, ...context });

describe('a passport', () => {
  it('with consistent parts is likely authentic and has every field', () => {
    const { signals, data, isExpired } = judge(passport());
    const { mrzLines, ...truth } = PASSPORT.truth;
    expect(data).toEqual(truth);
    expect(isExpired).toBe(false);
    expect(signals).toEqual({
      idAge: 38,
      faceAgeEstimate: null,
      idFaceMatchScore: null,
      idBarcodeStatus: 'no_barcode_specificed_by_template',
      idFaceStatus: 'likely_original_face',
      idTextStatus: 'likely_original_text',
      isIdDigitalSpoof: 'likely_physical_id',
      isFullIdCaptured: 'full_id_detected',
      idValidity: 'likely_authentic_id',
      nameNotFound: false,
      namePartiallyMissing: false,
      isDigitalId: false,
    });
  });

  it('spells names without accents as the zone does', () => {
    const { data } = judge(passport({ lines: passportLines({ last: 'MULLER', first: 'JORDIS' }) }));
    expect([data.userData.firstName, data.userData.lastName]).toEqual(['Joerdis', 'Mueller']);
  });

  it('that expired has the signal, and remains authentic', () => {
    const { signals, isExpired } = judge(passport(), { now: new Date('2031-04-27T00:00:00Z') });
    expect([isExpired, signals.idValidity]).toEqual([true, 'likely_authentic_id']);
    expect(judge(passport(), { now: new Date('2031-04-26T23:00:00Z') }).isExpired).toBe(false);
  });

  it.each([
    ['birth', passportLines({ born: '02.11.1971' }), 'birth_differs'],
    ['expiry', passportLines({ expires: '26.12.2037' }), 'expiry_differs'],
    ['number', passportLines({ number: '532811111' }), 'number_differs'],
  ])('with another %s in print than in its zone is likely fake', (_, lines, reason) => {
    const { signals, reasons } = judge(passport({ lines }));
    expect(reasons).toContain(reason);
    expect([signals.idValidity, signals.idTextStatus]).toEqual([
      'likely_fake_id',
      'cannot_confirm_id_is_authentic',
    ]);
  });

  it('with another name in print than two engines read in the zone is likely fake', () => {
    const reading = passport({
      lines: passportLines({ last: 'GARCIA' }),
      mrz: [zone(PASSPORT), zone(PASSPORT, 'ocrb')],
    });
    const { signals, data, reasons } = judge(reading);
    expect(reasons).toContain('names_differ');
    expect(signals.idValidity).toBe('likely_fake_id');
    expect(data.userData.lastName).toBe('');
    expect([signals.nameNotFound, signals.namePartiallyMissing]).toEqual([false, true]);
  });

  it('with another birth date in poor print is likely fake', () => {
    const lines = passportLines({ born: '02.11.1971' }).map((line) => ({ ...line, confidence: 0.9 }));
    expect(judge(passport({ lines })).signals.idValidity).toBe('likely_fake_id');
  });

  it('with one digit changed in poor print is not confirmed', () => {
    const lines = passportLines({ born: '18.07.1978' }).map((line) => ({ ...line, confidence: 0.9 }));
    const { signals, data } = judge(passport({ lines }));
    expect([signals.idTextStatus, signals.idValidity]).toEqual([
      'cannot_confirm_id_is_authentic',
      'cannot_confirm_id_is_authentic',
    ]);
    expect(data.userData.dateOfBirth).toBe('07/18/1988');
  });

  it('with one lookalike character cannot be confirmed, and the field is empty', () => {
    const { signals, data } = judge(passport({ lines: passportLines({ born: '13.07.1988' }) }));
    expect(signals.idValidity).toBe('cannot_confirm_id_is_authentic');
    expect([data.userData.dateOfBirth, signals.idAge]).toEqual(['', null]);
  });

  it('with wrong check digits in two engines is likely fake, in one engine not', () => {
    const forged = (engine: MrzLines['engine']): MrzLines => ({
      engine,
      lines: PASSPORT.truth.mrzLines!.map((line) => line.replace('880718', '980718')),
    });
    const lines = passportLines({ born: '18.07.1998' });
    expect(judge(passport({ lines, mrz: [forged('ppocr'), forged('ocrb')] })).signals.idValidity).toBe(
      'likely_fake_id',
    );
    expect(judge(passport({ lines, mrz: [forged('ppocr')] })).signals.idValidity).toBe(
      'cannot_confirm_id_is_authentic',
    );
  });

  it('without print is not confirmed by its zone alone, and has no names from one reading', () => {
    const { signals, data } = judge(passport({ lines: [] }));
    expect([signals.idTextStatus, signals.nameNotFound]).toEqual(['cannot_confirm_id_is_authentic', true]);
    expect(data.userData).toMatchObject({ dateOfBirth: '07/18/1988', idNumber: '532899734', lastName: '' });
  });

  describe('with a zone of a child or of a centenarian', () => {
    const born = (year: number) =>
      makePassport({ ...GERMAN, born: { year, month: 3, day: 10 } }, { ...OPTIONS, number: '532899734' });
    const judged = (zoneYear: number, printed: string, confidence = 0.98) => {
      const lines = passportLines({ born: printed }).map((line) => ({ ...line, confidence }));
      const { signals, data } = judge(passport({ lines, mrz: [zone(born(zoneYear))] }));
      return [signals.idValidity, data.userData.dateOfBirth, signals.idAge];
    };

    it.each([
      ['of a hundred years', '10.03.1925', ['likely_authentic_id', '03/10/1925', 101]],
      ['of a year', '10.03.2025', ['likely_authentic_id', '03/10/2025', 1]],
    ])('is that %s by its print', (_, printed, expected) => {
      expect(judged(1925, printed)).toEqual(expected);
      expect(judged(1925, printed, 0.9)).toEqual(expected);
    });

    it('is contradicted by another day, not by one misread digit', () => {
      expect(judged(1925, '10.03.1926', 0.9)[0]).toBe('cannot_confirm_id_is_authentic');
      expect(judged(1925, '28.11.1971')[0]).toBe('likely_fake_id');
    });

    it('has no date of birth without one in print, except for an older child', () => {
      expect(judged(1925, '')).toEqual(['cannot_confirm_id_is_authentic', '', null]);
      expect(judged(2016, '')).toEqual(['cannot_confirm_id_is_authentic', '03/10/2016', 10]);
    });
  });

  it('with an issue date after its expiry date has no issue date', () => {
    expect(
      judge(passport({ lines: passportLines({ issued: '27.04.2033' }) })).data.userData.dateOfIssue,
    ).toBe('');
  });
});

describe('a license', () => {
  it('with matching print and barcode is likely authentic', () => {
    const { signals, data } = judge(license());
    const { barcodeText, ...truth } = LICENSE.truth;
    expect(data).toEqual(truth);
    expect(signals).toMatchObject({
      idBarcodeStatus: 'success',
      idTextStatus: 'likely_original_text',
      idValidity: 'likely_authentic_id',
      idAge: 44,
    });
  });

  it.each([
    [null, 'barcode_requested_but_not_found'],
    ['error', 'barcode_requested_but_error_reading'],
    [{ text: 'HELLO' }, 'barcode_requested_and_read_but_could_not_parse'],
    [{ text: `${LICENSE.truth.barcodeText}\0` }, 'barcode_requested_and_read_but_could_not_parse'],
  ] as const)('with the barcode %j has the status %s and is not authentic', (barcode, status) => {
    const { signals } = judge(license(LICENSE, { barcode }));
    expect([signals.idBarcodeStatus, signals.idValidity]).toEqual([status, 'cannot_confirm_id_is_authentic']);
  });

  it('without a back has no barcode', () => {
    expect(judge({ ...license(), back: null }).signals.idBarcodeStatus).toBe(
      'barcode_requested_but_not_found',
    );
  });

  it('with different birth dates in barcode and print is likely fake', () => {
    const forged = makeLicense(AMERICAN, {
      ...OPTIONS,
      number: 'X8920987',
      encoded: { born: { year: 2004, month: 9, day: 17 } },
    });
    const { signals, reasons, data } = judge(license(forged));
    expect(reasons).toContain('birth_differs');
    expect([signals.idValidity, data.userData.dateOfBirth, signals.idAge]).toEqual([
      'likely_fake_id',
      '',
      null,
    ]);
  });

  it('with a birth date in the future is likely fake and has no age', () => {
    const forged = makeLicense(AMERICAN, {
      ...OPTIONS,
      number: 'X8920987',
      encoded: { born: { year: 2027, month: 1, day: 1 } },
    });
    const { signals, data } = judge({ ...license(forged), front: side({ lines: [] }) });
    expect([signals.idValidity, data.userData.dateOfBirth, signals.idAge]).toEqual([
      'likely_fake_id',
      '',
      null,
    ]);
  });
});

describe('a European license', () => {
  const european = makeEuropeanLicense(GERMAN, { ...OPTIONS, number: 'B072RRE2I55' });

  const print = column([
    'FÜHRERSCHEIN DEUTSCHLAND',
    '1. MÜLLER',
    '2. JÖRDIS',
    '3. 18.07.1988 HAMBURG',
    '4a. 27.04.2021 4b. 26.04.2031',
    '4c. VERKEHRSAMT',
    '5. B072RRE2I55',
    '9. AM/B/L',
  ]);

  it('is read by its numbered fields and not confirmed', () => {
    const front = side({ lines: print });
    const { signals, data, reasons } = judge({ front, back: null, portrait: PORTRAIT, timings: {} });
    expect(data).toEqual(european.truth);
    expect(signals).toMatchObject({
      idBarcodeStatus: 'no_barcode_specificed_by_template',
      idTextStatus: 'cannot_confirm_id_is_authentic',
      idValidity: 'cannot_confirm_id_is_authentic',
      idAge: 38,
    });
    expect(reasons).toContain('no_zone');
  });

  it('is not searched for in hundreds of lines of text', () => {
    const lastNameBelow = (count: number) => {
      const text = Array.from({ length: count }, () => column(['LOREM IPSUM'])).flat();
      const front = side({ lines: [...text, ...print] });
      return judge({ front, back: null, portrait: PORTRAIT, timings: {} }).data.userData.lastName;
    };
    expect([lastNameBelow(300), lastNameBelow(400)]).toEqual(['Müller', '']);
  });
});

describe('a card with its zone on the back', () => {
  it('is assessed by both sides', () => {
    const card = makeIdCard(GERMAN, { ...OPTIONS, number: '532899734' });
    const front = side({
      lines: column([
        'PERSONALAUSWEIS IDENTITY CARD',
        'Name/Surname',
        'MÜLLER',
        'Vornamen/Given names',
        'JÖRDIS',
        'Geburtsdatum/Date of birth',
        '18.07.1988',
      ]),
    });
    const back = side({
      mrz: [zone(card)],
      lines: column(['Address', GERMAN.street, `${GERMAN.postalCode} ${GERMAN.city}`]),
    });
    const { signals, data } = judge({ front, back, portrait: PORTRAIT, timings: {} });
    expect(signals.idValidity).toBe('likely_authentic_id');
    expect(data.templateInfo).toEqual({
      documentCountryCode: 'DE',
      documentState: '',
      templateType: 'national_id',
    });
    expect(data.userData.address).toEqual({
      street: GERMAN.street,
      city: GERMAN.city,
      postalCode: GERMAN.postalCode,
      state: '',
      country: 'DE',
    });
  });
});

describe('the image', () => {
  it.each([
    ['has no outline', { hasOutline: false, margin: null, aspect: null }],
    ['is truncated', { margin: 0 }],
    ['ends at the frame', { margin: 0.002 }],
    ['has another shape', { aspect: 1.9 }],
  ])('of a document that %s does not show it whole', (_, changes) => {
    const { signals } = judge(passport(changes));
    expect(signals.isFullIdCaptured).toBe('could_not_confidently_determine_full_id_user_needs_to_retry');
    expect(signals.idValidity).toBe('cannot_confirm_id_is_authentic');
  });

  it.each([
    ['of a screen', { recaptureScore: 3.7 }, true],
    ['too small', { recaptureScore: null }, false],
    ['too blurred', { sharpness: 5 }, false],
  ])('%s is not of a physical document', (_, changes, isDigitalId) => {
    const { signals } = judge(passport(changes));
    expect(signals.isIdDigitalSpoof).toBe('could_not_confidently_determine_physical_id_user_needs_to_retry');
    expect(signals).toMatchObject({
      isDigitalId,
      idFaceStatus: 'cannot_confirm_id_is_authentic',
      idValidity: 'cannot_confirm_id_is_authentic',
    });
  });

  it('of other content has no result', () => {
    const empty = side({ hasOutline: false, margin: null, aspect: null, lines: column(['HELLO']) });
    const { signals, data, isExpired } = judge({ front: empty, back: null, portrait: null, timings: {} });
    expect(signals).toMatchObject({
      idAge: null,
      idTextStatus: 'not_available',
      idFaceStatus: 'ocr_template_does_not_support_detection',
      idBarcodeStatus: 'no_barcode_specificed_by_template',
      idValidity: 'cannot_confirm_id_is_authentic',
      nameNotFound: true,
    });
    expect(data.templateInfo.templateType).toBe('unknown');
    expect(Object.values(data.userData).filter((value) => typeof value === 'string' && value !== '')).toEqual(
      [],
    );
    expect(isExpired).toBeNull();
  });
});

describe('the face', () => {
  const at = (value: number) => new Float32Array(128).fill(value);

  it('of the selfie is compared with the portrait, and its age is returned as a bracket', () => {
    const same = judge(passport(), { selfie: { descriptor: at(0), ageYears: 38 } }).signals;
    expect(same.idFaceMatchScore).toBeGreaterThan(0.99);
    expect(same.faceAgeEstimate).toBe('over30');
    const other = judge(passport(), { selfie: { descriptor: at(0.1), ageYears: null } }).signals;
    expect(other.idFaceMatchScore).toBeLessThan(0.01);
    expect(other.faceAgeEstimate).toBeNull();
  });

  it('without a portrait has no score', () => {
    const { signals } = judge(
      { ...passport(), portrait: null },
      { selfie: { descriptor: at(0), ageYears: 38 } },
    );
    expect(signals).toMatchObject({
      idFaceMatchScore: null,
      idFaceStatus: 'not_available',
      idValidity: 'cannot_confirm_id_is_authentic',
    });
  });
});

describe('an expected name', () => {
  it.each([
    [{ first: 'jordis', last: 'Mueller' }, false, false],
    [{ first: 'Jördis', last: 'Schmidt' }, false, true],
    [{ first: 'Anna', last: 'Schmidt' }, true, false],
    [{ last: 'MÜLLER' }, false, false],
    [{}, false, false],
  ])('%j: missing %s, partly %s', (expectedName, nameNotFound, namePartiallyMissing) => {
    expect(judge(passport(), { expectedName }).signals).toMatchObject({ nameNotFound, namePartiallyMissing });
  });
});

it('reasons contain only codes and no values of the document', () => {
  const { reasons } = judge(
    passport({ lines: passportLines({ born: printedDate({ year: 1971, month: 2, day: 1 }, 'DEU') }) }),
  );
  for (const reason of reasons) expect(reason).toMatch(/^[A-Za-z0-9_]+$/);
  expect(reasons.join(' ')).not.toMatch(/ller|rdis|1988|1971|532899734/i);
});
