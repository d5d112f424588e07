import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject, unique } from '../../support/gateway.ts';

/* Input of clients of every version, and its effect. */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const FIELDS = {
  email: 'ada@example.com',
  phone: '+14155552671',
  first_name: 'Ada',
  last_name: 'Lovelace',
  username: 'ada',
  expected_countries: ['FR'],
  metadata: { plan: 'free' },
  group: 'testers',
};

async function accountWith(fields: Record<string, unknown> = FIELDS): Promise<string> {
  const id = unique('lenient');
  await project.authenticate({ id, ...fields });
  return id;
}

const stored = async (id: string) => (await project.rest('GET', `/account/${id}`)).body.account;

describe('an absent field', () => {
  it.each([
    ['absent', {}],
    ['null', Object.fromEntries(Object.keys(FIELDS).map((field) => [field, null]))],
  ])('changes nothing: %s', async (_name, changes) => {
    const id = await accountWith();
    expect((await project.rest('PUT', `/account/${id}`, { id: null, ...changes })).status).toBe(200);
    await project.authenticate({ id, lists: null, ...changes });
    expect(await stored(id)).toEqual({ id, ...FIELDS });
  });

  it('changes nothing by GraphQL either', async () => {
    const id = await accountWith();
    await project.graphql(
      `mutation ($id: ID!) { updateAccount(input: { accountId: $id, email: null, phone: null, firstName: null,
        username: null, expectedCountries: null, metadata: null, group: null }) { requestId } }`,
      { id },
    );
    expect(await stored(id)).toEqual({ id, ...FIELDS });
  });

  it('is an empty list of countries', async () => {
    const id = await accountWith();
    await project.rest('PUT', `/account/${id}`, { expected_countries: [] });
    expect((await stored(id)).expected_countries).toEqual(['FR']);
    await project.rest('PUT', `/account/${id}`, { expected_countries: ['us', 'DE', 'US'] });
    expect((await stored(id)).expected_countries).toEqual(['US', 'DE']);
  });
});

describe('a present field', () => {
  it.each(['email', 'phone', 'first_name', 'last_name', 'username'])(
    'is cleared by an empty text, without affecting others: %s',
    async (field) => {
      const id = await accountWith();
      await project.rest('PUT', `/account/${id}`, { [field]: '' });
      expect(await stored(id)).toEqual({ id, ...FIELDS, [field]: '' });
    },
  );

  it('accepts an empty array for empty metadata', async () => {
    const id = await accountWith({ metadata: [] });
    expect((await stored(id)).metadata).toEqual({});
    await project.rest('PUT', `/account/${id}`, { metadata: { a: 1 } });
    await project.rest('PUT', `/account/${id}`, { metadata: [] });
    expect((await stored(id)).metadata).toEqual({ a: 1 });
  });

  it('is stored completely at its maximum length', async () => {
    const metadata = { deep: { 2: { 3: { 4: { 5: { 6: { 7: { 8: 1 } } } } } } }, long: '' };
    metadata.long = 'm'.repeat(16 * 1024 - JSON.stringify(metadata).length);
    const fields = {
      email: `${'e'.repeat(308)}@example.com`,
      phone: '1'.repeat(32),
      first_name: '🦉'.repeat(128),
      last_name: 'l'.repeat(256),
      username: 'u'.repeat(256),
      metadata,
    };
    const id = 'i'.repeat(256);
    await project.authenticate({ id, ...fields, lists: ['l'.repeat(128)] });
    expect(await stored(id)).toMatchObject(fields);
    expect((await project.rest('GET', `/account/${id}`)).body.lists).toEqual(['l'.repeat(128)]);
  });

  it('is stored even when it is not a valid email or phone', async () => {
    const id = await accountWith({ email: 'nobody', phone: 'call me' });
    const { body } = await project.rest('GET', `/account/${id}`);
    expect(body.account).toMatchObject({ email: 'nobody', phone: 'call me' });
    expect(body.email).toMatchObject({ email: 'nobody', valid: false, num_account_from_domain: 0 });
  });

  it('is stored with any special characters', async () => {
    const text = `Robert'); drop table accounts;-- \\ " \u2028 <b> \u202e 名 🦉 %00`;
    const id = await accountWith({ username: text, metadata: { [text]: text } });
    expect(await stored(id)).toMatchObject({ username: text, metadata: { [text]: text } });
  });
});

describe('an empty array as a body', () => {
  it('is an empty object when no field is required', async () => {
    const id = await accountWith();
    const updated = await project.rest('PUT', `/account/${id}`, '[]');
    expect([updated.status, updated.body.account]).toEqual([200, { id, ...FIELDS }]);
    const list = unique('list');
    expect((await project.rest('POST', `/list/${list}`, '[]')).status).toBe(200);
    expect((await project.rest('PATCH', `/list/${list}`, ' [ ] ')).status).toBe(200);
    const opened = await project.rest('POST', '/session', '[]');
    expect(opened.status).toBe(200);
    const session = await project.session({ open: true });
    expect((await project.rest('PATCH', `/session/${session}`, '[]')).status).toBe(200);
  });

  it.each(['[{}]', '[[]]', '[null]', '[1]'])('is rejected when it is not empty: %s', async (body) => {
    const id = await accountWith();
    const session = await project.session({ open: true });
    for (const [method, path] of [
      ['PUT', `/account/${id}`],
      ['POST', `/list/${unique('list')}`],
      ['PATCH', '/list/block'],
      ['POST', '/session'],
      ['PATCH', `/session/${session}`],
    ] as const) {
      const answer = await project.rest(method, path, body);
      expect(answer.body).toEqual({
        statusCode: 400,
        code: expect.any(String),
        message: 'Body must be a JSON object',
      });
    }
  });

  it('is rejected when a field is required', async () => {
    for (const path of ['/session/authenticate', '/session/unauthenticated', '/list/block/account/move']) {
      const { body } = await project.rest('POST', path, '[]');
      expect(body).toEqual({
        statusCode: 400,
        code: expect.any(String),
        message: 'Body must be a JSON object',
      });
    }
  });

  it('contains no project for a page', async () => {
    const { status } = await send(`${gateway.baseUrl}/session`, 'POST', '[]');
    expect(status).toBe((await send(`${gateway.baseUrl}/session`, 'POST', '{}')).status);
    expect(status).toBeGreaterThanOrEqual(400);
  });
});

describe('the description of a list', () => {
  const described = async (list: string) => (await project.rest('GET', `/list/${list}`)).body.description;
  const made = async () => {
    const list = unique('list');
    await project.rest('POST', `/list/${list}`, { list_description: 'at first' });
    return list;
  };

  it.each([
    [{ list_description: 'later' }, 'later'],
    [{ description: 'later' }, 'later'],
    [{ description: 'later', list_description: 'later' }, 'later'],
    [{ description: 'later', list_description: null }, 'later'],
    [{ description: null, list_description: 'later' }, 'later'],
    [{ description: '' }, ''],
    [{ description: null }, 'at first'],
    [{}, 'at first'],
  ])('is changed under either name: %j', async (body, expected) => {
    const list = await made();
    const answer = await project.rest('PATCH', `/list/${list}`, body);
    expect([answer.status, answer.body.message]).toEqual([200, `List ${list} updated`]);
    expect(await described(list)).toBe(expected);
  });

  it.each<[Record<string, unknown>, RegExp]>([
    [{ description: 'one', list_description: 'two' }, /^description: must equal list_description/],
    [{ description: '', list_description: 'two' }, /^description: must equal list_description/],
    [{ description: 'x'.repeat(1025) }, /^description: must be at most 1024 characters$/],
    [{ description: 5 }, /^description: must be text$/],
  ])('stays unchanged for an invalid value: %j', async (body, message) => {
    const list = await made();
    const answer = await project.rest('PATCH', `/list/${list}`, body);
    expect(answer.body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      message: expect.stringMatching(message),
    });
    expect(await described(list)).toBe('at first');
  });
});

describe('an unknown key', () => {
  it('is ignored at every level', async () => {
    const session_id = await project.session({ colour: 'red', device: { cpu_cores: 4, colour: 'red' } });
    const id = unique('lenient');
    const answer = await project.rest('POST', '/session/authenticate?colour=red', {
      session_id,
      colour: 'red',
      Session_id: 'x',
      account: { id, shoe_size: 44, Email: 'x@example.com', firstName: 'Ada' },
    });
    expect(answer.status).toBe(200);
    expect(await stored(id)).toMatchObject({ id, email: '', first_name: '', metadata: {} });
    expect((await project.rest('PUT', `/account/${id}`, { lists: ['block'], decision: 'Fake' })).status).toBe(
      200,
    );
    expect((await project.rest('GET', `/account/${id}`)).body).toMatchObject({ lists: [], decision: 'Real' });
  });
});

describe('a query value', () => {
  it.each([
    ['', false],
    ['?accounts_linked', false],
    ['?accounts_linked=', false],
    ['?accounts_linked=false', false],
    ['?accounts_linked=0', false],
    ['?accounts_linked=true', true],
    ['?accounts_linked=1', true],
  ])('adds the linked accounts only when it is on: %j', async (query, isOn) => {
    const session_id = await project.session();
    const body = { session_id, account: { id: unique('query') } };
    const answers = [
      await project.rest('POST', `/session/unauthenticated${query}`, { session_id }),
      await project.rest('POST', `/session/authenticate${query}`, body),
    ];
    for (const answer of answers) {
      expect(answer.status).toBe(200);
      expect('linked_accounts' in answer.body).toBe(isOn);
      expect(answer.body.accounts_linked).toBe(0);
    }
  });
});
