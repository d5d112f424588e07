import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Facts } from '../rules/language/expression.ts';
import { FIELDS } from '../rules/language/field-catalogue.ts';
import { packFacts, unpackFacts } from './decision-facts.ts';

/** Names of the facts of a decision, in the order in which they are stored. */
const DECISION_FACTS = Object.keys(unpackFacts({ facts: [] }));

describe('the facts of a decision', () => {
  it('have a value for every field of the catalog and for no other field', () => {
    expect(DECISION_FACTS.toSorted()).toEqual(Object.keys(FIELDS).toSorted());
  });

  /** Stored decisions identify values by position. If this fails, append new fields and keep the order of the others. */
  it('keep their order', () => {
    const hashOf = (count: number) =>
      createHash('sha256').update(DECISION_FACTS.slice(0, count).join('\n')).digest('hex').slice(0, 16);
    expect(hashOf(77)).toBe('64412a3745356544');
    expect(hashOf(98)).toBe('7aa6ba12b72e3c89');
    expect(hashOf(100)).toBe('80a36c8f5b61efcd');
    const phone = DECISION_FACTS.filter((field) => field.startsWith('account.phone.'));
    expect(phone.slice(0, 8).map((field) => field.slice('account.phone.'.length))).toEqual([
      ...['valid', 'country', 'region', 'line_type', 'carrier', 'voip', 'risk_score', 'risk_signals'],
    ]);
  });

  it('are equal after packing and unpacking, with null for fields added later', () => {
    const facts = Object.fromEntries(
      DECISION_FACTS.map((field, index) => [field, index % 3 === 0 ? null : index]),
    );
    const packed = packFacts(facts);
    expect(unpackFacts(packed)).toEqual(facts);
    expect(unpackFacts({ facts: packed.facts.slice(0, 5) })).toEqual(
      Object.fromEntries(DECISION_FACTS.map((field, index) => [field, index < 5 ? facts[field] : null])),
    );
  });

  it('contain no verification facts for a session without verification', () => {
    const known = [...DECISION_FACTS.slice(0, 78), 'account.phone.valid'];
    const packed = packFacts(Object.fromEntries(known.map((field) => [field, 1])));
    expect(packed.facts).toHaveLength(78);
    expect(packed.phone).toEqual([1]);
    expect(unpackFacts(packed)['verification.kind']).toBeNull();
  });

  it('have the metadata of the account: all of it, or the fields that rules read', () => {
    const facts = { 'session.ip_address': '203.0.113.7' };
    const unpacked = (more: Facts) => unpackFacts(packFacts({ ...facts, ...more }));
    expect(unpacked({ 'account.metadata': { plan: 'gold' } })).toMatchObject({
      'account.metadata': { plan: 'gold' },
      'session.ip_address': '203.0.113.7',
    });
    expect(packFacts({ 'account.metadata': {} })).not.toHaveProperty('metadata');
    expect(unpacked({ 'account.metadata': {} })['account.metadata']).toEqual({});
    const some = unpacked({ 'account.metadata.plan': 'gold', 'account.metadata.seats': null });
    expect(some).toMatchObject({ 'account.metadata.plan': 'gold', 'account.metadata.seats': null });
    expect(some).not.toHaveProperty(['account.metadata']);
    // Older decisions have neither.
    expect(unpackFacts({ facts: [] })).not.toHaveProperty(['account.metadata']);
  });

  it('contain no phone facts for an account without a phone', () => {
    expect(packFacts({ 'session.bot': 0.5 })).not.toHaveProperty('phone');
  });
});
