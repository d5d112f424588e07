import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import {
  MUTATIONS,
  mutationOf,
  QUERIES,
  queryOf,
  ROUTE_CASES,
  SUBSCRIPTIONS,
  subscriptionOf,
} from '../support/operations/index.ts';
import type { Behavior, RouteBehavior, SubscriptionBehavior } from '../support/operations/operation.ts';
import { type GatewayProcess, makeFolder, start, until } from './gateway-process.ts';
import { type Body, type Client, createClient } from './interface/client.ts';
import { EVENT_ROWS, type EventRow } from './interface/event-rows.ts';
import { createSampleRecorder, shapeOf } from './interface/event-samples.ts';
import { CREATE_ENDPOINT, createWorld, type World } from './interface/world.ts';

type Row<Cases> = Cases & { readonly field: string };
const REST_ROWS = Object.entries(ROUTE_CASES).map(([route, { behavior }]) => ({ route, ...behavior }));
const QUERY_ROWS = QUERIES.map((field) => ({ field, ...queryOf(field).behavior }));
const MUTATION_ROWS = MUTATIONS.map((field) => ({ field, ...mutationOf(field).behavior }));
const SUBSCRIPTION_ROWS = SUBSCRIPTIONS.map((field) => ({ field, ...subscriptionOf(field).behavior }));

const COVERAGE = new URL('COVERAGE.md', import.meta.url).pathname;
/** Set to record samples of events that are new, or whose shape changed. */
const RECORDS_SAMPLES = process.env.RECORD_EVENT_SAMPLES === '1';
const TABLE_HEADING = '## The interface, row by row';

let gateway: GatewayProcess;
let removeFolder: () => Promise<void>;
let database: TestDatabase;
let client: Client;
let world: World;

beforeAll(async () => {
  const { folder, remove } = await makeFolder();
  removeFolder = remove;
  // On the server of the run, so that the whole interface is also tested on other versions of PostgreSQL.
  database = await createTestDatabase();
  const started = await start(path.join(folder, 'data'), {
    DATABASE_URL: database.ownerUrl,
    RATE_LIMIT_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
    WEBHOOK_ALLOW_LOOPBACK: '1',
  });
  gateway = started.gateway;
  client = createClient(started.sandbox);
  world = await createWorld(client);
  world.receiver.answer(({ path: route }) => ({ status: route === '/gone' ? 410 : 200 }));
});
afterAll(async () => {
  gateway?.signal('SIGTERM');
  await gateway?.exited;
  await world?.receiver.close();
  await database?.drop();
  await removeFolder?.();
});

const sorted = (names: readonly string[]) => [...names].sort();

describe('the tables of the interface', () => {
  it('have every route of the OpenAPI document once, and no other', async () => {
    const { paths } = await client.ask('GET', '/openapi.json');
    const documented = Object.entries<Body>(paths).flatMap(([route, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${route}`),
    );
    expect(sorted(REST_ROWS.map(({ route }) => route))).toEqual(sorted(documented));
  });

  it('have every root field of the introspected schema once, and no other', async () => {
    const fields = 'fields(includeDeprecated: true) { name }';
    const { __schema } = await client.graphql(
      `{ __schema { queryType { ${fields} } mutationType { ${fields} } subscriptionType { ${fields} } } }`,
    );
    const namesOf = (type: Body) => sorted(type.fields.map(({ name }: Body) => name));
    const rowsOf = (rows: readonly { field: string }[]) => sorted(rows.map(({ field }) => field));
    expect(rowsOf(QUERY_ROWS)).toEqual(namesOf(__schema.queryType));
    expect(rowsOf(MUTATION_ROWS)).toEqual(namesOf(__schema.mutationType));
    expect(rowsOf(SUBSCRIPTION_ROWS)).toEqual(namesOf(__schema.subscriptionType));
  });

  it('have every type of event that the schema names once, and no other', async () => {
    const { __type } = await client.graphql('{ __type(name: "EventType") { enumValues { name } } }');
    const types = __type.enumValues.map(({ name }: Body) => name);
    expect(sorted(EVENT_ROWS.map(({ type }) => enumNameOf(type)))).toEqual(sorted(types));
  });

  // `npx vitest run --project integration test/acceptance/interface.test.ts -u` writes them again.
  it('equal those of COVERAGE.md', async () => {
    const [head] = (await readFile(COVERAGE, 'utf8')).split(TABLE_HEADING);
    await expect(`${head}${TABLE_HEADING}\n\n${printTables()}`).toMatchFileSnapshot(COVERAGE);
  });
});

function printTables(): string {
  const ofFields = (kind: string, rows: readonly Row<Behavior>[]) =>
    rows.map(({ field, name }) => [`${kind} \`${field}\``, name]);
  const rows = [
    ...REST_ROWS.map(({ route, name }) => [`\`${route}\``, name]),
    ...ofFields('query', QUERY_ROWS),
    ...ofFields('mutation', MUTATION_ROWS),
    ...ofFields('subscription', SUBSCRIPTION_ROWS),
    ...EVENT_ROWS.map(({ type, name }) => [`event \`${type}\``, name]),
  ];
  return ['| row | behavior |', '|---|---|', ...rows.map(([row, name]) => `| ${row} | ${name} |`), ''].join(
    '\n',
  );
}

// Loops instead of it.each, which cuts long names.
describe('REST', () => {
  for (const row of REST_ROWS) it(`${row.route} ${row.name}`, () => checkRest(row));
});

describe('GraphQL', () => {
  for (const row of QUERY_ROWS) it(`query ${row.field} ${row.name}`, () => checkGraphql(row));
  for (const row of MUTATION_ROWS) it(`mutation ${row.field} ${row.name}`, () => checkGraphql(row));
  for (const row of SUBSCRIPTION_ROWS)
    it(`subscription ${row.field} ${row.name}`, () => checkSubscription(row));
});

describe('an event', () => {
  const SUBSCRIBE =
    'subscription ($after: String) { events(after: $after) { __typename eventId type data } }';
  const samples = createSampleRecorder();
  /** Bodies of webhooks as documented in openapi.json. */
  let documented: Body;
  let socket: Awaited<ReturnType<Client['subscribe']>>;
  let stream: Awaited<ReturnType<Client['stream']>>;
  beforeAll(async () => {
    // A type without a sample has no example to document yet.
    if (!RECORDS_SAMPLES)
      documented = ((await (await fetch(`${client.baseUrl}/openapi.json`)).json()) as Body).webhooks;
    const input = { url: world.receiver.url('/all') };
    await client.graphql(CREATE_ENDPOINT, { input });
    const after = await client.headCursor();
    socket = await client.subscribe(SUBSCRIBE, { after });
    stream = await client.stream(SUBSCRIBE, { after });
  });
  afterAll(async () => {
    socket?.close();
    stream?.close();
    if (RECORDS_SAMPLES) await samples.write(client);
  });
  for (const row of EVENT_ROWS)
    it(`${row.type} ${row.name}, over WebSocket, as an event stream and to a webhook`, () => checkEvent(row));

  async function checkEvent({ type, cause, data }: EventRow): Promise<void> {
    const known = { ...world, ...(await cause(client, world)) };
    const { events } = await arrived(socket.results, {
      events: { type: enumNameOf(type), data: data(known) },
    });
    expect(events.__typename).toBe(typenameOf(type));
    await arrived(stream.results, { events });
    const { body } = await arrived(world.receiver.received, {
      path: '/all',
      headers: { 'webhook-id': events.eventId },
      body: { id: events.eventId, type, project_id: world.projectId, data: events.data },
    });
    if (RECORDS_SAMPLES) samples.record(body);
    else
      expect(shapeOf(body)).toEqual(
        shapeOf(documented[type].post.requestBody.content['application/json'].example),
      );
  }
});

/** The type's name in the schema, with underscores for dots. */
function enumNameOf(type: string): string {
  return type.toUpperCase().replaceAll('.', '_');
}

/** The object type of events of a type. Names of checks omit their subject. */
function typenameOf(type: string): string {
  const words = type
    .replace(/^verification\.(?=.*check)/, '')
    .replace('email.intelligence', 'email.check')
    .split(/[._]/);
  return `${words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')}Event`;
}

async function checkRest({
  route,
  given,
  params,
  request,
  status,
  keys,
  answer,
}: RouteBehavior & { route: string }): Promise<void> {
  const known = { ...world, ...(await given?.(client, world)) };
  const [method, template] = route.split(' ') as [string, string];
  const values: Record<string, string> = params?.(known) ?? {};
  const url = template.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(values[name]!));
  const reply = await client.rest(method, url, request?.(known));
  expect(reply.status, JSON.stringify(reply.body)).toBe(status);
  if (keys === '') return void expect(reply.body).toEqual(answer(known));
  expect(sorted(Object.keys(reply.body)).join(' ')).toBe(sorted(keys.split(' ')).join(' '));
  expect(reply.body).toMatchObject(answer(known));
}

async function checkGraphql(row: Row<Behavior>): Promise<void> {
  const { field, given, document, variables, answer, refused } = row;
  const known = { ...world, ...(await given?.(client, world)) };
  if (refused !== undefined) {
    const body = { query: document, variables: variables?.(known) ?? {} };
    const reply = await client.rest('POST', '/graphql', { body });
    expect(reply.body.errors[0].extensions.code).toBe(refused);
    return;
  }
  const data = await client.graphql(document, variables?.(known) ?? {});
  expect(Object.keys(data)).toEqual([field]);
  expect(data).toMatchObject({ [field]: answer(known) });
}

/** The first matching result; after the deadline the received results. */
async function arrived(received: readonly Body[], expected: Body): Promise<Body> {
  const matches = (value: Body) => {
    try {
      expect(value).toMatchObject(expected);
      return true;
    } catch {
      return false;
    }
  };
  const find = async () => received.find(matches);
  const found = await until('an event', find, 15_000).catch(() => null);
  if (!found) expect(received).toContainEqual(expected);
  return found;
}

async function checkSubscription(row: Row<SubscriptionBehavior>): Promise<void> {
  const { field, given, cause, document, variables, answer } = row;
  const prepared = { ...world, ...(await given?.(client, world)) };
  const after = await client.headCursor();
  const { results, close } = await client.subscribe(document, { after, ...variables?.(prepared) });
  const known = { ...prepared, ...(await cause(client, world, prepared)) };
  await arrived(results, { [field]: answer(known) });
  close();
}
