import { describe, expect, it } from 'vitest';
import { checkDigit, td2Lines } from '../../../../test/fixtures/documents/mrz-text.ts';
import { readMrz } from './mrz.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const PERSON = {
  country: 'BEL',
  nationality: 'BEL',
  lastName: 'Peeters',
  firstName: 'Lotte',
  born: { year: 1990, month: 8, day: 12 },
  sex: 'F',
  expires: { year: 2031, month: 4, day: 26 },
} as const;
const read = (lines: readonly string[]) =>
  readMrz(
    [
      { engine: 'ppocr', lines },
      { engine: 'ocrb', lines },
    ],
    NOW,
  )!;

/** The second line of a passport with a number that continues in the optional data. */
function passport(rest: string, optional = ''): string[] {
  const number = '592123456';
  const continued = (
    rest === '' ? '' : rest + checkDigit(number + rest) + (optional && `<${optional}`)
  ).padEnd(14, '<');
  const dates = ['900812', '310426'].map((date) => date + checkDigit(date));
  const personal = continued + checkDigit(continued);
  const composite = checkDigit(`${number}<${dates.join('')}${personal}`);
  return [
    'P<BELPEETERS<<LOTTE'.padEnd(44, '<'),
    `${number}<BEL${dates[0]}F${dates[1]}${personal}${composite}`,
  ];
}

describe('a number of more than nine characters', () => {
  it('continues in the optional data of a card of two lines', () => {
    const result = read(td2Lines({ ...PERSON, code: 'ID', number: '592123456712' }));
    expect([result.number, result.optional.value]).toEqual([
      { value: '592123456712', validity: 'valid' },
      '',
    ]);
    expect([result.composite, result.holds, result.birth.value]).toEqual(['valid', true, '08/12/1990']);
  });

  it('continues in the optional data of a passport, before its other content', () => {
    const result = read(passport('712', '9901'));
    expect(result.number).toEqual({ value: '592123456712', validity: 'valid' });
    expect([result.optional.value, result.composite, result.holds]).toEqual(['9901', 'valid', true]);
  });

  it('is empty when nothing continues it or its check digit fails', () => {
    expect(read(passport('')).number).toEqual({ value: '', validity: 'invalid' });
    const [first, second] = passport('712') as [string, string];
    const wrong = second.replace('712', '713');
    expect(read([first, wrong]).number.validity).not.toBe('valid');
    expect(read([first, wrong]).number.value).toBe('');
  });
});
