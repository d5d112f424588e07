import { buildSchema, parse, print } from 'graphql';
import { describe, expect, it } from 'vitest';
import { assertDeclaredFields, withOtherFields } from './other-fields.ts';

const schema = buildSchema(`
  type Query { account: Account }
  enum Color { RED }
  type Account {
    id: ID!
    name: String
    fullName: String
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
      'fragment Body on Account { id fullName color tags } fragment Name on Account { name }',
    );
    expect(expand('fragment Body on Account @otherFields { id }')).toContain(
      '{ id name fullName color tags }',
    );
  });

  it('adds the scalar fields of an object inside of a fragment', () => {
    expect(
      expand(
        'fragment Body on Account @otherFields(except: color, reason: "test") { friend @otherFields { color id } }',
      ),
    ).toContain('{ friend { color id name fullName tags } id name fullName tags }');
  });

  it('rejects a field whose name is the key of another one', () => {
    expect(() => expand('fragment Body on Account @otherFields { color: id }')).toThrow(
      'REST: color of Account is the key of another field',
    );
    expect(() => expand('fragment Body on Account @otherFields { full_name: id }')).toThrow(
      'REST: full_name of Account is the key of another field',
    );
  });

  it.each([
    'fragment Body on Account @otherFields(except: [color]) { id }',
    'fragment Body on Account @onlyFields { id }',
    'fragment Body on Account @onlyFields(reason: "") { id }',
  ])('rejects %s, which has no reason', (fragment) => {
    expect(() => expand(fragment)).toThrow(/^REST: @\w+ of Body needs a reason$/);
  });

  it('leaves out exceptions', () => {
    expect(
      expand(
        'fragment Body on Account @otherFields(beside: [Name], except: [color, fullName, tags], reason: "test") { id }',
      ),
    ).toBe('fragment Body on Account { id } fragment Name on Account { name }');
  });

  it.each(['name', 'friend', 'old', 'score', 'missing'])(
    'rejects an exception for %s, which would not be added',
    (name) => {
      expect(() =>
        expand(
          `fragment Body on Account @otherFields(beside: [Name], except: [${name}], reason: "test") { id }`,
        ),
      ).toThrow(`REST: Account needs no exception for ${name}`);
    },
  );
});

describe('@onlyFields', () => {
  it('keeps the listed fields', () => {
    expect(expand('fragment Body on Account @onlyFields(reason: "test") { id friend { color } }')).toContain(
      'fragment Body on Account { id friend { color } }',
    );
  });
});

describe('an object that lists scalar fields', () => {
  const check = (document: string) => () => assertDeclaredFields(parse(document), schema);

  it.each([
    ['query { account { id name } }', 'account lists id, name'],
    ['fragment Body on Account { friend { color } }', 'friend lists color'],
    ['fragment Body on Account { id }', 'Body lists id'],
    [
      'query { account { id ...Body } } fragment Body on Account { friend { friend { name } } }',
      'account lists id',
    ],
  ])('without a directive is rejected: %s', (document, problem) => {
    expect(check(document)).toThrow(`REST: ${problem}: it needs @otherFields, or @onlyFields with a reason`);
  });

  it.each([
    'query { account @otherFields { id name } }',
    'query { account @onlyFields(reason: "test") { id name } }',
    'query { account { id ...Body } } fragment Body on Account @otherFields { name }',
    'fragment Body on Account @otherFields(beside: [Name]) { id } fragment Name on Account { name }',
    'query { account { friend { friend @otherFields { id } } } }',
  ])('with a directive is accepted: %s', (document) => {
    expect(check(document)).not.toThrow();
  });
});
