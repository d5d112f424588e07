import { describe, expect, it } from 'vitest';
import { alphabetOf, decodeLine, isLatin, isMrzCharacter, withDigits } from './decode-characters.ts';

const all = ['', 'A', 'r', '0', '<', '中'];

/** Rows of outputs in which these characters are the most likely, in order; '' is the blank. */
function answers(rows: readonly Partial<Record<string, number>>[]): Float32Array {
  return Float32Array.from(
    rows.flatMap((row) => all.map((character) => row[character === '' ? 'none' : character] ?? 0)),
  );
}

const decode = (rows: Float32Array, isAllowed: (character: string) => boolean) =>
  decodeLine(rows, 0, rows.length / all.length, all.length, alphabetOf(all, isAllowed));

describe('outputs of the recognizer', () => {
  it('are decoded once per run of columns, and again after a gap', () => {
    const rows = answers([{ A: 0.9 }, { A: 0.8 }, { none: 1 }, { A: 0.7 }, { '<': 0.6 }, { '<': 0.9 }]);
    const { text, columns, confidence } = decode(rows, isMrzCharacter);
    expect(text).toBe('AA<');
    expect(columns).toEqual([0, 3, 5]);
    expect(confidence).toBeCloseTo((0.9 + 0.7 + 0.6) / 3);
  });

  it('are decoded from the allowed characters', () => {
    const rows = answers([
      { r: 0.6, A: 0.3 },
      { 中: 0.9, '0': 0.1 },
    ]);
    expect(decode(rows, isMrzCharacter).text).toBe('A0');
    expect(decode(rows, isLatin).text).toBe('r0');
  });

  it('are empty when the blank is the most likely', () => {
    expect(decode(answers([{ none: 1 }, { none: 1 }]), isLatin)).toMatchObject({ text: '', confidence: 0 });
  });
});

describe('numbers', () => {
  it('have no lower-case letters', () => {
    expect(withDigits('Prinsengracht 3oo, 1l')).toBe('Prinsengracht 300, 11');
  });

  it('do not affect words and codes', () => {
    for (const text of ['12O4', 'Lolo 2b', '59800Lille', '4OO', 'l0']) expect(withDigits(text)).toBe(text);
  });
});
