import { describe, expect, it } from 'vitest';
import { generateMasterKey, MasterKey } from './crypto.ts';

const PROJECT = '0198c0de-0000-7000-8000-000000000001';
const master = new MasterKey(generateMasterKey());
const cipher = master.cipherFor(PROJECT, master.newSealedKey(PROJECT));
const LONG = { texts: Array.from({ length: 60 }, (_, n) => `the same words again, ${n % 7} ü 😀`) };

describe('a compact seal', () => {
  it('opens to the same value, long or short, and so does what was sealed as it is', () => {
    for (const value of [LONG, { n: 1 }, 'x'.repeat(511), null]) {
      expect(cipher.openJson('events', 'a', cipher.sealCompactJson('events', 'a', value))).toEqual(value);
      expect(cipher.openJson('events', 'a', cipher.sealJson('events', 'a', value))).toEqual(value);
    }
  });

  it('is a good deal smaller where it pays', () => {
    const [plain, compact] = [
      cipher.sealJson('events', 'a', LONG),
      cipher.sealCompactJson('events', 'a', LONG),
    ];
    expect(compact.length).toBeLessThan(plain.length / 2);
    expect(cipher.sealCompactJson('events', 'a', { n: 1 })).toHaveLength(29 + '{"n":1}'.length);
  });

  it('does not open for another row, nor changed, nor under the other version', () => {
    const sealed = cipher.sealCompactJson('events', 'a', LONG);
    const changed = (index: number, to: number) => Buffer.from(sealed.with(index, to));
    expect(() => cipher.openJson('events', 'b', sealed)).toThrow();
    expect(() => cipher.openJson('events', 'a', changed(40, sealed[40]! ^ 1))).toThrow();
    for (const version of [0, 1, 3])
      expect(() => cipher.openJson('events', 'a', changed(0, version))).toThrow();
  });
});
