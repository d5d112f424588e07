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
  it('adds the scalar fields that no fragment on the type selects', () => {
    expect(expand('fragment Body on Account @otherFields { id }')).toBe(
      'fragment Body on Account { id color tags } fragment Name on Account { name }',
    );
  });

  it('leaves out exceptions', () => {
    expect(expand('fragment Body on Account @otherFields(except: [color, tags]) { id }')).toBe(
      'fragment Body on Account { id } fragment Name on Account { name }',
    );
  });

  it.each(['name', 'friend', 'old', 'score', 'missing'])(
    'rejects an exception for %s, which would not be added',
    (name) => {
      expect(() => expand(`fragment Body on Account @otherFields(except: [${name}]) { id }`)).toThrow(
        `REST: Account needs no exception for ${name}`,
      );
    },
  );
});
