import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from './schema.ts';
import { tokenRuleOf } from './token-fields.ts';

const objects = Object.values(schema.getTypeMap()).filter(isObjectType);
const isRoot = ({ name }: { name: string }) => ['Query', 'Mutation', 'Subscription'].includes(name);

describe('the fields that browser tokens read', () => {
  it('lead to objects of which a token reads a field', () => {
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

  it('contain neither the other account of a link, nor a type that is not listed', () => {
    for (const type of ['AccountLinkedEvent', 'AccountUnlinkedEvent'])
      for (const field of ['otherAccount', 'otherAccountId']) expect(tokenRuleOf(type, field)).toBe('never');
    expect(tokenRuleOf('Rule', 'name')).toBe('never');
  });
});
