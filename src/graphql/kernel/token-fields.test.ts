import { assertObjectType, getNamedType, isNonNullType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../schema.ts';
import { NAMES_ACCOUNT, TOKEN_FIELDS, tokenRuleOf } from './token-fields.ts';

const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
const isRoot = ({ name }: { name: string }) => ['Query', 'Mutation', 'Subscription'].includes(name);

describe('the fields that browser tokens read', () => {
  it('lead to objects with a field that a token reads', () => {
    const dead = objects
      .filter((type) => !isRoot(type) && !type.name.startsWith('__'))
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter(({ name }) => tokenRuleOf(type.name, name) !== 'never')
          .flatMap((field) => {
            const target = getNamedType(field.type);
            if (!isObjectType(target)) return [];
            const isRead = Object.keys(target.getFields()).some(
              (name) => tokenRuleOf(target.name, name) !== 'never',
            );
            return isRead ? [] : [`${type.name}.${field.name}: ${target.name}`];
          }),
      );
    // Pages of objects that require a key are reached by fields that do; events of such objects reach no token.
    expect(dead.filter((each) => !/(Connection|Edge|Event)\./.test(each))).toEqual([]);
  });

  it('are fields of the schema: of their type, or for Event of a type of events', () => {
    const unknown = Object.entries(TOKEN_FIELDS).flatMap(([type, { fields = {} }]) => {
      const named =
        type === 'Event' ? objects.filter(({ name }) => name.endsWith('Event')) : [schema.getType(type)];
      const known = named.filter(isObjectType).flatMap((each) => Object.keys(each.getFields()));
      return known.length === 0
        ? [type]
        : Object.keys(fields).flatMap((field) => (known.includes(field) ? [] : [`${type}.${field}`]));
    });
    expect(unknown).toEqual([]);
  });

  it('include neither the other account of a link nor an unlisted type', () => {
    for (const type of ['AccountLinkedEvent', 'AccountUnlinkedEvent'])
      for (const field of ['otherAccount', 'otherAccountId']) expect(tokenRuleOf(type, field)).toBe('never');
    expect(tokenRuleOf('Rule', 'name')).toBe('never');
    for (const type of ['EmailResultSnapshot', 'EmailSignal', 'EmailDomain'])
      for (const name of Object.keys(assertObjectType(schema.getType(type)).getFields()))
        expect(tokenRuleOf(type, name)).toBe('never');
  });

  it('are nullable when a limited token is rejected, so that the rest of the object remains', () => {
    for (const name of NAMES_ACCOUNT) {
      const [typename, field] = name.split('.') as [string, string];
      const found = objects.find((type) => type.name === typename)?.getFields()[field];
      expect([name, found && isNonNullType(found.type)]).toEqual([name, false]);
    }
  });

  it('make their object null for a missing scope only in types with several scopes', () => {
    const emptied = objects
      .filter((type) => !isRoot(type) && !type.name.startsWith('__'))
      .filter((type) => {
        const fields = Object.values(type.getFields());
        const rules = new Set(fields.map(({ name }) => String(tokenRuleOf(type.name, name))));
        const isRead = [...rules].some((rule) => rule !== 'never');
        // The rule of the id, or else of most fields, applies to the object itself.
        const own = String(tokenRuleOf(type.name, type.getFields().id ? 'id' : fields[0]!.name));
        return (
          isRead &&
          fields.some(
            ({ name, type: of }) => isNonNullType(of) && String(tokenRuleOf(type.name, name)) !== own,
          )
        );
      });
    expect(emptied.map(({ name }) => name).sort()).toEqual([
      ...['Account', 'DocumentSignals', 'List', 'PhoneCheck', 'Verification'],
    ]);
  });
});
