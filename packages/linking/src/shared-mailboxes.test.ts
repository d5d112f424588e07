import { expect, it } from 'vitest';
import { identifierKey } from './identifier-key.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from './identifier-kinds.ts';
import { sharedMailboxes } from './shared-mailboxes.ts';

const one = (kind: IdentifierKind, value: string) => ({
  kind: IDENTIFIER_KINDS[kind],
  hash: Buffer.from(value),
});
const account = (name: string | null, written = 'team@x.de', email = 'team@x.de') => [
  one('email', email),
  one('written_email', written),
  ...(name === null ? [] : [one('first_name', name)]),
];
const others = (names: string[], written = 'team@x.de') => ({
  email: Buffer.from('team@x.de'),
  written: Buffer.from(written),
  names: names.map((name) => Buffer.from(name)),
});
const KEY = identifierKey(IDENTIFIER_KINDS.email, Buffer.from('team@x.de'));
const three = others(['ada', 'bob', 'cem']);

it('a mailbox becomes shared with the fourth name, not with a known or missing one', () => {
  expect([...sharedMailboxes(account('dora'), [three])]).toEqual([KEY]);
  expect([...sharedMailboxes(account('ada'), [three])]).toEqual([]);
  expect([...sharedMailboxes(account(null), [three])]).toEqual([]);
});

it('the name of the account itself counts only for its own spelling of the address', () => {
  expect([...sharedMailboxes(account('dora', 't.eam@x.de'), [three])]).toEqual([]);
  expect([...sharedMailboxes(account('dora', 'team@x.de', 'team@y.de'), [three])]).toEqual([]);
  expect([...sharedMailboxes([one('email', 'team@x.de'), one('first_name', 'dora')], [three])]).toEqual([]);
});

it('a mailbox that is shared in one spelling is shared in every spelling', () => {
  const four = others(['ada', 'bob', 'cem', 'dora']);
  expect([...sharedMailboxes(account('ada', 't.eam@x.de'), [four])]).toEqual([KEY]);
  expect([...sharedMailboxes([], [four])]).toEqual([KEY]);
});
