import { buildSchema, type GraphQLObjectType, parse } from 'graphql';
import { expect, it } from 'vitest';
import { dataSchema, keysOf, wholeSchema } from './document-schema.ts';
import { schemaWithForms } from './schema-with-forms-for-tests.ts';

const schema = schemaWithForms(
  `
  scalar Date scalar UUID scalar JSONObject
  "Kinds." enum Kind { id face }
  type Account {
    "Overall risk, 0 to 1."
    score: Float!
    "Name; null when unknown."
    name: String
    kind: Kind
    country: UUID
    metadata: JSONObject!
    dateOfBirth: Date
    friends: [Account!]!
  }
  type DocumentUserData { "Day of issue; null when it could not be read." dateOfIssue: Date }
  type Query { account: Account userData: DocumentUserData }
`,
  { 'Account.dateOfBirth': { unknown: 'absent' }, 'DocumentUserData.dateOfIssue': { isUsDate: true } },
);
const propertiesOf = (query: string) => dataSchema(parse(query), schema, keysOf(schema)).properties!;

it('the schema of a response has the fields that the document selects, in the documented form of values', () => {
  const { account } = propertiesOf(
    `query ($with: Boolean!) { account {
       score first_name: name kind country metadata @include(if: $with) friends { name }
     } }`,
  );
  const name = { type: 'string', description: 'Name; empty when unknown.' };
  const object = { type: 'object', component: 'Account' };
  expect(account).toEqual({
    anyOf: [
      {
        ...object,
        properties: {
          score: { type: 'number', minimum: 0, maximum: 1, description: 'Overall risk, 0 to 1.' },
          first_name: name,
          kind: { type: 'string', enum: ['id', 'face', ''] },
          country: expect.objectContaining({ type: ['string', 'null'], pattern: expect.any(String) }),
          metadata: { type: 'object', additionalProperties: {}, isOptional: true },
          friends: { type: 'array', items: { ...object, properties: { name } } },
        },
      },
      { type: 'null' },
    ],
  });
});

it('exceptions change the schema as they change the value', () => {
  const { account, userData } = propertiesOf('{ account { dateOfBirth } userData { dateOfIssue } }');
  expect(account).toMatchObject({
    anyOf: [{ properties: { dateOfBirth: { type: 'string', format: 'date', isOptional: true } } }, {}],
  });
  expect(userData).toMatchObject({
    anyOf: [
      {
        properties: {
          dateOfIssue: {
            pattern: '^(\\d{2}/\\d{2}/\\d{4})?$',
            description: 'Day of issue; empty when it could not be read. As MM/DD/YYYY.',
          },
        },
      },
      {},
    ],
  });
});

it('the schema of a whole type has all of its fields and those of nested types, except omitted ones', () => {
  const small = buildSchema(`
    type Batch { "Name; null when unknown." batchName: String first: Entry! }
    type Entry { riskScore: Float! }
    type Query { batch: Batch }
  `);
  const type = small.getType('Batch') as GraphQLObjectType;
  const entry = { type: 'object', component: 'Entry', properties: { risk_score: { type: 'number' } } };
  const name = { type: 'string', description: 'Name; empty when unknown.' };
  expect(wholeSchema(type, keysOf(small)).properties).toEqual({ batch_name: name, first: entry });
  expect(wholeSchema(type, keysOf(small), ['batchName']).properties).toEqual({ first: entry });
});
