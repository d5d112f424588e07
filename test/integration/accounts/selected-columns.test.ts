import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isCompositeType,
  isRequiredArgument,
} from 'graphql';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

/*
 * An account that is read with its links and its latest session is read with the columns that the document selects. Each
 * field of the two types has the same value alone as beside a field that reads all columns.
 */

const schema: GraphQLSchema = buildSchema(readFileSync('schema.graphql', 'utf8'));
let gateway: Gateway;
let project: TestProject;
const group = unique('columns');
const [id, other] = [`${group}-1`, `${group}-2`];

beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  project = await gateway.project();
  const facts = {
    group,
    email: `${group}@example.com`,
    phone: '0151 23456789',
    expected_countries: ['DE'],
    first_name: 'Ada',
    last_name: 'Byron',
    username: group,
    metadata: { plan: 'pro' },
  };
  for (const account of [id, other]) {
    await project.authenticate({ id: account, ...facts }, { ip_address: '90.54.1.1' });
    await gateway.app.recalculateLinks(project.projectId);
  }
  await project.graphql(
    `mutation { addAccountsToList(input: { list: "block", accountIds: ["${id}"] }) { results { outcome } } }`,
  );
});
afterAll(() => gateway.close());

/** Every field without required arguments, with the scalar fields of its objects. */
function fieldsOf(type: string): string[] {
  const fields = Object.values((schema.getType(type) as GraphQLObjectType).getFields());
  return fields
    .filter((field) => !field.args.some(isRequiredArgument))
    .map(({ name, type: of }) => {
      const named = getNamedType(of);
      return isCompositeType(named) ? `${name} { __typename ${scalarsOf(named.name)} }` : name;
    });
}

function scalarsOf(type: string): string {
  const of = schema.getType(type);
  if (!of || !('getFields' in of)) return '';
  return Object.values((of as GraphQLObjectType).getFields())
    .filter((field) => !isCompositeType(getNamedType(field.type)) && !field.args.some(isRequiredArgument))
    .map(({ name }) => name)
    .join(' ');
}

const accountQuery = (fields: string) =>
  `{ account(accountId: "${id}") { ${fields} linkedAccounts(first: 1) { edges { node { ${fields} } } } } }`;
const sessionQuery = (fields: string) =>
  `{ account(accountId: "${id}") { lastSession { ${fields} } linkedAccounts(first: 5) { edges { score } } } }`;

const read = (query: string): Promise<unknown> => project.graphql(query);

/** The data without the additional field. */
function without(name: string, value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, of) => (key === name ? undefined : of)));
}

test('each field of an account has the same value for any selection', async () => {
  for (const field of fieldsOf('Account').filter((each) => !each.startsWith('linkedAccounts'))) {
    const alone = await read(accountQuery(field));
    const beside = await read(accountQuery(`${field} all: decision`));
    expect(alone, field).toEqual(without('all', beside));
    expect(JSON.stringify(alone)).toContain('"edges":[{');
  }
});

test('each field of the latest session has the same value for any selection', async () => {
  for (const field of fieldsOf('Session')) {
    const beside = await read(sessionQuery(`${field} all: botScore`));
    expect(await read(sessionQuery(field)), field).toEqual(without('all', beside));
  }
});

test('the evidence of a link contains the phone parsed by the expected countries', async () => {
  const data = await read(
    `{ account(accountId: "${id}") { linkedAccounts(first: 5) { edges { evidence { kind maskedValue } } } } }`,
  );
  const beside = await read(
    `{ account(accountId: "${id}") { linkedAccounts(first: 5) { edges { evidence { kind maskedValue } } } all: decision } }`,
  );
  expect(data).toEqual(without('all', beside));
  expect(JSON.stringify(data)).toContain('PHONE');
});

test('an object that two fields share has the columns of both', async () => {
  const data = (await read(`{
    one: account(accountId: "${id}") { linkedAccounts(first: 5) { edges { node { accountId } } } lastSession { sessionId } }
    two: account(accountId: "${id}") {
      linkedAccounts(first: 5) { edges { node { accountScore } } }
      lastSession { botScore }
    }
  }`)) as { two: { linkedAccounts: { edges: { node: { accountScore: number } }[] } } };
  expect(data.two.linkedAccounts.edges[0]!.node.accountScore).toBeGreaterThan(0);
});

const LINKED = 'accountId username linkedAccounts(first: 5) { edges { node { accountId } } }';

/** Results of a selection for several accounts. */
function answerOf(account: string) {
  if (account.endsWith('unknown')) return null;
  const linked = account === id ? other : id;
  return {
    accountId: account,
    username: group,
    linkedAccounts: { edges: [{ node: { accountId: linked } }] },
  };
}

test('concurrent reads of accounts each receive their own account', async () => {
  const wanted = Array.from({ length: 40 }, (_, index) => [id, other, `${group}-unknown`][index % 3]!);
  const answers = await Promise.all(
    wanted.map((account) => project.graphql(`{ account(accountId: "${account}") { ${LINKED} } }`)),
  );
  expect(answers).toEqual(wanted.map((account) => ({ account: answerOf(account) })));
});

test('concurrent reads share statements of at most eight accounts', async () => {
  const wanted = [id, other, `${group}-unknown`, ...Array.from({ length: 7 }, () => id)];
  const fields = wanted.map((account, index) => `a${index}: account(accountId: "${account}") { ${LINKED} }`);
  gateway.takeStatements();
  const data = await project.graphql(`{ ${fields.join(' ')} }`);
  expect(Object.values(data)).toEqual(wanted.map(answerOf));
  const sent = gateway.takeStatements().filter((name) => name.startsWith('account.find_with_links'));
  expect(sent).toHaveLength(2);
});
