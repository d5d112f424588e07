import { buildSchema, parse, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { withOtherFields } from './other-fields.ts';

const schema = buildSchema(`
  type Query { account: Account }
  enum Color { RED }
  type Account {
    id: ID!
    name: String
    color: Color
    tags(first: Int): [String!]!
    score(at: Int!): Int
    old: Int @deprecated
    friend: Account
  }
`);
const expand = (fragment: string) =>
  print(withOtherFields(parse(`${fragment} fragment Name on Account { name }`), schema)).replace(/\s+/g, ' ');

describe('@otherFields', () => {
  it('adds the scalar fields that neither the fragment nor those beside it select', () => {
    expect(expand('fragment Body on Account @otherFields(beside: Name) { id }')).toBe(
      'fragment Body on Account { id color tags } fragment Name on Account { name }',
    );
    expect(expand('fragment Body on Account @otherFields { id }')).toContain('{ id name color tags }');
  });

  it('rejects a field whose name is the key of another one', () => {
    expect(() => expand('fragment Body on Account @otherFields { color: id }')).toThrow(
      'REST: color of Account is the key of another field',
    );
  });

  it('leaves out exceptions', () => {
    expect(
      expand('fragment Body on Account @otherFields(beside: [Name], except: [color, tags]) { id }'),
    ).toBe('fragment Body on Account { id } fragment Name on Account { name }');
  });

  it.each(['name', 'friend', 'old', 'score', 'missing'])(
    'rejects an exception for %s, which would not be added',
    (name) => {
      expect(() =>
        expand(`fragment Body on Account @otherFields(beside: [Name], except: [${name}]) { id }`),
      ).toThrow(`REST: Account needs no exception for ${name}`);
    },
  );
});
