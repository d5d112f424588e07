import { expect, test } from 'vitest';
import { parseEmail } from '../email-address.ts';
import { digestOf, listedSpellings } from './spelled-hashes.ts';

test.each([
  ['alice@example.com', ['alice@example.com']],
  [' Alice@EXAMPLE.com ', ['alice@example.com']],
  ['A.Lice+x@gmail.com', ['a.lice+x@gmail.com', 'alice@gmail.com']],
  ['info@BÜCHER.de', ['info@xn--bcher-kva.de', 'info@bücher.de']],
])('the spellings of %j in lists are %j', (address, spellings) => {
  expect(listedSpellings(parseEmail(address))).toEqual(spellings);
});

test('digests equal those of sha1sum and sha256sum', () => {
  expect(digestOf('sha1', 'alice@example.com').toString('hex')).toBe(
    'fc2398a73dd54d6237c4fdb58fd7d75347cf5af3',
  );
  expect(digestOf('sha256', 'alice@example.com').toString('hex')).toBe(
    'ff8d9819fc0e12bf0d24892e45987e249a28dce836a85cad60e28eaaa8c6d976',
  );
});
