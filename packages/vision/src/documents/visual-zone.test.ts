import { describe, expect, it } from 'vitest';
import type { TextLine } from '../readings.ts';
import { labelOf } from './visual-labels.ts';
import { readVisualZone } from './visual-zone.ts';

/** Lines of text one below the other, at the given left edge. */
function column(texts: readonly string[], x = 0.35, confidence = 0.98): TextLine[] {
  return texts.map((text, index) => ({
    text,
    confidence,
    box: { x, y: 0.1 + index * 0.05, width: 0.3, height: 0.04 },
  }));
}

const texts = (zone: ReturnType<typeof readVisualZone>) =>
  Object.fromEntries(Object.entries(zone).flatMap(([field, value]) => (value ? [[field, value.text]] : [])));

describe('a label', () => {
  it.each([
    ['Surname', 'lastName'],
    ['Name/Surname', 'lastName'],
    ['Nom', 'lastName'],
    ['Apellidos/Surname', 'lastName'],
    ['Nombre/Given names', 'firstName'],
    ['Vornamen/Given nanes', 'firstName'],
    ['Dateof birth', 'birth'],
    ['Geburtsdatum/Date of birth', 'birth'],
    ['Fecha de nacimiento', 'birth'],
    ['Date de délivrance/Date of issue', 'issue'],
    ['Gültig bis/Date of expiry', 'expiry'],
    ["Date d'expiration/Date of expiry", 'expiry'],
    ['Passeport n°/Passport No.', 'number'],
    ['Nationality', 'other'],
    ['Name', 'fullName'],
    ['5. Document No.', 'number'],
  ])('%s is of the field %s', (line, field) => {
    expect(labelOf(line)).toBe(field);
  });

  it.each(['NOMIKOS', 'MUELLER', '18.07.1988', 'SURNAMESON', 'NAMEDLY'])('%s is not a label', (line) => {
    expect(labelOf(line)).toBeNull();
  });
});

describe('print', () => {
  it('below labels is read', () => {
    const lines = column([
      'Name/Surname',
      'MÜLLER',
      'Vornamen/Given names',
      'JÖRDIS',
      'Geburtsdatum/Date of birth',
      '18.07.1988',
      'Gültig bis/Date of expiry',
      '26.04.2031',
      'Pass-Nr./Passport No.',
      'C71 PYX 778',
    ]);
    expect(texts(readVisualZone([lines], 'DE'))).toEqual({
      lastName: 'MÜLLER',
      firstName: 'JÖRDIS',
      birth: '07/18/1988',
      expiry: '04/26/2031',
      number: 'C71PYX778',
    });
  });

  it('below another label belongs to that label', () => {
    const lines = column(['Surname', 'Given names', 'ANNA']);
    expect(texts(readVisualZone([lines], 'GB'))).toEqual({ firstName: 'ANNA' });
  });

  it('beside a column is not a value of a label in it', () => {
    const lines = [...column(['Surname']), ...column(['', 'PORTRAIT'], 0.05)];
    expect(texts(readVisualZone([lines], 'GB'))).toEqual({});
  });

  it('of a European license is read by its numbers, together with them or separately', () => {
    const apart: TextLine[] = [
      { text: '2.', confidence: 0.9, box: { x: 0.35, y: 0.3, width: 0.02, height: 0.05 } },
      { text: 'ÉTIENNE', confidence: 0.98, box: { x: 0.39, y: 0.3, width: 0.2, height: 0.05 } },
    ];
    const lines = [
      ...column(['1.DUPONT', '3. 28.02.1948 NANTES', '4a.18.02.2021 4b.17.02.2031', '5. D773229ZM84']),
      ...apart,
    ];
    expect(texts(readVisualZone([lines], 'FR'))).toEqual({
      lastName: 'DUPONT',
      firstName: 'ÉTIENNE',
      birth: '02/28/1948',
      issue: '02/18/2021',
      expiry: '02/17/2031',
      number: 'D773229ZM84',
    });
  });

  it('of an American license is read by its abbreviations, with the address', () => {
    const lines = column([
      '4d DL X8920987',
      '4b EXP 09/15/2028',
      "1 LN O'NEILL",
      '2 FN JAMES',
      '8 2570 24TH STREET',
      'SACRAMENTO, CA 95818',
      '3D0B02/05/1982',
      '4aISS09/16/2018',
    ]);
    expect(texts(readVisualZone([lines], 'US'))).toEqual({
      number: 'X8920987',
      expiry: '09/15/2028',
      lastName: "O'NEILL",
      firstName: 'JAMES',
      birth: '02/05/1982',
      issue: '09/16/2018',
      street: '2570 24TH STREET',
      city: 'SACRAMENTO',
      state: 'CA',
      postalCode: '95818',
    });
  });

  it('of an American street is omitted when its first digit may be the number of the field', () => {
    const street = (line: string) =>
      readVisualZone([column([line, 'SACRAMENTO, CA 95818'])], 'US').street?.text ?? '';
    expect([street('8 9 ELM AVE'), street('9 ELM AVE'), street('89 ELM AVE')]).toEqual([
      '9 ELM AVE',
      '9 ELM AVE',
      '',
    ]);
  });

  it('of a European address is read only below its label', () => {
    const lines = column(['Address', '3Church Road', 'LS1 4AP Leeds']);
    expect(texts(readVisualZone([lines], 'GB'))).toEqual({
      street: '3 Church Road',
      city: 'Leeds',
      postalCode: 'LS1 4AP',
    });
    expect(texts(readVisualZone([column(['20095 Hamburg'])], 'DE'))).toEqual({});
  });

  it('that cannot be a value is omitted', () => {
    const lines = column(['Surname', 'M1LLER<<', 'Date of birth', '31.02.1988', 'Document No.', 'NONE']);
    expect(texts(readVisualZone([lines], 'DE'))).toEqual({});
  });
});
