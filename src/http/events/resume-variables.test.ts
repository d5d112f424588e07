import { buildSchema, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { resumeVariables } from './resume-variables.ts';

const schema = buildSchema(`
  type Query { x: Int }
  type Page { name(after: String): String }
  type Subscription { events(after: String, name: String): Page }
`);
const of = (text: string) => [...resumeVariables(schema, parse(text))];

describe('variables that only contain the resume cursor', () => {
  it.each([
    {
      what: 'the argument of the subscription',
      text: 'subscription ($c: String) { events(after: $c) { name } }',
      names: ['c'],
    },
    {
      what: 'the argument in a fragment',
      text: 'subscription ($c: String) { ...F } fragment F on Subscription { events(after: $c) { name } }',
      names: ['c'],
    },
    { what: 'another argument', text: 'subscription ($c: String) { events(name: $c) { name } }', names: [] },
    {
      what: 'an argument of the same name at a deeper level',
      text: 'subscription ($c: String) { events { name(after: $c) } }',
      names: [],
    },
    {
      what: 'a variable that is used elsewhere too',
      text: 'subscription ($c: String) { events(after: $c) { name(after: $c) } }',
      names: [],
    },
    { what: 'a text in the document', text: 'subscription { events(after: "x") { name } }', names: [] },
  ])('$what', ({ text, names }) => {
    expect(of(text)).toEqual(names);
  });
});
