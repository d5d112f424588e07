import { buildSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { fieldClashes } from '../support/field-clashes.ts';

const OF_EVENT = 'In an event it is a stored fact, which is null if it is unknown; the object always has it.';

/** Fields of one type whose `null` has a meaning in some types only, with the reason. */
const MAY_BE_NULL: Readonly<Record<string, string>> = {
  accountId: 'Null in events of no account, and in verifications for tokens limited to a session.',
  accountIds: 'Null in sessions for tokens that may not read other accounts; lists are never read by them.',
  accountScore: 'Null in events for tokens limited to a session.',
  batchId: OF_EVENT,
  checkId: OF_EVENT,
  decision: 'Null in verifications that are not completed, and in events for tokens limited to a session.',
  endpointId: OF_EVENT,
  expiresAt: 'Null for API keys without an expiry.',
  groupId: OF_EVENT,
  requestId: 'Null for changes by the service itself.',
  rule: 'Null in events once the rule is deleted; matches and versions are deleted with their rule.',
  ruleId: OF_EVENT,
  sessionId: 'Null in events without a session.',
  size: OF_EVENT,
};

describe('fields of one name in types that one selection contains', () => {
  const clashes = fieldClashes(schema);

  it('have one type', () => {
    expect(clashes.filter(({ onlyNull }) => !onlyNull)).toEqual([]);
  });

  it('are all nullable or all non-null, except where null has a meaning in some types only', () => {
    expect(clashes.map(({ field }) => field)).toEqual(Object.keys(MAY_BE_NULL));
  });

  it('have the same nullability in all events', () => {
    const ofEvents = clashes.map(({ field, types }) => ({
      field,
      forms: new Set(
        types.filter((type) => /^\w+Event: /.test(type)).map((type) => type.replace(/^\w+: /, '')),
      ),
    }));
    expect(ofEvents.filter(({ forms }) => forms.size > 1)).toEqual([]);
  });
});

describe('the search for clashes', () => {
  const clashesOf = (fields: string) =>
    fieldClashes(
      buildSchema(`type Query { any: Any } union Any = One | Two enum A { X } enum B { X }
        type Value { score: Float } type Other { score: Int } ${fields}`),
    );

  it.each([
    ['other leaf types', 'type One { a: Int } type Two { a: String }', false],
    ['other enums', 'type One { a: A } type Two { a: B }', false],
    ['a value and an object', 'type One { a: Float } type Two { a: Value }', false],
    ['a list', 'type One { a: [Int] } type Two { a: Int }', false],
    ['nulls', 'type One { a: Int! } type Two { a: Int }', true],
  ])('finds %s', (_what, fields, onlyNull) => {
    expect(clashesOf(fields)).toMatchObject([{ field: 'a', onlyNull }]);
  });

  it('finds clashes of objects under one name', () => {
    expect(clashesOf('type One { a: Value } type Two { a: Other }')).toEqual([
      { field: 'score', types: ['Other: Int', 'Value: Float'], onlyNull: false },
    ]);
  });

  it('accepts objects that share no field, and equal types', () => {
    expect(
      clashesOf('type More { b: Int } type One { a: Value c: Int } type Two { a: More c: Int }'),
    ).toEqual([]);
  });
});
