import { expect, it } from 'vitest';
import { chosenOperation } from './chosen-operation.ts';

const TWO = 'query One($id: ID = "a") { a }\nsubscription Two @live { b }';

it.each([
  ['{ a }', null, 'query', null],
  ['mutation { a }', undefined, 'mutation', null],
  [TWO, 'One', 'query', 'One'],
  [TWO, 'Two', 'subscription', 'Two'],
  ['the operation of another tab', null, 'query', null],
  [TWO, 'OfAnotherTab', 'query', 'One'],
  ['# subscription Comment {\nmutation Run { a }', 'OfAnotherTab', 'mutation', 'Run'],
  ['query Run { a(text: "mutation Text {", b: """\nmutation Block {\n""") }', 'Text', 'query', 'Run'],
  ['fragment Part on Account { id }\nquery($a: Int) { a }', 'OfAnotherTab', 'query', null],
])('runs an operation of the document: %s, named %s', (query, operationName, kind, name) => {
  expect(chosenOperation({ query, operationName })).toEqual({ kind, name });
});
