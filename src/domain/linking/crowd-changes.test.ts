import { expect, test } from 'vitest';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../identifiers/identifier-kinds.ts';
import { crowdChanges } from './crowd-changes.ts';
import type { HeldIdentifier, Match } from './plan-links.ts';

const seen = new Date('2026-01-01T00:00:00Z');
const held = (kind: IdentifierKind, value = 'x'): HeldIdentifier => ({
  kind: IDENTIFIER_KINDS[kind],
  hash: Buffer.from(value.padEnd(16)),
  firstSeen: seen,
  lastSeen: seen,
  uses: 1,
});
const matches = (one: HeldIdentifier, count: number): Match[] =>
  Array.from({ length: count }, (_, index) => ({ ...one, accountId: `other-${index}`, others: count }));

const comes = (kind: IdentifierKind, others: number) =>
  crowdChanges([], [held(kind)], matches(held(kind), others)).crossed;
const goes = (kind: IdentifierKind, others: number) =>
  crowdChanges([held(kind)], [], matches(held(kind), others)).crossed;

test('a crowd that enters another band is told with those whom it concerns', () => {
  const [crossed, ...more] = comes('device', 3);
  expect(crossed?.others).toEqual(['other-0', 'other-1', 'other-2']);
  expect(more).toEqual([]);
});

test.each<[IdentifierKind, number[]]>([
  ['device', [3, 7, 15, 31, 50]],
  ['network', [3, 7, 15, 20]],
  ['neighbourhood', [3, 7, 10]],
  // Up to 7 accounts a phone may be a family's.
  ['phone', [7, 100]],
  ['browser', [100]],
])('a %s changes what it says after %j accounts, and nowhere else, in both directions', (kind, bounds) => {
  const counts = Array.from({ length: 103 }, (_, count) => count);
  expect(counts.filter((others) => comes(kind, others).length > 0)).toEqual(bounds);
  const cap = { device: 50, network: 20, neighbourhood: 10 }[kind as 'device'] ?? Number.POSITIVE_INFINITY;
  expect(counts.filter((others) => others <= cap && goes(kind, others).length > 0)).toEqual(bounds);
});

test('who leaves a crowd beyond its cap has it counted again', () => {
  expect(goes('network', 21)).toHaveLength(1);
  expect(comes('network', 21)).toHaveLength(0);
});

test('who leaves such a crowd is not told all who share it', () => {
  const [told] = matches(held('network'), 21);
  const { crossed } = crowdChanges([held('network')], [], [told!]);
  expect(crossed).toMatchObject([{ others: ['other-0'], isWhole: false }]);
  expect(goes('network', 20)).toMatchObject([{ isWhole: true }]);
});

test('what stays, and what only serves counting, is no change', () => {
  const device = held('device');
  expect(crowdChanges([device], [device], matches(device, 3))).toMatchObject({ crossed: [] });
  expect(crowdChanges([], [held('email_domain')], matches(held('email_domain'), 3)).crossed).toEqual([]);
});

test('a first name that turns a mailbox into a shared one, or back, changes what its email says', () => {
  const written = held('written_email');
  const account = (name: string) => [held('email'), written, held('first_name', name)];
  const three = {
    email: held('email').hash,
    written: written.hash,
    names: ['ada', 'bob', 'cem'].map((name) => held('first_name', name).hash),
  };
  const others = matches(held('email'), 3);
  const key = `${IDENTIFIER_KINDS.email}:${held('email').hash.toString('latin1')}`;
  const turned = (before: HeldIdentifier[], after: HeldIdentifier[]) =>
    crowdChanges(before, after, others, [three]);
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
