import { expect, test } from 'vitest';
import { IDENTIFIER_KINDS, type IdentifierKind } from './identifier-kinds.ts';
import type { AccountIdentifier, Match } from './plan-links.ts';
import { sharedIdentifierChanges } from './shared-identifier-changes.ts';

const seen = new Date('2026-01-01T00:00:00Z');
const identifier = (kind: IdentifierKind, value = 'x'): AccountIdentifier => ({
  kind: IDENTIFIER_KINDS[kind],
  hash: Buffer.from(value.padEnd(16)),
  firstSeen: seen,
  lastSeen: seen,
  uses: 1,
});
const matches = (one: AccountIdentifier, count: number): Match[] =>
  Array.from({ length: count }, (_, index) => ({ ...one, accountId: `other-${index}`, others: count }));

const afterJoin = (kind: IdentifierKind, others: number) =>
  sharedIdentifierChanges([], [identifier(kind)], matches(identifier(kind), others)).crossed;
const afterLeave = (kind: IdentifierKind, others: number) =>
  sharedIdentifierChanges([identifier(kind)], [], matches(identifier(kind), others)).crossed;

test('an identifier that enters another sharing band is returned with the accounts that share it', () => {
  const [crossed, ...more] = afterJoin('device', 3);
  expect(crossed?.others).toEqual(['other-0', 'other-1', 'other-2']);
  expect(more).toEqual([]);
});

test.each<[IdentifierKind, number[]]>([
  ['device', [3, 7, 15, 31, 50]],
  ['network', [3, 7, 15, 20]],
  ['subnet', [3, 7, 10]],
  // A family can share a phone of up to 7 accounts.
  ['phone', [7, 100]],
  ['browser', [100]],
])('the weight of a %s changes after exactly %j other accounts, in both directions', (kind, bounds) => {
  const counts = Array.from({ length: 103 }, (_, count) => count);
  expect(counts.filter((others) => afterJoin(kind, others).length > 0)).toEqual(bounds);
  const cap = { device: 50, network: 20, subnet: 10 }[kind as 'device'] ?? Number.POSITIVE_INFINITY;
  expect(counts.filter((others) => others <= cap && afterLeave(kind, others).length > 0)).toEqual(bounds);
});

test('an identifier over its sharing limit is counted again when an account leaves it, not when one joins', () => {
  expect(afterLeave('network', 21)).toHaveLength(1);
  expect(afterJoin('network', 21)).toHaveLength(0);
});

test('an identifier over its sharing limit is returned without all of its accounts', () => {
  const [match] = matches(identifier('network'), 21);
  const { crossed } = sharedIdentifierChanges([identifier('network')], [], [match!]);
  expect(crossed).toMatchObject([{ others: ['other-0'], isWhole: false }]);
  expect(afterLeave('network', 20)).toMatchObject([{ isWhole: true }]);
});

test('unchanged identifiers and identifiers that are only counted are not changes', () => {
  const device = identifier('device');
  expect(sharedIdentifierChanges([device], [device], matches(device, 3))).toMatchObject({ crossed: [] });
  expect(
    sharedIdentifierChanges([], [identifier('email_domain')], matches(identifier('email_domain'), 3)).crossed,
  ).toEqual([]);
});

test('a first name that makes a mailbox shared, or no longer shared, changes the weight of its email', () => {
  const written = identifier('written_email');
  const account = (name: string) => [identifier('email'), written, identifier('first_name', name)];
  const three = {
    email: identifier('email').hash,
    written: written.hash,
    names: ['ada', 'bob', 'cem'].map((name) => identifier('first_name', name).hash),
  };
  const others = matches(identifier('email'), 3);
  const key = `${IDENTIFIER_KINDS.email}:${identifier('email').hash.toString('latin1')}`;
  const turned = (before: AccountIdentifier[], after: AccountIdentifier[]) =>
    sharedIdentifierChanges(before, after, others, [three]);
  const joined = turned([], account('dora'));
  expect(joined.crossed).toMatchObject([{ kind: IDENTIFIER_KINDS.email, isWhole: true }]);
  expect(joined.mailboxes).toEqual(new Map([[key, true]]));
  expect(turned([], account('ada'))).toMatchObject({ crossed: [], mailboxes: new Map([[key, false]]) });
  expect(turned(account('ada'), account('dora')).crossed).toHaveLength(1);
  const back = turned(account('dora'), account('ada'));
  expect(back.crossed).toHaveLength(1);
  expect(back.mailboxes).toEqual(new Map([[key, false]]));
  expect(turned(account('dora'), []).crossed).toHaveLength(1);
  expect(turned(account('dora'), account('emil')).crossed).toEqual([]);
});
