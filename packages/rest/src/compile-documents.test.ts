import { buildSchema, print } from 'graphql';
import { expect, it } from 'vitest';
import { compileDocuments } from './compile-documents.ts';

const schema = buildSchema(`
  type Query { account: Account }
  type Account { id: ID! fullName: String lastSeen: String friend: Account }
`);
const fragments = `
  fragment Body on Account @otherFields(beside: Seen) { id ...Seen friend { name: fullName @include(if: true) } }
  fragment Seen on Account { lastSeen }
`;
const query = 'query One { account { ...Body } } query Two { account { ...Seen } }';

it('compiles each operation with its fragments and keys', () => {
  const { operations } = compileDocuments(
    [query, fragments.replace('friend {', 'friend @onlyFields(reason: "name") {')],
    schema,
  );
  expect(Object.keys(operations)).toEqual(['One', 'Two']);
  expect(print(operations.Two!).replace(/\s+/g, ' ')).toBe(
    'query Two { account { ...Seen } } fragment Seen on Account { last_seen: lastSeen }',
  );
  expect(print(operations.One!)).toContain('full_name: fullName');
});

it('knows the keys of a fragment, in their order', () => {
  const { keysOfFragment } = compileDocuments(
    [query, fragments.replace('friend {', 'friend @onlyFields(reason: "name") {')],
    schema,
  );
  expect(keysOfFragment('Body')).toEqual(['id', 'last_seen', 'friend', 'full_name']);
  expect(() => keysOfFragment('Other')).toThrow('REST: no fragment Other');
});

it('refuses an object that declares neither of the directives', () => {
  expect(() => compileDocuments([query, fragments], schema)).toThrow(/^REST: friend lists fullName/);
});
