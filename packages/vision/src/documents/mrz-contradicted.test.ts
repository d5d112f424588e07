import { describe, expect, it } from 'vitest';
import type { MrzLines } from '../readings.ts';
import { readMrz } from './mrz.ts';

const NOW = new Date('2026-11-21T12:00:00Z');
const ZONE = [
  'I<UTOD231458907<<<<<<<<<<<<<<<',
  '7408122F1204159UTO<<<<<<<<<<<6',
  'ERIKSSON<<ANNA<MARIA<<<<<<<<<<',
];
/** The same rows compared at a wrong position, twice, as in the two reads of the glyph comparison. */
const MISPLACED = [
  'TJ<CJCI231A58907<<<<<<<<<<<<<<',
  '<7A0812R7120415PUTO<<<<<<<<<<<',
  'LIFIXSSCN<<ANNA<MARIA<<<<<<<<<',
];

const read = (engine: MrzLines['engine'], lines: readonly string[]): MrzLines => ({ engine, lines });

describe('readings of a zone that contradict a valid one', () => {
  it('do not override it', () => {
    const candidates = [read('ocrb', MISPLACED), read('ocrb', MISPLACED), read('ppocr', ZONE)];
    expect(readMrz(candidates, NOW)).toMatchObject({
      lines: ZONE,
      holds: true,
      composite: 'valid',
      birth: { value: '08/12/1974', validity: 'valid' },
      expiry: { value: '04/15/2012', validity: 'valid' },
    });
  });

  it('count when two valid ones differ', () => {
    // Another number, whose check digit and composite are valid as well.
    const other = ['I<UTOD331458900<<<<<<<<<<<<<<<', '7408122F1204159UTO<<<<<<<<<<<0', ZONE[2]!];
    expect(readMrz([read('ocrb', other)], NOW)?.composite).toBe('valid');
    const both = readMrz([read('ocrb', other), read('ppocr', ZONE), read('ocrb', MISPLACED)], NOW);
    expect(both).toMatchObject({ holds: false, number: { value: '', validity: 'invalid' } });
  });

  it('are not examined without a valid one', () => {
    const result = readMrz([read('ocrb', MISPLACED), read('ppocr', MISPLACED)], NOW);
    expect(result?.holds ?? false).toBe(false);
  });

  it('still confirm a number that they read equally', () => {
    // 60 and OO, 1 and I have the same weight: one engine alone is uncertain.
    const zone = [
      'P<FRASPECIMEN<<NATACHA<<<<<<<<<<<<<<<<<<<<<<',
      '60RF197658FRA8407122F2007058<<<<<<<<<<<<<<06',
    ];
    const shifted = [`M${zone[0]!.slice(0, -1)}`, `W${zone[1]!.slice(0, -1)}`];
    const alone = read('ppocr', zone);
    expect(readMrz([alone], NOW)?.number.validity).toBe('unchecked');
    expect(readMrz([read('ocrb', shifted), alone], NOW)).toMatchObject({
      lines: zone,
      number: { value: '60RF19765', validity: 'valid' },
    });
    // The same engine again is not independent, nor is a different number.
    expect(readMrz([read('ppocr', shifted), alone], NOW)?.number.validity).toBe('unchecked');
    const other = [shifted[0]!, shifted[1]!.replace('60RF', 'G0RF')];
    expect(readMrz([read('ocrb', other), alone], NOW)?.number.validity).toBe('unchecked');
  });
});
