import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { FIELDS } from '../rules/language/field-catalogue.ts';
import { packFacts, SESSION_FACTS, unpackFacts } from './decision-facts.ts';

describe('the facts of a session', () => {
  it('have a value for every field of the catalogue that is known on sessions, and no other', () => {
    const known = Object.entries(FIELDS).filter(([, { on }]) => on !== 'verification');
    expect(SESSION_FACTS.toSorted()).toEqual(known.map(([name]) => name).toSorted());
  });

  /** Stored decisions tell values by place: should this fail, put new fields at the end and leave the others alone. */
  it('keep their order', () => {
    const first = SESSION_FACTS.slice(0, 77).join('\n');
    expect(createHash('sha256').update(first).digest('hex').slice(0, 16)).toBe('64412a3745356544');
  });

  it('are unpacked as they were packed, without those that came later', () => {
    const facts = Object.fromEntries(
      SESSION_FACTS.map((field, index) => [field, index % 3 === 0 ? null : index]),
    );
    const packed = packFacts(facts);
    expect(unpackFacts(packed)).toEqual(facts);
    expect(unpackFacts(packed.slice(0, 5))).toEqual(
      Object.fromEntries(SESSION_FACTS.map((field, index) => [field, index < 5 ? facts[field] : null])),
    );
  });
});
