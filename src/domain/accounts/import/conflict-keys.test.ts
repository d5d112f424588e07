import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { expect, it } from 'vitest';
import type { QueuedChange } from '../change-queue-service.ts';
import { groupedKey } from '../grouped-identifiers.ts';
import { conflictKeys } from './conflict-keys.ts';

const identifier = (kind: keyof typeof IDENTIFIER_KINDS) => ({
  kind: IDENTIFIER_KINDS[kind],
  hash: Buffer.from(kind),
});
const [email, name, block] = [identifier('email'), identifier('name'), identifier('email_block')];

function change(group: string | undefined, dependsOn: string | null = null): QueuedChange {
  const request = { accountId: 'ada', changes: group === undefined ? {} : { group } };
  const identifiers = [email, name, block, identifier('email_domain')];
  return { request, identifiers, dependsOn } as never;
}

it('an imported account excludes others by its id and its identifiers, with blocking keys only those of other batches', () => {
  expect(conflictKeys(change(undefined), new Set())).toEqual({
    inBatch: ['account ada', groupedKey('', email), groupedKey('', name)],
    acrossBatches: [groupedKey('', block)],
  });
});

it('an identifier excludes accounts of its group, not over its sharing limit', () => {
  const overLimit = new Set([groupedKey('team', name), groupedKey('', email)]);
  expect(conflictKeys(change('team', 'identifier x'), overLimit)).toEqual({
    inBatch: ['account ada', 'identifier x', groupedKey('team', email)],
    acrossBatches: [groupedKey('team', block)],
  });
});
