import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { isNoted, lastRelease, notedCoordinates } from './changelog.ts';
import { type Contract, checkContract } from './check.ts';
import { compareOpenApi, widenedOpenApi } from './compare-openapi.ts';
import { compareSchemas, widenedSchemas } from './compare-schema.ts';
import { readReleased, writeReleased } from './released.ts';

const SCHEMA = `
directive @mark(as: String) on FIELD
interface Named { name: String! }
type Account implements Named { name: String! email: String score(of: Int): Float! kind: Kind! }
type Query { account(accountId: ID!, at: Int): Account search: Result all: [Int!]! }
union Result = Account | Other
type Other { id: ID! }
type More { id: ID! }
enum Kind { REAL FAKE }
input Filter { email: String }
type Mutation { find(filter: Filter): Account }
`;

describe('a change of the schema', () => {
  it.each([
    ['a removed field', 'email: String score', 'score', ['Account.email']],
    ['a changed type', 'email: String', 'email: Int', ['Account.email']],
    ['a nullable field', 'name: String! email', 'name: String email', ['Account.name', 'Named.name']],
    ['a removed argument', '(accountId: ID!, at: Int)', '(accountId: ID!)', ['Query.account(at:)']],
    ['an argument of another type', 'at: Int', 'at: String', ['Query.account(at:)']],
    ['an argument that became required', 'at: Int)', 'at: Int!)', ['Query.account(at:)']],
    ['an input field that became required', '{ email: String }', '{ email: String! }', ['Filter.email']],
    [
      'a removed input field',
      'input Filter { email: String',
      'input Filter { phone: String',
      ['Filter.email'],
    ],
    ['an input that accepts one field only', 'input Filter {', 'input Filter @oneOf {', ['Filter']],
    ['a list with nullable items', 'all: [Int!]!', 'all: [Int]!', ['Query.all']],
    ['a nullable list', 'all: [Int!]!', 'all: [Int!]', ['Query.all']],
    ['a required argument', 'score(of: Int)', 'score(of: Int, in: ID!)', ['Account.score(in:)']],
    ['a required input field', 'input Filter { ', 'input Filter { id: ID! ', ['Filter.id']],
    ['a removed enum value', 'REAL FAKE', 'REAL', ['Kind.FAKE']],
    ['a removed member of a union', 'Account | Other', 'Account', ['Result.Other']],
    ['a removed interface', 'Account implements Named', 'Account', ['Account']],
    ['a removed type', 'type Mutation { find(filter: Filter): Account }', '', ['Mutation']],
    ['a removed directive', 'directive @mark(as: String) on FIELD', '', ['@mark']],
    ['a removed argument of a directive', '(as: String)', '', ['@mark(as:)']],
  ])('is breaking: %s', (_what, from, to, coordinates) => {
    const after = SCHEMA.replace(from, to).replace(
      /interface Named \{ name: String! \}/,
      coordinates.includes('Named.name') ? 'interface Named { name: String }' : '$&',
    );
    expect(after).not.toBe(SCHEMA);
    const found = compareSchemas(SCHEMA, after).map(({ coordinate }) => coordinate);
    expect(found).toEqual(expect.arrayContaining(coordinates));
  });

  it.each([
    ['a field', 'email: String', 'email: String phone: String'],
    ['an optional argument', 'at: Int', 'at: Int, until: Int'],
    ['an enum value', 'REAL', 'REAL SUSPICIOUS'],
    ['a field that is never null', 'email: String', 'email: String!'],
    ['an argument that is no longer required', 'accountId: ID!', 'accountId: ID'],
    ['an optional input field', 'input Filter {', 'input Filter { phone: String'],
    ['a member of a union', 'Account | Other', 'Account | Other | More'],
    ['a deprecation', 'email: String', 'email: String @deprecated(reason: "Use phone.")'],
  ])('is not breaking when it adds %s', (_what, from, to) => {
    expect(compareSchemas(SCHEMA, SCHEMA.replace(from, to))).toEqual([]);
  });
});

describe('a widening change of the schema', () => {
  it.each([
    ['a new enum value', 'REAL FAKE', 'REAL FAKE MAYBE', 'Kind.MAYBE'],
    ['a new member of a union', 'Account | Other', 'Account | Other | More', 'Result.More'],
    ['another default', 'at: Int', 'at: Int = 5', 'Query.account(at:)'],
  ])('is noted: %s', (_what, from, to, coordinate) => {
    const before = SCHEMA.replace('at: Int', to === 'at: Int = 5' ? 'at: Int = 4' : 'at: Int');
    const after = SCHEMA.replace(from, to);
    expect(widenedSchemas(before, after).map((each) => each.coordinate)).toEqual([coordinate]);
    expect(compareSchemas(before, after)).toEqual([]);
  });
});

const openApi = () => ({
  paths: {
    '/account/{id}': {
      get: {
        parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
        responses: {
          200: { content: { json: { schema: { $ref: '#/components/schemas/Account' } } } },
          404: {},
        },
      },
      put: {
        requestBody: {
          content: {
            json: {
              schema: {
                type: 'object',
                required: ['email'],
                properties: {
                  email: { type: 'string' },
                  kind: { enum: ['a', 'b'] },
                  age: { type: 'number' },
                  name: { type: 'string', maxLength: 20, minLength: 2, pattern: '^a', format: 'email' },
                  tags: { type: 'array', minItems: 1, maxItems: 5, items: { type: 'string' } },
                  rate: { type: 'number', minimum: 1, maximum: 9 },
                  facts: { type: 'object', properties: {} },
                },
              },
            },
          },
        },
        responses: { 200: {} },
      },
    },
  },
  webhooks: {
    changed: {
      post: {
        requestBody: {
          content: { json: { schema: { type: 'object', properties: { id: { type: 'string' } } } } },
        },
      },
    },
  },
  components: {
    schemas: {
      Account: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'string' },
          state: { enum: ['open', 'done'] },
          score: { type: ['number', 'null'] },
          linked: { type: 'array', items: { $ref: '#/components/schemas/Account' } },
        },
      },
    },
  },
});
// biome-ignore lint/suspicious/noExplicitAny: a document of JSON
type Json = any;
const bodyOf = (document: Json) => document.paths['/account/{id}'].put.requestBody;
const putOf = (document: Json) => bodyOf(document).content.json.schema;
const accountOf = (document: Json) => document.components.schemas.Account;
const getOf = (document: Json) => document.paths['/account/{id}'].get;
const GET = 'GET /account/{id}';
const PUT = 'PUT /account/{id} request';

describe('a change of the OpenAPI document', () => {
  it.each<[string, (document: Json) => void, string]>([
    ['a removed path', (d) => delete d.paths['/account/{id}'], GET],
    ['a removed method', (d) => delete d.paths['/account/{id}'].get, GET],
    ['a removed status', (d) => delete getOf(d).responses[404], `${GET} 404`],
    ['a removed media type', (d) => delete bodyOf(d).content.json, PUT],
    ['a removed parameter', (d) => getOf(d).parameters.pop(), `${GET} query.limit`],
    [
      'a parameter of another type',
      (d) => {
        getOf(d).parameters[0].schema.type = 'string';
      },
      `${GET} query.limit`,
    ],
    [
      'a new required parameter',
      (d) => getOf(d).parameters.push({ name: 'x', in: 'query', required: true, schema: {} }),
      `${GET} query.x`,
    ],
    [
      'a parameter that became required',
      (d) => {
        getOf(d).parameters[0].required = true;
      },
      `${GET} query.limit`,
    ],
    [
      'a body that became required',
      (d) => {
        bodyOf(d).required = true;
      },
      PUT,
    ],
    ['a required key of a body', (d) => putOf(d).required.push('kind'), `${PUT}.kind`],
    [
      'a new required key of a body',
      (d) => {
        putOf(d).required.push('x');
        putOf(d).properties.x = {};
      },
      `${PUT}.x`,
    ],
    ['a removed key of a body', (d) => delete putOf(d).properties.age, `${PUT}.age`],
    [
      'a narrower type of a body',
      (d) => {
        putOf(d).properties.age.type = 'integer';
      },
      `${PUT}.age`,
    ],
    ['a removed enum value', (d) => putOf(d).properties.kind.enum.pop(), `${PUT}.kind`],
    ['a removed key of a response', (d) => delete accountOf(d).properties.score, `${GET} 200.score`],
    [
      'a response of another type',
      (d) => {
        accountOf(d).properties.id.type = 'integer';
      },
      `${GET} 200.id`,
    ],
    [
      'a nullable key of a response',
      (d) => {
        accountOf(d).properties.id.type = ['string', 'null'];
      },
      `${GET} 200.id`,
    ],
    [
      'an optional key of a response',
      (d) => {
        accountOf(d).required = [];
      },
      `${GET} 200.id`,
    ],
    ['a removed webhook', (d) => delete d.webhooks.changed, 'webhook changed'],
    [
      'a removed key of a webhook',
      (d) => delete d.webhooks.changed.post.requestBody.content.json.schema.properties.id,
      'webhook changed.id',
    ],
  ])('is breaking: %s', (_what, change, coordinate) => {
    const after = openApi();
    change(after);
    expect(compareOpenApi(openApi(), after).map((each) => each.coordinate)).toContain(coordinate);
  });

  it.each<[string, (document: Json) => void]>([
    ['nothing', () => {}],
    [
      'a path',
      (d) => {
        d.paths['/new'] = { get: { responses: {} } };
      },
    ],
    ['an optional parameter', (d) => getOf(d).parameters.push({ name: 'x', in: 'query', schema: {} })],
    [
      'an optional key of a body',
      (d) => {
        putOf(d).properties.x = { type: 'string' };
      },
    ],
    [
      'a wider type of a body',
      (d) => {
        putOf(d).properties.email.type = ['string', 'null'];
      },
    ],
    [
      'a key that is no longer required',
      (d) => {
        putOf(d).required = [];
      },
    ],
    [
      'a key of a response',
      (d) => {
        accountOf(d).properties.x = { type: 'string' };
      },
    ],
    [
      'a narrower type of a response',
      (d) => {
        accountOf(d).properties.score.type = 'number';
      },
    ],
    ['a word', (d) => putOf(d).properties.kind.enum.push('c')],
  ])('is not breaking when it adds %s', (_what, change) => {
    const after = openApi();
    change(after);
    expect(compareOpenApi(openApi(), after)).toEqual([]);
  });
});

type Values = Record<string, unknown>;
const keyOf = (document: Json, key: string): Values => putOf(document).properties[key];
const LIMITED: [string, Values, Values][] = [
  ['name', { maxLength: 19 }, { maxLength: 21 }],
  ['email', { maxLength: 19 }, {}],
  ['name', { minLength: 3 }, { minLength: 1 }],
  ['email', { minLength: 1 }, { minLength: 0 }],
  ['name', { pattern: '^b' }, { pattern: undefined }],
  ['email', { pattern: '^b' }, {}],
  ['name', { format: 'uuid' }, { format: undefined }],
  ['email', { format: 'email' }, {}],
  ['tags', { maxItems: 4 }, { maxItems: 6 }],
  ['tags', { minItems: 2 }, { minItems: 0 }],
  ['tags', { uniqueItems: true }, { uniqueItems: false }],
  ['rate', { maximum: 8 }, { maximum: 10 }],
  ['rate', { minimum: 2 }, { minimum: 0 }],
  ['rate', { exclusiveMaximum: 9 }, { exclusiveMaximum: undefined }],
  ['rate', { exclusiveMinimum: 1 }, { exclusiveMinimum: undefined }],
  ['rate', { multipleOf: 2 }, {}],
  ['email', { enum: ['a'] }, {}],
  ['email', { const: 'a' }, {}],
  ['facts', { additionalProperties: false }, { additionalProperties: true }],
  ['facts', { maxProperties: 3 }, {}],
];

describe('a limit of a request', () => {
  it.each(LIMITED)('is breaking when it is added or narrowed: %s %j', (key, narrow, wide) => {
    const after = openApi();
    Object.assign(keyOf(after, key), narrow);
    expect(compareOpenApi(openApi(), after).map((each) => each.coordinate)).toEqual([`${PUT}.${key}`]);
    const wider = openApi();
    Object.assign(keyOf(wider, key), wide);
    expect(compareOpenApi(openApi(), wider)).toEqual([]);
  });

  it.each(LIMITED)('is not breaking in a response: %s %j', (key, narrow) => {
    const before = openApi();
    const after = openApi();
    if ('enum' in narrow || 'const' in narrow) return expect(key).toBe('email');
    for (const document of [before, after])
      accountOf(document).properties[key] = { ...keyOf(openApi(), key) } as never;
    Object.assign(accountOf(after).properties[key], narrow);
    return expect(compareOpenApi(before, after)).toEqual([]);
  });

  it('is detected in a parameter', () => {
    const after = openApi();
    Object.assign(getOf(after).parameters[0].schema, { maximum: 10 });
    expect(compareOpenApi(openApi(), after)).toEqual([
      { coordinate: `${GET} query.limit`, description: 'maximum 10 was added' },
    ]);
  });

  it('is detected when a body accepts no further keys', () => {
    const after = openApi();
    putOf(after).additionalProperties = false;
    expect(compareOpenApi(openApi(), after).map((each) => each.coordinate)).toEqual([PUT]);
  });
});

describe('an enum value of a response', () => {
  it.each<[string, Values]>([
    ['additional enum values', { enum: ['open', 'done', 'lost'] }],
    ['any values', { enum: undefined, type: 'string' }],
  ])('is noted when there are %s', (_what, change) => {
    const after = openApi();
    Object.assign(accountOf(after).properties.state, change);
    expect(widenedOpenApi(openApi(), after).map((each) => each.coordinate)).toEqual([`${GET} 200.state`]);
    expect(compareOpenApi(openApi(), after)).toEqual([]);
  });

  it('is not noted for a request', () => {
    const after = openApi();
    putOf(after).properties.kind.enum.push('c');
    expect(widenedOpenApi(openApi(), after)).toEqual([]);
  });
});

describe('the notes of the changelog', () => {
  const CHANGELOG = `# Changelog

## 0.2.0 (unreleased)

- **Breaking**: \`Account.email\` is gone, and
  so is \`GET
  /account/{id}\`.
- \`Account.phone\` is new.

## 0.1.0

- **Breaking**: \`Account.score\` is gone.
`;

  it('are those of the unreleased section', () => {
    expect(notedCoordinates(CHANGELOG)).toEqual(['Account.email', 'GET /account/{id}']);
    expect(lastRelease(CHANGELOG)).toBe('0.1.0');
    expect(lastRelease('## 0.1.0 (unreleased)\n')).toBeNull();
  });

  it('cover their names and contents', () => {
    expect(isNoted('Account.email', ['Account.email'])).toBe(true);
    expect(isNoted('Account.email', ['Account'])).toBe(true);
    expect(isNoted('Query.account(at:)', ['Query.account'])).toBe(true);
    expect(isNoted('GET /account/{id} 200.score', ['GET /account/{id}'])).toBe(true);
    expect(isNoted('AccountEdge.node', ['Account'])).toBe(false);
    expect(isNoted('Account.emails', ['Account.email'])).toBe(false);
    expect(isNoted('Account', ['Account.email'])).toBe(false);
  });
});

describe('the contract', () => {
  const contract = (changes: Partial<Contract> = {}): Contract => ({
    version: '0.1.0',
    schema: SCHEMA,
    openapi: openApi(),
    ...changes,
  });
  const without = { schema: SCHEMA.replace('email: String score', 'score'), version: '0.2.0' };
  const changelog = (...notes: string[]) =>
    `## 0.2.0 (unreleased)\n\n${notes.map((note) => `- ${note}`).join('\n')}\n\n## 0.1.0\n`;

  it('is broken by a change without a note', () => {
    const { isKept, lines } = checkContract(
      contract(),
      contract(without),
      changelog('`Account.email` is gone.'),
    );
    expect(isKept).toBe(false);
    expect(lines[0]).toBe('Account.email: Account.email was removed.');
    expect(lines[1]).toContain('- **Breaking**: `Account.email`');
  });

  it('is kept with a note, and without changes', () => {
    const noted = changelog('**Breaking**: `Account.email` is gone.');
    expect(checkContract(contract(), contract(without), noted).isKept).toBe(true);
    expect(checkContract(contract(), contract(), changelog()).isKept).toBe(true);
  });

  it('is not compared with another version than the last release', () => {
    expect(checkContract(contract({ version: '0.0.9' }), contract(), changelog()).isKept).toBe(false);
    expect(checkContract(null, contract(), changelog()).isKept).toBe(false);
  });

  it('is compared with the files of the release', () => {
    const folder = path.join(mkdtempSync(path.join(tmpdir(), 'contract-')), 'released');
    try {
      expect(readReleased(folder)).toBeNull();
      writeReleased(folder, contract());
      expect(readReleased(folder)).toEqual(contract());
      const noted = changelog('**Breaking**: `Account.email` is gone.');
      expect(checkContract(readReleased(folder), contract(without), changelog()).isKept).toBe(false);
      expect(checkContract(readReleased(folder), contract(without), noted).isKept).toBe(true);
    } finally {
      rmSync(path.dirname(folder), { recursive: true });
    }
  });

  it('is kept with a wider enum, which is named', () => {
    const wider = { schema: SCHEMA.replace('REAL FAKE', 'REAL FAKE MAYBE'), version: '0.2.0' };
    const { isKept, lines } = checkContract(contract(), contract(wider), changelog());
    expect(isKept).toBe(true);
    expect(lines).toContain('Note: Kind.MAYBE: MAYBE was added to enum type Kind.');
  });

  it('has nothing to compare with before the first release', () => {
    expect(checkContract(null, contract(), '## 0.1.0 (unreleased)\n').isKept).toBe(true);
    expect(checkContract(contract(), contract(without), '## 0.1.0 (unreleased)\n').isKept).toBe(false);
  });
});
