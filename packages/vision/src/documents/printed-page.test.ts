import { describe, expect, it } from 'vitest';
import { makeIdCard } from '../../../../test/fixtures/documents/id-card.ts';
import { makePassport } from '../../../../test/fixtures/documents/passport.ts';
import { randomPerson } from '../../../../test/fixtures/documents/person.ts';
import { seededRandom } from '../../../../test/fixtures/documents/random.ts';
import type { TextLine } from '../readings.ts';
import { readPage, withoutZone } from './printed-page.ts';

const at = (text: string, y: number): TextLine => ({
  text,
  confidence: 0.98,
  box: { x: 0.3, y, width: 0.3, height: 0.04 },
});
const page = (...texts: string[]) =>
  readPage(
    texts.map((text, index) => at(text, index * 0.05)),
    'DE',
  );

describe('a number in print', () => {
  it.each([
    ['532899734', true],
    ['Pass-Nr. 532899734', true],
    ['532 899 734', true],
    ['53-28.99734 D', true],
    ['5328997B4', false],
    ['53Z899734', true],
    ['S328997E4', false],
    // A part of a longer number is another number.
    ['1532899734', false],
    ['5328997345', false],
    ['532899', false],
  ])('%s has 532899734: %s', (text, expected) => {
    expect(page(text).hasNumber('532899734')).toBe(expected);
  });

  it('must have no misread character when neither part was read reliably', () => {
    expect(page('C01X00T47').hasNumber('CO1X00T47')).toBe(true);
    expect(page('C01X00T47').hasNumber('CO1X00T47', true)).toBe(false);
  });

  it('of four digits occurs by chance', () => {
    expect(page('1990').hasNumber('1990')).toBe(false);
  });

  it('with a continuation is the longer one', () => {
    expect(page('Passport No 1234567890').longerNumber('123456789')).toBe('1234567890');
    expect(page('Passport No 123456789').longerNumber('123456789')).toBeNull();
  });
});

describe('a name in print', () => {
  it.each([
    ['MÜLLER', true],
    ['MULLER JORDIS', true],
    ['1. MUELLER', true],
    ['MU1LER', true],
    ['MUSTER', false],
    ['MULIER', true],
    ['MÜLLERIN', false],
    // A word of every such document, and a label.
    ['BUNDESREPUBLIK DEUTSCHLAND MÜLLER', false],
  ])('%s has Mueller: %s', (text, expected) => {
    expect(page(text).hasName('MUELLER')).toBe(expected);
  });

  it('keeps its words whole when spaces are lost', () => {
    expect(page('LEUTHEUSSER SCHNARRE').hasName('LEUTHEUSSER-SCHNARRE')).toBe(true);
    expect(page('ANNAMARIA').hasName('ANNA MARIA')).toBe(true);
    expect(page('HANNA MARIANNE').hasName('ANNA MARIA')).toBe(false);
  });

  it('of two letters is found in a line of its own, and not in a sentence', () => {
    expect(page('LI WEI').hasName('LI')).toBe(true);
    expect(page('SIGNATURE DE LI TITULAIRE DU DOCUMENT').hasName('LI')).toBe(false);
    expect(page('LI WEI').hasName('LE')).toBe(false);
  });

  it('follows its label', () => {
    expect(page('Surname: MÜLLER').hasName('MUELLER')).toBe(true);
  });

  it('is not the label itself', () => {
    expect(page('Name/Surname', 'Nationality').hasName('SURNAME')).toBe(false);
  });
});

describe('a zone', () => {
  const person = {
    ...randomPerson(seededRandom(1), { country: 'DEU' }),
    lastName: 'Müller',
    firstName: 'Jördis',
  };
  const passport = makePassport(person, { number: '532899734' }).truth.mrzLines!;
  const card = makeIdCard(person, { number: '532899734' }).truth.mrzLines!;

  it.each([
    ['unchanged', (line: string) => line],
    ['with its fillers lost', (line: string) => line.replaceAll('<', '')],
    ['with its fillers read as spaces', (line: string) => line.replaceAll('<', ' ')],
    ['truncated in the middle', (line: string) => line.replaceAll('<', '').slice(0, 16)],
  ])('does not confirm itself, %s', (_, read) => {
    for (const zone of [passport, card]) {
      const lines = [at('532899734', 0.1), ...zone.map((line, index) => at(read(line), 0.8 + index * 0.05))];
      expect(withoutZone(lines, zone).map(({ text }) => text)).toEqual(['532899734']);
    }
  });

  it('does not remove similar print above it', () => {
    const print = ['532899734', 'MÜLLER', 'JÖRDIS', 'MULLER JORDIS', 'D', '18.07.1988'];
    const lines = print.map((text, index) => at(text, 0.1 + index * 0.08));
    for (const zone of [passport, card])
      expect(withoutZone([...lines, ...zone.map((line) => at(line, 0.9))], zone)).toEqual(lines);
  });

  it('that was not read in an image is found by its fillers', () => {
    const lines = [at('MÜLLER', 0.1), at('P<DEUMUELLER<<JORDIS<<<<<', 0.8), at('MUELLER JORDIS', 0.9)];
    expect(withoutZone(lines, null)).toEqual(lines.slice(0, 1));
  });
});
