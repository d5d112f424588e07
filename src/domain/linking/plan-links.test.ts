import { describe, expect, test } from 'vitest';
import { IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { type AccountIdentifier, mergeIdentifiers, rekeyIdentifiers } from './plan-links.ts';

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

describe('rewritten match keys', () => {
  const mine = [identifier(phone, 'old', 3), identifier(browser, 'b')];

  test('are added with the times and uses of the earlier keys, which are kept', () => {
    const added = rekeyIdentifiers(mine, [key(phone, 'new')], { dropsEarlier: false, defaultPeriod });
    expect(added).toEqual({
      identifiers: [...mine, identifier(phone, 'new', 3)],
      dropped: [],
      isOverLimit: false,
      holdsEarlier: true,
    });
  });

  test('replace the earlier keys in the second step, while identifiers of sessions are kept', () => {
    const both = [...mine, identifier(phone, 'new', 3)];
    const settled = rekeyIdentifiers(both, [key(phone, 'new')], { dropsEarlier: true, defaultPeriod });
    expect(settled).toEqual({
      identifiers: [identifier(browser, 'b'), identifier(phone, 'new', 3)],
      dropped: [identifier(phone, 'old', 3)],
      isOverLimit: false,
      holdsEarlier: false,
    });
  });

  test('change nothing when both versions have the same keys', () => {
    const same = rekeyIdentifiers(mine, [key(phone, 'old')], { dropsEarlier: false, defaultPeriod });
    expect(same).toEqual({ identifiers: mine, dropped: [], isOverLimit: false, holdsEarlier: false });
  });

  test('can be an empty set, which only drops the earlier keys', () => {
    expect(rekeyIdentifiers(mine, [], { dropsEarlier: false, defaultPeriod })).toMatchObject({
      identifiers: mine,
      holdsEarlier: true,
    });
    expect(rekeyIdentifiers(mine, [], { dropsEarlier: true, defaultPeriod }).identifiers).toEqual([
      identifier(browser, 'b'),
    ]);
  });

  test('of a kind without earlier keys have the times of the account', () => {
    const added = rekeyIdentifiers(mine, [key(phone, 'old'), key(name, 'n')], {
      dropsEarlier: false,
      defaultPeriod,
    });
    expect(added.identifiers.at(-1)).toEqual({ ...key(name, 'n'), ...defaultPeriod, uses: 1 });
    expect(added.holdsEarlier).toBe(false);
  });
});
