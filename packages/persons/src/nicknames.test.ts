import anyAscii from 'any-ascii';
import { expect, test } from 'vitest';
import { foldedWord } from './name-words.ts';
import { formsOfGivenName, isSameGivenName, NICKNAME_PAIRS } from './nicknames.ts';

test('the table has at least 300 pairs, each once, in ASCII lower case', () => {
  const written = NICKNAME_PAIRS.map(({ name, short }) => `${name} ${short}`);
  expect(written.filter((pair, at) => written.indexOf(pair) !== at)).toEqual([]);
  expect(written.length).toBeGreaterThanOrEqual(300);
  expect(written.filter((pair) => !/^[a-z]{2,} [a-z]{2,}$/.test(pair) || anyAscii(pair) !== pair)).toEqual(
    [],
  );
  expect(NICKNAME_PAIRS.filter(({ name, short }) => name === short)).toEqual([]);
});

test('every pair agrees in both directions and is listed among the forms of its name', () => {
  for (const { name, short } of NICKNAME_PAIRS) {
    const [long, pet] = [foldedWord(name), foldedWord(short)];
    expect(isSameGivenName(long, pet) && isSameGivenName(pet, long), `${name} ${short}`).toBe(true);
    expect(formsOfGivenName(pet)).toContain(long);
    expect(formsOfGivenName(long)).toContain(pet);
  }
});

test.each([
  ['bob', 'rob'],
  ['robert', 'bob'],
  ['dmitri', 'dima'],
  ['francisco', 'paco'],
  ['krzysztof', 'krzysiek'],
  ['willem', 'pim'],
])('%s and %s are the same name', (one, other) => expect(isSameGivenName(one, other)).toBe(true));

test.each([
  ['bob', 'bill'],
  ['robert', 'richard'],
  ['sandra', 'sasha'],
])('%s and %s are different names', (one, other) => expect(isSameGivenName(one, other)).toBe(false));
