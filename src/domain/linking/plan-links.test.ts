import { describe, expect, test } from 'vitest';
import { IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { type HeldIdentifier, holdIdentifiers, rekeyIdentifiers } from './plan-links.ts';

const { phone, name, browser, device } = IDENTIFIER_KINDS;
const day = (number: number) => new Date(Date.UTC(2026, 0, number));
const held = (kind: number, hash: string, uses = 1): HeldIdentifier => ({
  kind,
  hash: Buffer.from(hash),
  firstSeen: day(1),
  lastSeen: day(5),
  uses,
});
const key = (kind: number, hash: string) => ({ kind, hash: Buffer.from(hash) });
const otherwise = { firstSeen: day(10), lastSeen: day(20) };

describe('an identifier that is seen again', () => {
  const later = (ms: number) => new Date(day(5).getTime() + ms);
  const lastSeen = (kind: number, seen: Date) =>
    holdIdentifiers([held(kind, 'same')], [key(kind, 'same')], [], seen).held[0]!.lastSeen;

  test('keeps its time for a minute when its kind neither ages nor repeats', () => {
    expect(lastSeen(phone, later(59_999))).toEqual(day(5));
    expect(lastSeen(phone, later(60_000))).toEqual(later(60_000));
    expect(lastSeen(phone, later(-60_000))).toEqual(day(5));
  });

  test('has its latest time when its kind ages', () => {
    expect(lastSeen(device, later(1))).toEqual(later(1));
    expect(lastSeen(device, later(-1))).toEqual(day(5));
  });
});

describe('match keys that are made anew', () => {
  const mine = [held(phone, 'old', 3), held(browser, 'b')];

  test('are added with the times and uses of those that earlier rules made, which stay', () => {
    const added = rekeyIdentifiers(mine, [key(phone, 'new')], { settles: false, otherwise });
    expect(added).toEqual({
      held: [...mine, held(phone, 'new', 3)],
      dropped: [],
      isOverLimit: false,
      holdsEarlier: true,
    });
  });

  test('then are the only ones of their kind, while those of sessions stay', () => {
    const both = [...mine, held(phone, 'new', 3)];
    const settled = rekeyIdentifiers(both, [key(phone, 'new')], { settles: true, otherwise });
    expect(settled).toEqual({
      held: [held(browser, 'b'), held(phone, 'new', 3)],
      dropped: [held(phone, 'old', 3)],
      isOverLimit: false,
      holdsEarlier: false,
    });
  });

  test('change nothing where both rules make the same', () => {
    const same = rekeyIdentifiers(mine, [key(phone, 'old')], { settles: false, otherwise });
    expect(same).toEqual({ held: mine, dropped: [], isOverLimit: false, holdsEarlier: false });
  });

  test('may be none, so that only earlier ones are left to drop', () => {
    expect(rekeyIdentifiers(mine, [], { settles: false, otherwise })).toMatchObject({
      held: mine,
      holdsEarlier: true,
    });
    expect(rekeyIdentifiers(mine, [], { settles: true, otherwise }).held).toEqual([held(browser, 'b')]);
  });

  test('of a kind that there was none of were seen with the account', () => {
    const added = rekeyIdentifiers(mine, [key(phone, 'old'), key(name, 'n')], { settles: false, otherwise });
    expect(added.held.at(-1)).toEqual({ ...key(name, 'n'), ...otherwise, uses: 1 });
    expect(added.holdsEarlier).toBe(false);
  });
});
