import fc from 'fast-check';
import { expect, test } from 'vitest';
import { HISTORY_LIMITS } from './history-limits.ts';
import { type LinkableAccount, linkAll } from './link-all.ts';
import type { LinkingKind } from './link-weights.ts';

const DAY = 86_400_000;
const at = (day: number) => new Date(Date.UTC(2026, 0, 1) + day * DAY);

const account: fc.Arbitrary<Omit<LinkableAccount, 'id'>> = fc.record({
  group: fc.constantFrom('', 'eu'),
  identifiers: fc.uniqueArray(
    fc.record({
      kind: fc.constantFrom<LinkingKind>('browser', 'device', 'network', 'email', 'email_block', 'name'),
      value: fc.constantFrom('x', 'y', 'z'),
      firstSeen: fc.integer({ min: 0, max: 40 }).map(at),
      lastSeen: fc.integer({ min: 40, max: 60 }).map(at),
    }),
    { maxLength: 6, selector: ({ kind, value }) => `${kind} ${value}` },
  ),
});
const accounts = fc
  .array(account, { maxLength: 12 })
  .map((all): LinkableAccount[] => all.map((each, index) => ({ ...each, id: `account-${index}` })));

test('the order of accounts and identifiers changes no link', () => {
  fc.assert(
    fc.property(accounts, (all) => {
      const byPair = (links: ReturnType<typeof linkAll>) =>
        [...links].sort((x, y) => (`${x.a} ${x.b}` < `${y.a} ${y.b}` ? -1 : 1));
      const turned = all
        .map((each) => ({ ...each, identifiers: each.identifiers.toReversed() }))
        .toReversed();
      expect(byPair(linkAll(turned))).toEqual(byPair(linkAll(all)));
    }),
  );
});

test('accounts of different groups are never linked', () => {
  fc.assert(
    fc.property(accounts, (all) => {
      const groups = new Map(all.map(({ id, group }) => [id, group]));
      for (const { a, b } of linkAll(all)) expect(groups.get(a)).toBe(groups.get(b));
    }),
  );
});

test('accounts of an office that share one address are not linked, for any number of accounts', () => {
  const office = Array.from(
    { length: 40 },
    (_, index): LinkableAccount => ({
      id: `account-${index}`,
      group: '',
      identifiers: [
        { kind: 'network', value: 'office', firstSeen: at(0), lastSeen: at(30) },
        { kind: 'subnet', value: 'office', firstSeen: at(0), lastSeen: at(30) },
        { kind: 'device', value: `own-${index}`, firstSeen: at(0), lastSeen: at(30) },
      ],
    }),
  );
  expect(linkAll(office.slice(0, 10))).toEqual([]);
  expect(linkAll(office)).toEqual([]);
});

test('only the newest browsers, devices and networks count, up to a limit per kind; all emails count', () => {
  const shared = { firstSeen: at(0), lastSeen: at(0) };
  const own = (kind: 'browser' | 'network' | 'email', count: number) =>
    Array.from({ length: count }, (_, index) => ({
      kind,
      value: `own-${index}`,
      firstSeen: at(1),
      lastSeen: at(1),
    }));
  const isLinkedBy = (kind: 'browser' | 'email', others: LinkableAccount['identifiers']) =>
    linkAll([
      { id: 'a', group: '', identifiers: [{ kind, value: 'shared', ...shared }] },
      { id: 'b', group: '', identifiers: [{ kind, value: 'shared', ...shared }, ...others] },
    ]).length === 1;
  expect(isLinkedBy('browser', own('network', 5000))).toBe(true);
  expect(isLinkedBy('browser', own('browser', HISTORY_LIMITS.browser - 1))).toBe(true);
  expect(isLinkedBy('browser', own('browser', HISTORY_LIMITS.browser))).toBe(false);
  expect(isLinkedBy('email', own('email', 5000))).toBe(true);
});
