import { buildSchema, getNamedType, isNonNullType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { fieldsNamingAccount, tokenRuleOf } from '../../../test/support/token-rules.ts';
import { schema } from '../schema.ts';
import { assertDeclared, objectTypes } from './declared-facts.ts';

const objects = objectTypes(schema);
const typeNamed = (name: string) => objects.find((type) => type.name === name)!;

describe('the fields that browser tokens read', () => {
  it('lead to objects with a field that a token reads', () => {
    const dead = objects.flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ name }) => tokenRuleOf(type, name) !== 'never')
        .flatMap((field) => {
          const target = getNamedType(field.type);
          if (!isObjectType(target)) return [];
          const isRead = Object.keys(target.getFields()).some(
            (name) => tokenRuleOf(target, name) !== 'never',
          );
          return isRead ? [] : [`${type.name}.${field.name}: ${target.name}`];
        }),
    );
    // Pages of objects that require a key are reached by fields that do; events of such objects reach no token.
    expect(dead.filter((each) => !/(Connection|Edge|Event)\./.test(each))).toEqual([]);
  });

  it('are declared by every type, or the schema is not built', () => {
    const undeclared = buildSchema('type Query { a: Undeclared } type Undeclared { b: Int }');
    expect(() => assertDeclared(undeclared)).toThrow(
      'Object types without required options: Undeclared (tokenScopes, subjects)',
    );
    expect(assertDeclared(schema)).toBe(schema);
  });

  it('can have another rule than in an interface of their type', () => {
    expect(tokenRuleOf(typeNamed('AccountLinkedEvent'), 'accountId')).toEqual(['ACCOUNT']);
    expect(tokenRuleOf(typeNamed('SessionCompletedEvent'), 'accountId')).toEqual([
      'ACCOUNT',
      'VERIFICATION_STATE',
    ]);
  });

  it('include neither the other account of a link nor a type for keys', () => {
    for (const type of ['AccountLinkedEvent', 'AccountUnlinkedEvent'])
      for (const field of ['otherAccount', 'otherAccountId'])
        expect(tokenRuleOf(typeNamed(type), field)).toBe('never');
    expect(tokenRuleOf(typeNamed('Rule'), 'name')).toBe('never');
    for (const type of ['EmailResultSnapshot', 'EmailSignal', 'EmailDomain'])
      for (const name of Object.keys(typeNamed(type).getFields()))
        expect(tokenRuleOf(typeNamed(type), name)).toBe('never');
  });

  it('are nullable when a limited token is rejected, so that the rest of the object remains', () => {
    const named = objects.flatMap((type) =>
      fieldsNamingAccount(type).map((name) => ({
        name: `${type.name}.${name}`,
        isNullable: !isNonNullType(type.getFields()[name]!.type),
      })),
    );
    expect(named).not.toEqual([]);
    expect(named.filter(({ isNullable }) => !isNullable)).toEqual([]);
  });

  it('make their object null for a missing scope only in types with several scopes', () => {
    const emptied = objects.filter((type) => {
      const fields = Object.values(type.getFields());
      const rules = new Set(fields.map(({ name }) => String(tokenRuleOf(type, name))));
      const isRead = [...rules].some((rule) => rule !== 'never');
      // The rule of the id, or else of most fields, applies to the object itself.
      const own = String(tokenRuleOf(type, type.getFields().id ? 'id' : fields[0]!.name));
      return (
        isRead &&
        fields.some(({ name, type: of }) => isNonNullType(of) && String(tokenRuleOf(type, name)) !== own)
      );
    });
    expect(emptied.map(({ name }) => name).sort()).toEqual([
      ...['Account', 'DocumentSignals', 'List', 'PhoneCheck', 'Verification'],
    ]);
  });
});
