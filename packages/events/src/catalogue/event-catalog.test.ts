import { describe, expect, it } from 'vitest';
import { sampleEvent } from '../event-samples.ts';
import { documentedName } from './documented-data.ts';
import { EVENT_INTERFACES } from './event-catalog.ts';
import { definitionOf, EVENT_TYPES, type FactsOf, factsOfType } from './event-type.ts';

describe('the catalog of events', () => {
  it('names each type once, and types of documented words', () => {
    const names = EVENT_TYPES.map((type) => definitionOf(type).name);
    expect(new Set(names).size).toBe(names.length);
    for (const type of EVENT_TYPES) expect(type).toMatch(/^[a-z_]+([.][a-z_]+)+$/);
  });

  it('has facts that are never null only in types that require a key', () => {
    const readable = EVENT_TYPES.filter((type) => definitionOf(type).scopes.length > 0);
    const known = readable.flatMap((type) =>
      Object.entries(factsOfType(type)).flatMap(([name, { isKnown }]) => (isKnown ? `${type} ${name}` : [])),
    );
    expect(known).toEqual([]);
  });

  it('has the facts of the recorded events', () => {
    for (const type of EVENT_TYPES) {
      const facts = Object.entries(factsOfType(type));
      const declared = facts.map(([name]) => documentedName(name));
      const required = facts.filter(([, { presence }]) => presence !== 'optional');
      const recorded = Object.keys(sampleEvent(type).data);
      expect(recorded, type).toEqual(expect.arrayContaining(required.map(([name]) => documentedName(name))));
      if (!definitionOf(type).hasObjects) expect(declared, type).toEqual(expect.arrayContaining(recorded));
    }
  });

  it('has interfaces after those that they implement', () => {
    const names = Object.keys(EVENT_INTERFACES);
    for (const [index, { interfaces }] of Object.values(EVENT_INTERFACES).entries())
      for (const name of interfaces) expect(names.indexOf(name)).toBeLessThan(index);
  });

  it('determines the types of emitted facts', () => {
    const merged = { identityGroupId: 'a', mergedGroupId: 'b', accounts: 2 };
    const emits = <Type extends Parameters<typeof definitionOf>[0]>(_type: Type, facts: FactsOf<Type>) =>
      Object.keys(facts).length;
    expect(emits('identity_group.merged', merged)).toBe(3);
    // @ts-expect-error A fact is missing.
    emits('identity_group.merged', { identityGroupId: 'a', mergedGroupId: 'b' });
    // @ts-expect-error A fact has another type.
    emits('identity_group.merged', { ...merged, accounts: '2' });
    // @ts-expect-error A fact of an interface is missing.
    emits('list.account_added', { accountId: 'a', list: 'l' });
  });
});
