import { describe, expect, it } from 'vitest';
import { generateMasterKey, isPublicSignature, MasterKey, ProjectCipher } from './crypto.ts';

const PROJECT = '0198c0de-0000-7000-8000-000000000001';
const master = new MasterKey(generateMasterKey());
const cipher = master.cipherFor(PROJECT, master.newEncryptedKey(PROJECT));
const LONG = { texts: Array.from({ length: 60 }, (_, n) => `the same words again, ${n % 7} ü 😀`) };

const EVENT = {
  ...{ format: 1, accountId: 'a', numSessions: 3, country: 'US', countries: ['US'], decision: 'Suspicious' },
  ...{ accountScore: 0.45, riskSignalAverage: [0, 0, 0.2, 0, 0, 0, 0, 0, 0, 0], lists: [] },
  userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0',
  emailFacts: { disposable: false, personal: true, valid: true, domainType: 'personal', emailScore: 0 },
};
/** `EVENT` as it was encrypted when the dictionary was introduced. */
const STORED =
  'AuLSPu1qCdFakakkbpu2Fz3vA7CKI+yg7L7ZlkxZtwh8z4GNumlU534mHENvyb2rQtqa92mabT7lFN7mJ9D/V9jpW+g+qYYGuw==';

describe('compact encryption', () => {
  it('decrypts to the same value, for long and short values, like plain encryption', () => {
    for (const value of [LONG, { n: 1 }, 'x'.repeat(253), 'x'.repeat(254), EVENT, null]) {
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

  it('can be read for good: the value of a key of zeros that was encrypted before', () => {
    const earlier = new ProjectCipher(PROJECT, Buffer.alloc(32));
    expect(earlier.decryptJson('events', 'a', Buffer.from(STORED, 'base64'))).toEqual(EVENT);
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

describe('a public signature', () => {
  const text = 'head v1\n5';
  const signature = cipher.signPublicly(text);

  it('is valid for its text and key alone', () => {
    expect(isPublicSignature(cipher.publicKey, text, signature)).toBe(true);
    expect(isPublicSignature(cipher.publicKey, `${text}0`, signature)).toBe(false);
    const other = new ProjectCipher(PROJECT, Buffer.alloc(32, 1));
    expect(isPublicSignature(other.publicKey, text, signature)).toBe(false);
    for (const key of ['', 'x', 'A'.repeat(43)]) expect(isPublicSignature(key, text, signature)).toBe(false);
    expect(isPublicSignature(cipher.publicKey, text, '')).toBe(false);
  });

  it('has a key that depends on the project and its data key only', () => {
    const [one, again] = [
      new ProjectCipher(PROJECT, Buffer.alloc(32)),
      new ProjectCipher(PROJECT, Buffer.alloc(32)),
    ];
    expect(one.publicKey).toBe(again.publicKey);
    expect(one.publicKey).toMatch(/^[\w-]{43}$/);
  });
});
