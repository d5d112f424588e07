import { createHash } from 'node:crypto';
import type { Facts } from '@vouchgraph/rules';
import { describe, expect, it } from 'vitest';
import { packFacts, unpackFacts } from './decision-facts.ts';
import { FIELDS, METADATA } from './field-catalogue.ts';

/** Names of the facts of a decision, in the order in which they are stored. */
const DECISION_FACTS = Object.keys(unpackFacts({ facts: [] })).filter((field) => field !== METADATA);
const ofPart = (prefix: string) => DECISION_FACTS.filter((field) => field.startsWith(prefix));
const PHONE = ofPart('account.phone.');
const VERIFICATION = ofPart('verification.');
const OTHERS = DECISION_FACTS.filter((field) => !PHONE.includes(field) && !VERIFICATION.includes(field));

describe('the facts of a decision', () => {
  it('have a value for every field of the catalog and for no other field', () => {
    expect(DECISION_FACTS.toSorted()).toEqual(Object.keys(FIELDS).toSorted());
  });

  /** Stored decisions identify values by position. If this fails, append new fields and keep the order of the others. */
  it('keep their order', () => {
    const hashOf = (fields: readonly string[]) =>
      createHash('sha256').update(fields.join('\n')).digest('hex').slice(0, 16);
    expect(hashOf(OTHERS.slice(0, 83))).toBe('ae6413db54186b97');
    expect(hashOf(PHONE.slice(0, 8))).toBe('787947d1ad41cda4');
    expect(hashOf(VERIFICATION.slice(0, 22))).toBe('bd0f5e4474bd1fdf');
  });

  it('are equal after packing and unpacking', () => {
    const facts = Object.fromEntries(
      DECISION_FACTS.map((field, index) => [field, index % 3 === 0 ? null : index]),
    );
    expect(unpackFacts(packFacts({ ...facts, [METADATA]: {} }))).toEqual({ ...facts, [METADATA]: {} });
  });

  it('take no space for a phone or a verification that the decision lacks', () => {
    const packed = packFacts({ 'session.bot': 0.5 });
    expect(packed).not.toHaveProperty('phone');
    expect(packed).not.toHaveProperty('verification');
    expect(unpackFacts(packed)).toMatchObject({ 'account.phone.valid': null, 'verification.kind': null });
    const checked = packFacts({ 'account.phone.valid': true, 'verification.kind': 'id' });
    expect(checked).toMatchObject({ facts: [], phone: [true], verification: ['id'] });
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
  });
});
