import { readFile } from 'node:fs/promises';
import {
  type GraphQLArgument,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  isSpecifiedScalarType,
  printSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../support/gateway.ts';

type Described = { place: string; description: string | null | undefined };

const described = (place: string, { description }: { description?: string | null }): Described => ({
  place,
  description,
});
const argumentsOf = (place: string, args: readonly GraphQLArgument[]) =>
  args.map((argument) => described(`${place}(${argument.name}:)`, argument));

/** A type with its fields and arguments for a reader of the schema. */
function partsOf(type: GraphQLNamedType): Described[] {
  const parts = [described(type.name, type)];
  if (isObjectType(type) || isInterfaceType(type)) {
    for (const field of Object.values(type.getFields())) {
      const place = `${type.name}.${field.name}`;
      parts.push(described(place, field), ...argumentsOf(place, field.args));
    }
  }
  if (isInputObjectType(type)) {
    for (const field of Object.values(type.getFields()))
      parts.push(described(`${type.name}.${field.name}`, field));
  }
  if (isEnumType(type)) {
    for (const value of type.getValues()) parts.push(described(`${type.name}.${value.name}`, value));
  }
  return parts;
}

/** A project has one set of demonstration data: there is nothing to choose, and GraphQL has no empty input. */
const WITHOUT_INPUT = new Set(['createDemonstrationData', 'removeDemonstrationData']);

describe('the schema', () => {
  const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type));

  it('describes every type, field and argument', () => {
    const parts = types.flatMap((type) => (isSpecifiedScalarType(type) ? [] : partsOf(type)));
    expect(parts.length).toBeGreaterThan(300);
    expect(parts.filter(({ description }) => !description?.trim()).map(({ place }) => place)).toEqual([]);
  });

  it('equals schema.graphql as served', async () => {
    const written = await readFile(new URL('../../schema.graphql', import.meta.url), 'utf8');
    expect(written.trim()).toBe(printSchema(schema).trim());
  });

  it('has one input and a payload for every mutation', () => {
    for (const field of Object.values(schema.getMutationType()!.getFields())) {
      expect(String(field.type)).toMatch(/^\w+Payload!?$/);
      if (WITHOUT_INPUT.has(field.name)) continue;
      expect(field.args.map(({ name }) => name)).toEqual(['input']);
      const [input] = field.args;
      expect(isInputObjectType(getNamedType(input!.type)), field.name).toBe(true);
      expect(String(input!.type)).toMatch(/^\w+Input!$/);
    }
  });
});

/** Types with an identity. An event type each is one too. */
const NODE_TYPES = schema
  .getPossibleTypes(schema.getType('Node') as GraphQLInterfaceType)
  .map(({ name }) => name);

describe('a global id', () => {
  let gateway: Gateway;
  let project: TestProject;
  let other: TestProject;
  const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }';
  const NODE = 'query ($id: ID!) { node(id: $id) { __typename id } }';
  const globalId = (text: string) => Buffer.from(text).toString('base64');

  beforeAll(async () => {
    gateway = await startGateway();
    [project, other] = await Promise.all([gateway.project(), gateway.project()]);
  });
  afterAll(() => gateway.close());

  /** The global ids of an account, its session and a list of a project. */
  async function idsOf(owner: TestProject): Promise<string[]> {
    const { account_id, session_id } = await owner.authenticate({
      id: unique('node'),
      lists: [unique('list')],
    });
    const data = await owner.graphql(
      'query ($a: ID!, $s: ID!) { account(accountId: $a) { id lists { id } } session(sessionId: $s) { id } }',
      { a: account_id, s: session_id },
    );
    return [data.account.id, data.session.id, data.account.lists[0].id];
  }

  it('returns its object, alone and among others, in the requested order', async () => {
    const ids = await idsOf(project);
    const expected = ids.map((id, index) => ({ id, __typename: ['Account', 'Session', 'List'][index] }));
    expect((await project.graphql(NODES, { ids })).nodes).toEqual(expected);
    expect((await project.graphql(NODES, { ids: ids.toReversed() })).nodes).toEqual(expected.toReversed());
    for (const [index, id] of ids.entries()) {
      expect((await project.graphql(NODE, { id })).node).toEqual(expected[index]);
    }
  });

  it('of an object of another project finds nothing', async () => {
    const ids = await idsOf(other);
    expect((await project.graphql(NODES, { ids })).nodes).toEqual([null, null, null]);
    for (const id of ids) expect((await project.graphql(NODE, { id })).node).toBeNull();
  });

  const UUID = '00000000-0000-4000-8000-000000000000';
  const NOBODYS = [
    ...NODE_TYPES.flatMap((type) => [
      { what: `an unknown ${type}`, id: globalId(`${type}:${UUID}`) },
      { what: `a malformed ${type}`, id: globalId(`${type}:nobody`) },
      { what: `a ${type} without id`, id: globalId(`${type}:`) },
    ]),
    { what: 'an unknown type', id: globalId(`Secret:${UUID}`) },
    { what: 'a type that is not a node', id: globalId(`PageInfo:${UUID}`) },
    { what: 'the query itself', id: globalId(`Query:${UUID}`) },
    { what: 'a scalar', id: globalId(`DateTime:${UUID}`) },
    { what: 'nothing', id: '' },
    { what: 'invalid base64', id: '%%%' },
    { what: 'a plain id', id: UUID },
    { what: 'a NUL character', id: globalId('Account:\0') },
    { what: 'a quotation mark', id: globalId(`Session:${UUID}' or '1'='1`) },
  ];

  it.each(NOBODYS)('of $what returns nothing', async ({ id }) => {
    expect((await project.graphql(NODE, { id })).node).toBeNull();
  });

  it('without an object does not affect the others', async () => {
    const [id] = await idsOf(project);
    const ids = NOBODYS.slice(-98).map((nobody) => nobody.id);
    const { nodes } = await project.graphql(NODES, { ids: [id, ...ids, id] });
    expect(nodes).toEqual([
      { id, __typename: 'Account' },
      ...ids.map(() => null),
      { id, __typename: 'Account' },
    ]);
  });
});
