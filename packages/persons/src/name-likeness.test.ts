import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isLikeName, jaroWinkler, soundOf } from './name-likeness.ts';

test.each([
  ['martha', 'marhta', 0.961],
  ['dixon', 'dicksonx', 0.813],
  ['dwayne', 'duane', 0.84],
  ['smith', 'jones', 0],
  ['jon', 'john', 0.933],
])('the similarity of %s and %s is %d', (one, other, likeness) => {
  expect(jaroWinkler(one, other)).toBeCloseTo(likeness, 2);
});

test.each([
  ['jon', 'john'],
  ['mohammed', 'muhammad'],
  ['aleksandr', 'alexander'],
  ['stephen', 'steven'],
  ['catherine', 'katherine'],
  ['robert', 'roberto'],
  ['sara', 'sarah'],
  ['clark', 'clarke'],
  ['ivanov', 'ivanova'],
  ['kowalski', 'kowalska'],
])('%s and %s are spellings of one name', (one, other) => expect(isLikeName(one, other)).toBe(true));

test.each([
  ['smith', 'jones'],
  ['robert', 'richard'],
  ['li', 'lin'],
  ['maria', 'marta'],
  ['maria', 'mario'],
  ['marie', 'mario'],
  ['daniel', 'daniela'],
  ['christian', 'christina'],
  ['andre', 'andrea'],
  ['gabriel', 'gabriela'],
  ['julian', 'julia'],
  ['peter', 'paul'],
])('%s and %s are different names', (one, other) => expect(isLikeName(one, other)).toBe(false));

test.each([
  ['stephen', 'steven'],
  ['mohammed', 'muhammad'],
  ['knight', 'night'],
  ['wright', 'right'],
  ['schmidt', 'schmit'],
])('%s sounds like %s', (one, other) => expect(soundOf(one)).toBe(soundOf(other)));

test('the similarity is symmetric, between 0 and 1, and 1 for equal words', () => {
  const word = fc.stringMatching(/^[a-f]{1,9}$/);
  fc.assert(
    fc.property(word, word, (one, other) => {
      const likeness = jaroWinkler(one, other);
      expect(likeness).toBe(jaroWinkler(other, one));
      expect(likeness).toBeGreaterThanOrEqual(0);
      expect(likeness).toBeLessThanOrEqual(1);
      expect(jaroWinkler(one, one)).toBe(1);
    }),
  );
});
