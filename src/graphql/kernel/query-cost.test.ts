import { complexityFromQuery } from '@pothos/plugin-complexity';
import { type DocumentNode, getOperationAST, Kind, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../schema.ts';
import { costliestField, totalCost } from './query-cost.ts';

const infoOf = (document: DocumentNode, variableValues: Record<string, unknown>) => ({
  schema,
  operation: getOperationAST(document)!,
  fragments: Object.fromEntries(
    document.definitions.flatMap((each) =>
      each.kind === Kind.FRAGMENT_DEFINITION ? [[each.name.value, each]] : [],
    ),
  ),
  variableValues,
});

/** The most expensive field, with the total of the plugin. */
function costliest(text: string, variables: Record<string, unknown> = {}): string {
  const document = parse(text);
  const info = infoOf(document, variables);
  expect(totalCost(info)).toBe(complexityFromQuery(document, { schema, variables }).complexity);
  return costliestField(info);
}

const people = (inside: string) => `accounts(first: 100) { edges { node { ${inside} } } }`;
const linked = (first: string, inside: string) =>
  `linkedAccounts(first: ${first}) { edges { node { ${inside} } } }`;

describe('the most expensive field', () => {
  it('is the innermost page of the most expensive path', () => {
    expect(
      costliest(`{ ${people(`email ${linked('100', 'email phone')} lists { name }`)} project { name } }`),
    ).toBe('accounts.edges.node.linkedAccounts');
  });

  it('is a page around fields of equal cost', () => {
    const fields = ['a', 'b', 'c'].map((name) => `${name}: ${linked('2', 'email')}`).join(' ');
    expect(costliest(`{ ${people(fields)} }`)).toBe('accounts');
  });

  it('is found inside fragments, under its alias and with sizes from variables', () => {
    const text = `query ($first: Int) { who: account(accountId: "a") { ...All } }
      fragment All on Account { email ... on Account { friends: ${linked('$first', '...More')} } }
      fragment More on Account { ${linked('2', 'email')} }`;
    expect(costliest(text, { first: 90 })).toBe('who.friends.edges.node.linkedAccounts');
    expect(costliest(text, { first: 3 })).toBe('who.friends.edges.node.linkedAccounts');
  });

  it('is one of several root fields of equal cost', () => {
    const path = (to: string) => `p${to}: linkPath(from: "a", to: "${to}", maxDepth: 4) { hops { from } }`;
    expect(costliest(`{ ${path('b')} ${path('c')} ${path('d')} }`)).toBe('pb');
  });

  it('counts once per fragment, however often fragments repeat it', () => {
    const doubled = Array.from(
      { length: 24 },
      (_, index) => `fragment F${index} on Account { ...F${index + 1} ... on Account { ...F${index + 1} } }`,
    ).join(' ');
    expect(
      costliest(`{ account(accountId: "a") { ...F0 } } ${doubled} fragment F24 on Account { email }`),
    ).toBe('account');
  });
});
