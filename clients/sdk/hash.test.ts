import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256, shortHash } from './hash.ts';

test('a short hash has sixteen digits and is equal for equal texts', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(shortHash(text)).toMatch(/^[0-9a-f]{16}$/);
      expect(shortHash(text)).toBe(shortHash(`${text}`));
    }),
  );
});

test('texts that differ in one place or in order have different short hashes', () => {
  const texts = Array.from({ length: 5000 }, (_, index) => `data:image/png;base64,${index}`);
  const turned = ['ab', 'ba', 'aab', 'aba', 'baa', ''];
  expect(new Set([...texts, ...turned].map(shortHash)).size).toBe(texts.length + turned.length);
});

test('the first half of a short hash equals published FNV-1a values', () => {
  // http://www.isthe.com/chongo/src/fnv/test_fnv.c
  expect(shortHash('a').slice(0, 8)).toBe('e40c292c');
  expect(shortHash('foobar').slice(0, 8)).toBe('bf9cf968');
});

test('the claim of an account is the SHA-256 of its id', async () => {
  expect(await sha256('müller-1')).toBe(createHash('sha256').update('müller-1').digest('hex'));
});
