import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decidingMatches, type FaceMatch, NEW_ACCOUNT, weighFaces } from './repeat-faces.ts';

const match = (account: string | null, over: Partial<FaceMatch> = {}): FaceMatch => ({
  sessionId: `of ${account}`,
  account,
  isFraud: false,
  agrees: false,
  isConfirmed: true,
  ...over,
});
const none = match(null);
const alone = (account: string, over: Partial<FaceMatch> = {}) =>
  match(account, { isConfirmed: false, ...over });
const fraud = match('x', { isFraud: true });

describe('a face weighs', () => {
  test.each<[string, string | null, FaceMatch[], number, boolean]>([
    ['nothing without a match', null, [], 0, false],
    ['little with sessions without an account', null, [none, none], 0.1, false],
    ['little for a session of a new account', NEW_ACCOUNT, [none], 0.1, false],
    ['nothing when all of these are equal', null, [match(null, { agrees: true })], 0, false],
    ['little when one of these differs', null, [match(null, { agrees: true }), none], 0.1, false],
    ['some with one other account', null, [match('a'), match('a'), none], 0.2, false],
    ['nothing with its own account', 'a', [match('a')], 0, false],
    ['nothing with its own account and sessions without one', 'a', [match('a'), none], 0, false],
    ['much with another account than its own', 'b', [match('a')], 0.6, false],
    ['much with another account beside its own', 'b', [match('b'), match('a')], 0.6, false],
    ['much with another account than its new one', NEW_ACCOUNT, [match('a')], 0.6, false],
    ['some with another account than its own by only the face', 'b', [alone('a')], 0.2, false],
    ['some with another account than its new one by only the face', NEW_ACCOUNT, [alone('a')], 0.2, false],
    [
      'some with any number of accounts by only the face',
      null,
      ['a', 'b', 'c'].map((one) => alone(one)),
      0.2,
      false,
    ],
    ['some with two accounts, one of them confirmed', null, [match('a'), alone('b')], 0.2, false],
    ['much when one of several others is confirmed', 'c', [alone('a'), match('b')], 0.6, false],
    [
      'some with an account with known fraud by only the face',
      null,
      [alone('x', { isFraud: true })],
      0.2,
      false,
    ],
    [
      'some with an account with known fraud for a session of an account',
      'b',
      [alone('x', { isFraud: true })],
      0.2,
      false,
    ],
    [
      'much with an account that is now its own, by only the face',
      'x',
      [alone('x', { isFraud: true })],
      0.6,
      true,
    ],
    ['much with two accounts', null, [match('a'), match('b')], 0.6, false],
    ['much with an account with known fraud', null, [fraud], 0.6, true],
    ['much with an account that is now its own', 'x', [fraud], 0.6, true],
  ])('%s', (_, owner, matches, weight, isFraud) => {
    expect(weighFaces({ owner, matches })).toEqual({ weight, isFraud });
  });
});

const anyMatch: fc.Arbitrary<FaceMatch> = fc.record({
  sessionId: fc.uuid(),
  account: fc.constantFrom(null, 'a', 'b', 'c'),
  isFraud: fc.boolean(),
  agrees: fc.boolean(),
  isConfirmed: fc.boolean(),
});
const anyOwner = fc.constantFrom(null, NEW_ACCOUNT, 'a', 'b');
/** Fraud is a property of the account, and so is what it shares with the check. */
const consistent = (matches: FaceMatch[]) =>
  matches.map((one) => ({
    ...one,
    isFraud: one.account === 'c' && matches.some(({ isFraud }) => isFraud),
    isConfirmed: matches.some((other) => other.account === one.account && other.isConfirmed),
  }));

test('at most 50 stored matches have the weight of all matches', () => {
  fc.assert(
    fc.property(anyOwner, fc.array(anyMatch, { maxLength: 200 }), (owner, matches) => {
      const found = consistent(matches);
      const kept = decidingMatches(found);
      expect(kept.length).toBeLessThanOrEqual(50);
      expect(weighFaces({ owner, matches: kept })).toEqual(weighFaces({ owner, matches: found }));
    }),
  );
});

test('a match with another account never lowers the weight', () => {
  fc.assert(
    fc.property(anyOwner, fc.array(anyMatch), (owner, matches) => {
      const more = weighFaces({ owner, matches: [...matches, match('other')] });
      expect(more.weight).toBeGreaterThanOrEqual(weighFaces({ owner, matches }).weight);
    }),
  );
});
