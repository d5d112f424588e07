import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nearEmailBlocks } from './email-blocks.ts';

const shares = (one: string, other: string) => {
  const blocks = new Set(nearEmailBlocks(one));
  return nearEmailBlocks(other).some((block) => blocks.has(block));
};

const character = fc.constantFrom(...'abcdeXYZ019_');
const localPart = fc.array(character, { minLength: 5, maxLength: 40 }).map((letters) => letters.join(''));
const edit = fc.record({ at: fc.nat(), kind: fc.constantFrom('insert', 'delete', 'replace'), character });

test('any two local parts one edit apart share a key', () => {
  fc.assert(
    fc.property(localPart, edit, (local, { at, kind, character }) => {
      const index = at % (local.length + (kind === 'insert' ? 1 : 0));
      const inserted = kind === 'delete' ? '' : character;
      const edited = local.slice(0, index) + inserted + local.slice(kind === 'insert' ? index : index + 1);
      fc.pre(edited.length >= 5);
      expect(shares(`${local}@example.com`, `${edited}@example.com`)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('an email has at most 10 keys, all different', () => {
  fc.assert(
    fc.property(fc.emailAddress(), (email) => {
      const blocks = nearEmailBlocks(email);
      expect(blocks.length).toBeLessThanOrEqual(10);
      expect(new Set(blocks).size).toBe(blocks.length);
    }),
  );
});

test.each([
  ['digits', 'jane.doe1987@example.com', 'jane.doe2024@example.com'],
  ['several typing errors in the local part', 'ivy.llee@acme-widgets.com', 'iv.lee@acme-widgets.com'],
  ['a near spelling of a large provider', 'ivy.lee@gmail.com', 'ivylee@gmial.com'],
  ['typing errors in the local part and the provider', 'ivy.leexx@hotmail.com', 'ivy.leeex@hotmial.com'],
  ['a misplaced @', 'lucas@harrington.com', 'lucas.harrington@com'],
  ['a missing @', 'jamesd75@collins.biz', 'jamesd75collins.biz'],
])('%s: both emails share a key', (_case, one, other) => expect(shares(one, other)).toBe(true));

test('different names share no key, and a short name has none', () => {
  expect(shares('alexander.smith@example.com', 'margaret.jones@sample.org')).toBe(false);
  expect(shares('max.baum@hotel3.de', 'max.baum@hotel4.de')).toBe(false);
  expect(nearEmailBlocks('')).toEqual([]);
  expect(nearEmailBlocks('a@b.c')).toEqual([]);
});
