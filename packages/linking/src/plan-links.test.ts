import { describe, expect, test } from 'vitest';
import { IDENTIFIER_KINDS } from './identifier-kinds.ts';
import { type AccountIdentifier, mergeIdentifiers, recomputeIdentifiers } from './plan-links.ts';

const { phone, name, browser, device } = IDENTIFIER_KINDS;
const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const identifier = (kind: number, hash: string, uses = 1): AccountIdentifier => ({
  kind,
  hash: Buffer.from(hash),
  firstSeen: day(1),
  lastSeen: day(5),
  uses,
});
const key = (kind: number, hash: string) => ({ kind, hash: Buffer.from(hash) });
const defaultPeriod = { firstSeen: day(10), lastSeen: day(20) };

describe('the time of an identifier that is seen again', () => {
  const later = (ms: number) => new Date(day(5).getTime() + ms);
  const lastSeen = (kind: number, seen: Date) =>
    mergeIdentifiers([identifier(kind, 'same')], [key(kind, 'same')], [], seen).identifiers[0]!.lastSeen;

  test('is unchanged for a minute when its kind neither ages nor repeats', () => {
    expect(lastSeen(phone, later(59_999))).toEqual(day(5));
    expect(lastSeen(phone, later(60_000))).toEqual(later(60_000));
    expect(lastSeen(phone, later(-60_000))).toEqual(day(5));
  });

  test('is the latest time when its kind ages', () => {
    expect(lastSeen(device, later(1))).toEqual(later(1));
    expect(lastSeen(device, later(-1))).toEqual(day(5));
  });
});

describe('recomputed match keys', () => {
  const mine = [identifier(phone, 'old', 3), identifier(browser, 'b')];

  test('are added with the times and uses of the stale keys, which are kept', () => {
    const added = recomputeIdentifiers(mine, [key(phone, 'new')], { dropsStale: false, defaultPeriod });
    expect(added).toEqual({
      identifiers: [...mine, identifier(phone, 'new', 3)],
      dropped: [],
      isOverLimit: false,
      holdsStale: true,
    });
  });

  test('replace the stale keys in the second step, while identifiers of sessions are kept', () => {
    const both = [...mine, identifier(phone, 'new', 3)];
    const settled = recomputeIdentifiers(both, [key(phone, 'new')], { dropsStale: true, defaultPeriod });
    expect(settled).toEqual({
      identifiers: [identifier(browser, 'b'), identifier(phone, 'new', 3)],
      dropped: [identifier(phone, 'old', 3)],
      isOverLimit: false,
      holdsStale: false,
    });
  });

  test('change nothing when both versions have the same keys', () => {
    const same = recomputeIdentifiers(mine, [key(phone, 'old')], { dropsStale: false, defaultPeriod });
    expect(same).toEqual({ identifiers: mine, dropped: [], isOverLimit: false, holdsStale: false });
  });

  test('can be an empty set, which only drops the stale keys', () => {
    expect(recomputeIdentifiers(mine, [], { dropsStale: false, defaultPeriod })).toMatchObject({
      identifiers: mine,
      holdsStale: true,
    });
    expect(recomputeIdentifiers(mine, [], { dropsStale: true, defaultPeriod }).identifiers).toEqual([
      identifier(browser, 'b'),
    ]);
  });

  test('of a kind without stored keys have the times of the account', () => {
    const added = recomputeIdentifiers(mine, [key(phone, 'old'), key(name, 'n')], {
      dropsStale: false,
      defaultPeriod,
    });
    expect(added.identifiers.at(-1)).toEqual({ ...key(name, 'n'), ...defaultPeriod, uses: 1 });
    expect(added.holdsStale).toBe(false);
  });
});
