import type { GraphQLObjectType } from 'graphql';
import { declaredOf, declaredOfType } from '../../src/graphql/kernel/declared-facts.ts';
import { type FieldRule, ruleOf } from '../../src/graphql/kernel/token-fields.ts';

/** The scopes of which a browser token needs one to read a field of a built type. */
export function tokenRuleOf(type: GraphQLObjectType, name: string): FieldRule {
  const field = type.getFields()[name];
  if (!field) throw new Error(`${type.name} has no field ${name}`);
  return ruleOf(declaredOf(field).tokenScopes, declaredOfType(type).tokenScopes);
}

/** The fields of a built type that a token limited to a session does not receive. */
export function fieldsNamingAccount(type: GraphQLObjectType): string[] {
  return Object.values(type.getFields())
    .filter((field) => declaredOf(field).namesAccount)
    .map(({ name }) => name);
}
