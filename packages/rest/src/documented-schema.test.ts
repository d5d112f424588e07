import { GraphQLEnumType, GraphQLObjectType, GraphQLSchema, graphqlSync } from 'graphql';
import { expect, it } from 'vitest';
import { documentedSchema } from './documented-schema.ts';

const Decision = new GraphQLEnumType({
  name: 'Decision',
  values: { REAL: { value: 'Real' }, ODD: { value: 'not a name' } },
});
const query = new GraphQLObjectType({
  name: 'Query',
  fields: {
    decision: { type: Decision, resolve: () => 'Real' },
    odd: { type: Decision, resolve: () => 'not a name' },
  },
});

it('has the internal values of enums as words, where they are names', () => {
  const schema = documentedSchema(new GraphQLSchema({ query }));
  const { data } = graphqlSync({ schema, source: '{ decision odd }' });
  expect(data).toEqual({ decision: 'Real', odd: 'ODD' });
  const values = (schema.getType('Decision') as GraphQLEnumType).getValues();
  expect(values.map(({ name, extensions }) => [name, extensions.publicName])).toEqual([
    ['Real', 'REAL'],
    ['ODD', 'ODD'],
  ]);
});
