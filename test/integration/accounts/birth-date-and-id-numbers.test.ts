import { sha256 } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { createLogger } from '@vouchgraph/platform/logger';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs, tablesOf } from '../../support/sql.ts';

/* The date of birth and the id numbers of an account, over every interface. */

let gateway: Gateway;
let project: TestProject;
let system: pg.Client;
const logged: string[] = [];

beforeAll(async () => {
  const log = createLogger('trace', { write: (line) => void logged.push(line) });
  gateway = await startGateway({ worksInBackground: false, log });
  project = await gateway.project();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

const BORN = '1987-06-05';
const number = (over: Body = {}) => ({
  type: 'passport',
  value: `C${unique('').replaceAll(/[^a-z0-9]/gi, '')}`,
  country: 'DE',
  ...over,
});
const read = (id: string, client = project) => client.rest('GET', `/account/${id}`);
const write = (id: string, fields: unknown, client = project) => client.rest('PUT', `/account/${id}`, fields);
const stored = async (id: string): Promise<Body> => {
  const { account } = await project.graphql(
    'query ($id: ID!) { account(accountId: $id) { dateOfBirth idNumbers { type country } } }',
    { id },
  );
  return account;
};
const withoutRequestId = (text: string) => text.replace(/"request_id":"[^"]*"/, '');

const BLOCK = [
  'id',
  'email',
  'phone',
  'first_name',
  'last_name',
  'username',
  'expected_countries',
  'metadata',
  'group',
];

describe('an account without date of birth and id numbers', () => {
  it('has the same keys in the same order as before', async () => {
    const id = unique('plain');
    const answer = await project.authenticate({ id });
    expect(Object.keys(answer.account.account)).toEqual(BLOCK);
    expect(JSON.stringify(answer)).not.toMatch(/birth|identifiers|id_numbers/);
    for (const body of [(await write(id, {})).body, (await read(id)).body])
      expect(Object.keys(body.account)).toEqual(BLOCK);
    expect(await stored(id)).toEqual({ dateOfBirth: null, idNumbers: [] });
  });

  it('has the same bytes again after their removal', async () => {
    const id = unique('removed');
    await project.authenticate({ id, username: id });
    const before = withoutRequestId((await read(id)).text);
    await write(id, { date_of_birth: BORN, identifiers: [number()] });
    expect(withoutRequestId((await read(id)).text)).not.toBe(before);
    await write(id, { date_of_birth: '', identifiers: [] });
    expect(withoutRequestId((await read(id)).text)).toBe(before);
  });

  it('needs as many statements as an account with a date of birth', async () => {
    const statementsOf = async (account: Body) => {
      const session_id = await project.session();
      gateway.takeStatements();
      await project.rest('POST', '/session/authenticate', { session_id, account });
      // The key is read again when its copy is older than a few seconds.
      return gateway.takeStatements().filter((name) => name !== 'set_project' && name !== 'key.find');
    };
    const id = unique('statements');
    const plain = await statementsOf({ id, username: id });
    const again = unique('statements');
    expect(await statementsOf({ id: again, username: again, date_of_birth: BORN })).toEqual(plain);
  });
});

describe('REST', () => {
  it('returns the date of birth in the account block, and id numbers in no response', async () => {
    const id = unique('rest');
    const identifiers = [
      number(),
      number({ type: 'tax_id', country: 'fr' }),
      number({ type: 'other', country: '' }),
    ];
    const answer = await project.authenticate({ id, date_of_birth: BORN, identifiers });
    expect(Object.keys(answer.account.account)).toEqual([...BLOCK, 'date_of_birth']);
    const answers = [answer.account, (await read(id)).body, (await write(id, { identifiers })).body];
    for (const body of answers) {
      expect(body.account.date_of_birth).toBe(BORN);
      for (const { value } of identifiers) expect(JSON.stringify(body)).not.toContain(value);
    }
    expect(await stored(id)).toEqual({
      dateOfBirth: BORN,
      idNumbers: [
        { type: 'PASSPORT', country: 'DE' },
        { type: 'TAX_ID', country: 'FR' },
        { type: 'OTHER', country: null },
      ],
    });
  });

  it('keeps both for absent and null values, and removes them for empty values', async () => {
    const id = unique('removes');
    await project.authenticate({ id, date_of_birth: BORN, identifiers: [number()] });
    await write(id, { username: id });
    await write(id, { date_of_birth: null, identifiers: null });
    await project.authenticate({ id, date_of_birth: null, identifiers: null });
    expect(await stored(id)).toEqual({
      dateOfBirth: BORN,
      idNumbers: [{ type: 'PASSPORT', country: 'DE' }],
    });
    const { body } = await write(id, { date_of_birth: '' });
    expect(body.account).not.toHaveProperty('date_of_birth');
    expect((await stored(id)).idNumbers).toHaveLength(1);
    await write(id, { identifiers: [] });
    expect(await stored(id)).toEqual({ dateOfBirth: null, idNumbers: [] });
  });

  it('replaces the list of numbers, with each number once', async () => {
    const id = unique('replaces');
    const passport = number({ value: 'C01X00T47' });
    await project.authenticate({ id, identifiers: [passport, number({ type: 'tax_id' })] });
    await write(id, { identifiers: [passport, { ...passport, value: 'c01-x00 t47' }, number()] });
    expect((await stored(id)).idNumbers).toEqual([
      { type: 'PASSPORT', country: 'DE' },
      { type: 'PASSPORT', country: 'DE' },
    ]);
  });

  const TYPES =
    'must be one of passport, driver_license, national_id, residence_permit, tax_id, social_security, other';
  it.each([
    [{ date_of_birth: '05.06.1987' }, 'date_of_birth: must be a date in the format YYYY-MM-DD'],
    [{ date_of_birth: '1987-02-29' }, 'date_of_birth: must be an existing date in the format YYYY-MM-DD'],
    [{ date_of_birth: '1899-12-31' }, 'date_of_birth: must not be before 1900'],
    [{ date_of_birth: '2999-01-01' }, 'date_of_birth: must not be in the future'],
    [{ date_of_birth: 19870605 }, 'date_of_birth: must be a date in the format YYYY-MM-DD'],
    [{ identifiers: 'C01X00T47' }, 'identifiers: must be a list'],
    [{ identifiers: ['C01X00T47'] }, 'identifiers.0: must be an object'],
    [{ identifiers: [{ value: 'C01X00T47' }] }, `identifiers.0.type: ${TYPES}`],
    [{ identifiers: [{ type: 'library', value: 'C01X00T47' }] }, `identifiers.0.type: ${TYPES}`],
    [{ identifiers: [{ type: 'passport' }] }, 'identifiers.0.value: required'],
    [{ identifiers: [{ type: 'passport', value: 120047 }] }, 'identifiers.0.value: must be text'],
    [
      { identifiers: [{ type: 'passport', value: ' 4-7 ' }] },
      'identifiers.0.value: must have at least 3 letters or digits',
    ],
    [
      { identifiers: [{ type: 'passport', value: 'C'.repeat(65) }] },
      'identifiers.0.value: must be at most 64 characters',
    ],
    [
      { identifiers: [{ type: 'passport', value: 'C01X00T47', country: 'UK' }] },
      'identifiers.0.country: must be an ISO 3166-1 alpha-2 country code: use GB',
    ],
    [
      { identifiers: Array.from({ length: 11 }, (_, n) => number({ value: `C01X00T${n}` })) },
      'identifiers: must have at most 10 entries',
    ],
  ])('returns 400 for %j and changes nothing', async (fields, message) => {
    const [id, unknown] = [unique('bad'), unique('unknown')];
    await project.authenticate({ id, date_of_birth: BORN, identifiers: [number()] });
    const before = withoutRequestId((await read(id)).text);
    expect((await write(id, { username: 'changed', ...fields })).body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      message,
    });
    const session_id = await project.session();
    const { body } = await project.rest('POST', '/session/authenticate', {
      session_id,
      account: { id: unknown, ...fields },
    });
    expect(body).toEqual({ statusCode: 400, code: expect.any(String), message: `account.${message}` });
    expect(withoutRequestId((await read(id)).text)).toBe(before);
    expect((await read(unknown)).status).toBe(400);
    expect((await stored(id)).idNumbers).toHaveLength(1);
  });

  it('stores the fields of two concurrent requests', async () => {
    const id = unique('race');
    await project.authenticate({ id });
    const answers = await Promise.all([
      write(id, { date_of_birth: BORN }),
      write(id, { identifiers: [number()] }),
      write(id, { first_name: 'Ada' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await stored(id)).toEqual({ dateOfBirth: BORN, idNumbers: [{ type: 'PASSPORT', country: 'DE' }] });
    expect((await read(id)).body.account.first_name).toBe('Ada');
  });

  it('does not read or change them with the key of another project', async () => {
    const other = await gateway.project();
    const id = unique('foreign');
    await project.authenticate({ id, date_of_birth: BORN });
    expect((await write(id, { date_of_birth: '' }, other)).body.message).toBe('Account not found');
    expect((await read(id, other)).text).not.toContain(BORN);
    await other.authenticate({ id });
    expect((await read(id, other)).body.account).not.toHaveProperty('date_of_birth');
    expect((await read(id)).body.account.date_of_birth).toBe(BORN);
  });
});

const UPDATE = `mutation ($input: UpdateAccountInput!) {
  updateAccount(input: $input) { account { dateOfBirth idNumbers { type country } } } }`;

describe('GraphQL', () => {
  const update = (input: Body) => project.rawGraphql(UPDATE, { input });

  it('sets, keeps and removes both', async () => {
    const id = unique('graphql');
    const authenticated = await project.graphql(
      `mutation ($input: AuthenticateSessionInput!) {
         authenticateSession(input: $input) { account { dateOfBirth idNumbers { type country } } } }`,
      {
        input: {
          sessionId: await project.session(),
          account: {
            accountId: id,
            dateOfBirth: BORN,
            identifiers: [{ type: 'SOCIAL_SECURITY', value: '219-09-1234', country: 'us' }],
          },
        },
      },
    );
    const expected = { dateOfBirth: BORN, idNumbers: [{ type: 'SOCIAL_SECURITY', country: 'US' }] };
    expect(authenticated.authenticateSession.account).toEqual(expected);
    const steps: [Body, Body][] = [
      [{ username: id }, expected],
      [{ dateOfBirth: null, identifiers: null }, expected],
      [{ dateOfBirth: '' }, { ...expected, dateOfBirth: null }],
      [{ identifiers: [] }, { dateOfBirth: null, idNumbers: [] }],
    ];
    for (const [fields, account] of steps)
      expect((await update({ accountId: id, ...fields })).body.data.updateAccount.account).toEqual(account);
  });

  it('never quotes a number in an error, in a separate variable, in a filter, or in place of its type', async () => {
    const secret = 'K8675309; at "144"';
    const one =
      'mutation ($n: IdNumberInput!) { updateAccount(input: {accountId: "a", identifiers: [$n]}) { __typename } }';
    const all = one.replace('IdNumberInput!', '[IdNumberInput!]').replace('[$n]', '$n');
    const find = 'query ($n: AccountFilter) { accounts(filter: $n) { edges { cursor } } }';
    const good = { type: 'PASSPORT', value: secret };
    const bad: [string, unknown, RegExp][] = [
      [one, { value: secret }, /^Variable "\$n" got invalid value; Field "type" of required type/],
      [one, { ...good, typ: 1 }, /^Variable "\$n" got invalid value; Field "typ" is not defined/],
      [one, secret, /^Variable "\$n" got invalid value; Expected type "IdNumberInput"/],
      [
        one,
        { type: secret, value: secret },
        /value at "n\.type"; Value does not exist in "IdNumberType" enum/,
      ],
      [
        one,
        { type: [secret], value: secret },
        /at "n\.type"; Enum "IdNumberType" cannot represent non-string value/,
      ],
      [all, [good, { value: secret }], /^Variable "\$n" got invalid value at "n\[1\]"; Field "type"/],
      [all, [[good]], /at "n\[0\]"; Expected type "IdNumberInput"/],
      [find, { nope: 1, idNumber: good }, /^Variable "\$n" got invalid value; Field "nope" is not defined/],
      [
        `{ accounts(filter: {idNumber: {type: K8675309, value: "1"}}) { edges { cursor } } }`,
        null,
        /Value does not exist in/,
      ],
      [
        `{ accounts(filter: {idNumber: {type: "K8675309", value: "1"}}) { edges { cursor } } }`,
        null,
        /cannot represent non-enum value/,
      ],
    ];
    for (const [query, n, message] of bad) {
      const { body, text } = await project.rawGraphql(query, { n });
      expect(body.errors.map((error: Body) => error.message)).toContainEqual(expect.stringMatching(message));
      expect(text).not.toContain('8675309');
    }
  });

  it('names the field in an error, changes nothing and never quotes a number', async () => {
    const id = unique('graphql');
    await project.authenticate({ id, date_of_birth: BORN, identifiers: [number()] });
    const secret = '8675309144';
    const good = { type: 'PASSPORT', value: secret };
    const bad: [Body, RegExp][] = [
      [{ dateOfBirth: '1987-02-30' }, /dateOfBirth: must be an existing date in the format YYYY-MM-DD/],
      [{ identifiers: [{ ...good, country: 'XX' }] }, /identifiers\.0\.country: must be an ISO 3166-1/],
      [{ identifiers: [{ ...good, value: Number(secret) }] }, /identifiers\.0\.value: must have at least 3/],
      [{ identifiers: [{ ...good, value: `${secret} `.repeat(6) }] }, /must be at most 64 characters/],
      [{ identifiers: [{ ...good, typ: 1 }] }, /at "input\.identifiers\[0\]"; Field "typ" is not defined/],
      [{ identifiers: [{ value: secret }] }, /at "input\.identifiers\[0\]"; Field "type"/],
      [{ identifiers: [secret] }, /at "input\.identifiers\[0\]"; Expected type "IdNumberInput"/],
      [{ identifiers: secret }, /Expected type "IdNumberInput"/],
      [{ identifiers: Array(11).fill(good) }, /identifiers: must have at most 10/],
    ];
    for (const [fields, message] of bad) {
      const { body, text } = await update({ accountId: id, username: 'changed', ...fields });
      expect(body.errors[0].message).toMatch(message);
      expect(text).not.toContain(secret);
    }
    for (const literal of [`"${secret}"`, `["${secret}"]`, `[{type: PASSPORT, value: ${secret}}]`, secret]) {
      const { body, text } = await project.rawGraphql(
        `mutation { updateAccount(input: {accountId: "${id}", identifiers: ${literal}}) { requestId } }`,
      );
      expect(body.errors).toHaveLength(1);
      expect(text).not.toContain(secret);
    }
    expect((await read(id)).body.account).toMatchObject({ username: '', date_of_birth: BORN });
    expect((await stored(id)).idNumbers).toEqual([{ type: 'PASSPORT', country: 'DE' }]);
  });
});

describe('the database', () => {
  /** Every table's rows as text, with the bytes in them read as text. */
  async function everything(): Promise<string> {
    const texts: string[] = [];
    for (const table of await tablesOf(system)) {
      const { rows } = await system.query(`select t::text as row from ${table} t`);
      for (const { row } of rows) {
        const bytes = [...row.matchAll(/\\x([0-9a-f]+)/g)].map(([, hex]) => Buffer.from(hex, 'hex'));
        texts.push(row, ...bytes.map((each) => each.toString('latin1')));
      }
    }
    return texts.join('\n').toLowerCase();
  }

  it('contains no number and no date in clear text, and no hash that can be computed without the key', async () => {
    const id = unique('sealed');
    const secret = number({ value: `Q${Date.now()}Z` });
    const born = '1911-03-29';
    const body = JSON.stringify({ date_of_birth: born, identifiers: [secret] });
    const headers = { 'idempotency-key': unique('once') };
    await project.authenticate({ id, date_of_birth: born, identifiers: [secret] });
    await project.rest('PUT', `/account/${id}`, body);
    const session_id = await project.session();
    const post = JSON.stringify({ session_id, account: { id, identifiers: [secret] } });
    const first = await project.rest('POST', '/session/authenticate', post, headers);
    const second = await project.rest('POST', '/session/authenticate', post, headers);
    expect([first.status, second.text]).toEqual([200, first.text]);
    const rows = await everything();
    // Without text matchers: a failure would print the whole database.
    expect(rows.includes(id)).toBe(true);
    for (const form of [secret.value, Buffer.from(secret.value).toString('base64'), born])
      expect(rows.includes(form.toLowerCase()), form).toBe(false);
    for (const text of [post, body, secret.value])
      expect(rows.includes(sha256(text).toString('latin1').toLowerCase()), text).toBe(false);
    expect(logged.join('\n')).not.toContain(secret.value);
  });

  it('contains nothing of an erased account', async () => {
    const id = unique('erased');
    await project.authenticate({ id, date_of_birth: BORN, identifiers: [number()] });
    const { rows } = await system.query('select id from accounts where account_id = $1', [id]);
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    await gateway.app.recalculateLinks(project.projectId);
    const text = await everything();
    expect([id, rows[0].id].filter((trace) => text.includes(trace))).toEqual([]);
    await project.authenticate({ id });
    expect(await stored(id)).toEqual({ dateOfBirth: null, idNumbers: [] });
  });
});

describe('events contain', () => {
  it('the date of birth if it is known, and never id numbers', async () => {
    const id = unique('events');
    const secret = number();
    await project.authenticate({ id, identifiers: [secret] });
    await write(id, { date_of_birth: BORN });
    await write(id, { date_of_birth: '' });
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      `query ($id: ID) { events(accountId: $id, first: 100) { edges { node { type data } } } }`,
      { id },
    );
    const nodes = events.edges.map(({ node }: Body) => node);
    const changes = nodes.filter(({ type }: Body) =>
      ['ACCOUNT_AUTHENTICATED', 'ACCOUNT_UPDATED'].includes(type),
    );
    expect(changes.map(({ data }: Body) => data.account.date_of_birth)).toEqual([undefined, BORN, undefined]);
    expect(Object.keys(changes[0].data.account)).toEqual(BLOCK);
    expect(JSON.stringify(nodes)).not.toMatch(new RegExp(`${secret.value}|identifiers|idNumbers`));
  });
});

it('rules read the age from the date of birth, and null without one', async () => {
  const client = await gateway.project();
  await client.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { requestId } }', {
    input: {
      name: 'young',
      trigger: 'ANY_SESSION',
      expression: 'account.holder_age < 18',
      actions: [{ addToList: 'block' }],
      state: 'ENABLED',
    },
  });
  const start_time = '2026-03-10T12:00:00.000Z';
  const listsOf = async (date_of_birth?: string) =>
    (await client.authenticate({ id: unique('aged'), date_of_birth }, { start_time })).lists;
  expect(await listsOf('2008-03-11')).toEqual(['block']);
  expect(await listsOf('2008-03-10')).toEqual([]);
  expect(await listsOf()).toEqual([]);
  // After the session: the age is 0, not unknown.
  expect(await listsOf('2026-03-11')).toEqual(['block']);
});

describe.each([
  ['now', () => new Date()],
  ['years ago', () => new Date('2003-05-06T12:00:00Z')],
  ['in years', () => new Date('2091-05-06T12:00:00Z')],
])('a date of birth in the future of a gateway whose clock is %s', (_when, now) => {
  let gateway: Gateway;
  let project: TestProject;
  const start = now();
  const dayIn = (days: number) => new Date(start.getTime() + days * 86_400_000).toISOString().slice(0, 10);
  const future = () => dayIn(2);
  beforeAll(async () => {
    gateway = await startGateway({ clock: new TestClock(start), worksInBackground: false });
    project = await gateway.project();
  });
  afterAll(() => gateway.close());

  it('is refused by every request, so that no rule about the age is avoided', async () => {
    const id = unique('future');
    await project.authenticate({ id });
    const refused = 'date_of_birth: must not be in the future';
    const update = await project.rest('PUT', `/account/${id}`, { date_of_birth: future() });
    expect([update.status, update.body.message]).toEqual([400, refused]);
    const session_id = await project.session();
    const account = { id, date_of_birth: future() };
    const { status, body } = await project.rest('POST', '/session/authenticate', { session_id, account });
    expect([status, body.message]).toEqual([400, `account.${refused}`]);
    for (const [field, input] of [
      ['updateAccount', { accountId: id, dateOfBirth: future() }],
      ['authenticateSession', { sessionId: session_id, account: { accountId: id, dateOfBirth: future() } }],
    ] as const) {
      const type = `${field[0]!.toUpperCase()}${field.slice(1)}Input`;
      const query = `mutation ($input: ${type}!) { ${field}(input: $input) { requestId } }`;
      const { errors } = (await project.rawGraphql(query, { input })).body;
      expect(errors[0].message).toMatch(/dateOfBirth: must not be in the future$/);
    }
    const { domain, storage } = gateway.app.parts;
    const owner = (await storage.access.findProjectById(project.projectId))!;
    const viewer = {
      project: owner,
      kind: 'key' as const,
      actor: 'command line',
      role: 'operator' as const,
      limitKey: '',
      token: null,
    };
    const store = domain.services.accounts.openImport(viewer, newId(), { batches: 1 });
    await expect(store({ id, dateOfBirth: future() })).rejects.toMatchObject({ message: refused });
    expect((await project.rest('GET', `/account/${id}`)).body.account.date_of_birth).toBeUndefined();
    // The day of the clock is accepted by every one.
    const today = dayIn(0);
    await store({ id, dateOfBirth: today });
    expect((await project.rest('PUT', `/account/${id}`, { date_of_birth: today })).status).toBe(200);
    await project.authenticate({ id: unique('born'), date_of_birth: today });
  });
});
