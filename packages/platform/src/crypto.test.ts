import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { generateMasterKey, MasterKey } from './crypto.ts';

const PROJECT = '0198c0de-0000-7000-8000-000000000001';
const master = new MasterKey(generateMasterKey());
const cipher = master.cipherFor(PROJECT, master.newEncryptedKey(PROJECT));
const LONG = { texts: Array.from({ length: 60 }, (_, n) => `the same words again, ${n % 7} ü 😀`) };

describe('compact encryption', () => {
  it('decrypts to the same value, for long and short values, like plain encryption', () => {
    for (const value of [LONG, { n: 1 }, 'x'.repeat(511), null]) {
      expect(cipher.decryptJson('events', 'a', cipher.encryptCompactJson('events', 'a', value))).toEqual(
        value,
      );
      expect(cipher.decryptJson('events', 'a', cipher.encryptJson('events', 'a', value))).toEqual(value);
    }
  });

  it('is smaller for long values', () => {
    const [plain, compact] = [
      cipher.encryptJson('events', 'a', LONG),
      cipher.encryptCompactJson('events', 'a', LONG),
    ];
    expect(compact.length).toBeLessThan(plain.length / 2);
    expect(cipher.encryptCompactJson('events', 'a', { n: 1 })).toHaveLength(29 + '{"n":1}'.length);
  });

  it('depends on every byte of its dictionary, so that stored texts can be read for good', () => {
    const bytes = readFileSync(new URL('../data/json-dictionary.txt', import.meta.url));
    const sum = createHash('sha256').update(bytes).digest('hex');
    expect(sum).toBe('8d7a9163fdf408ce2154d23875cb29f4ae6e3f8cb748a9123e939742505ae843');
  });

  it('is rejected for another row, after a modification, and with another version', () => {
    const encrypted = cipher.encryptCompactJson('events', 'a', LONG);
    const changed = (index: number, to: number) => Buffer.from(encrypted.with(index, to));
    expect(() => cipher.decryptJson('events', 'b', encrypted)).toThrow();
    expect(() => cipher.decryptJson('events', 'a', changed(40, encrypted[40]! ^ 1))).toThrow();
    for (const version of [0, 1, 3])
      expect(() => cipher.decryptJson('events', 'a', changed(0, version))).toThrow();
  });
});
