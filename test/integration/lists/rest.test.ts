import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { accounts, list, listsOf, membersOf } from '../../support/lists.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** An answer's status and message. */
async function say(method: string, path: string, body?: Body): Promise<[number, string]> {
  const answer = await project.rest(method, path, body);
  return [answer.status, answer.body.message];
}

/** A request whose path is sent unchanged: fetch would resolve dots. */
function raw(method: string, path: string, body = ''): Promise<{ status: number; body: Body }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const headers = { 'x-api-key': project.key, 'content-type': 'application/json' };
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const names = async () =>
  (await project.graphql('{ lists { edges { node { name } } } }')).lists.edges.map(
    ({ node }: Body) => node.name,
  );

describe('a list', () => {
  it('is created, changed, shown and deleted', async () => {
    const name = unique('vip');
    const created = await project.rest('POST', `/list/${name}`, { list_description: 'First' });
    expect(created.status).toBe(200);
    expect(created.body).toEqual({
      request_id: created.headers.get('x-request-id'),
      message: `List ${name} created`,
      success: true,
    });
    expect((await project.rest('GET', `/list/${name}`)).body).toMatchObject({
      description: 'First',
      accounts: [],
    });
    expect(await say('PATCH', `/list/${name}`, { list_description: 'Second' })).toEqual([
      200,
      `List ${name} updated`,
    ]);
    expect((await project.rest('GET', '/list')).body.lists).toContainEqual({ name, description: 'Second' });
    expect(await say('DELETE', `/list/${name}`)).toEqual([200, `List ${name} deleted`]);
    expect(await say('GET', `/list/${name}`)).toEqual([400, 'List not found']);
    expect(await say('DELETE', `/list/${name}`)).toEqual([400, 'List not found.']);
    expect(await say('PATCH', `/list/${name}`, { list_description: 'x' })).toEqual([400, 'List not found.']);
  });

  it('is created without a description or a body, once', async () => {
    const [bare, empty] = [unique('bare'), unique('empty')];
    expect(await say('POST', `/list/${bare}`)).toEqual([200, `List ${bare} created`]);
    expect(await say('POST', `/list/${empty}`, {})).toEqual([200, `List ${empty} created`]);
    expect(await say('POST', `/list/${bare}`, { list_description: 'x' })).toEqual([
      400,
      'List already exists.',
    ]);
    expect(await say('POST', '/list/block', {})).toEqual([400, 'List already exists.']);
    expect((await project.rest('GET', `/list/${bare}`)).body.description).toBe('');
  });

  it('keeps its description without a new one', async () => {
    const name = unique('kept');
    await project.rest('POST', `/list/${name}`, { list_description: 'Kept' });
    for (const body of [{}, { list_description: null }])
      expect((await say('PATCH', `/list/${name}`, body))[0]).toBe(200);
    expect((await project.rest('GET', `/list/${name}`)).body.description).toBe('Kept');
    await project.rest('PATCH', `/list/${name}`, { list_description: '' });
    expect((await project.rest('GET', `/list/${name}`)).body.description).toBe('');
  });

  it.each(['a b', 'Überprüfung', '%2F', 'x?y#z', '...', 'l'.repeat(128), 'account', 'move'])(
    'can be named %s',
    async (name) => {
      const path = `/list/${encodeURIComponent(name)}`;
      expect(await say('POST', path, {})).toEqual([200, `List ${name} created`]);
      expect((await project.rest('GET', path)).body.accounts).toEqual([]);
      expect(await names()).toContain(name);
    },
  );

  it.each([
    ['a slash', 'a%2Fb'],
    ['only a slash', '%2f'],
    ['129 characters', 'l'.repeat(129)],
    ['a dot', '.'],
    ['two dots', '..'],
    ['two encoded dots', '%2e%2E'],
    ['a line break', 'a%0Ab'],
    ['NUL', 'a%00b'],
    ['a C1 control character', 'a%C2%85b'],
  ])('cannot be named %s, on any route', async (_what, segment) => {
    const before = await names();
    const [account] = await accounts(project, 1);
    for (const [method, path, body] of [
      ['POST', '', '{}'],
      ['PATCH', '', '{"list_description":"x"}'],
      ['DELETE', '', ''],
      ['GET', '', ''],
      ['GET', '?limit=5', ''],
      ['POST', `/account/${account}`, ''],
      ['DELETE', `/account/${account}`, ''],
      ['POST', '/account/move', JSON.stringify({ account_ids: [account], target_list: 'allow' })],
    ] as const) {
      const answer = await raw(method, `/list/${segment}${path}`, body);
      expect(answer, `${method} ${path}`).toEqual({
        status: 400,
        body: { statusCode: 400, code: expect.any(String), message: expect.stringMatching(/\S/) },
      });
    }
    expect(await names()).toEqual(before);
  });

  it.each(['block', 'allow', 'main_account'])('that every project has is not deleted: %s', async (name) => {
    expect(await say('DELETE', `/list/${name}`)).toEqual([
      400,
      'block, allow and main_account cannot be deleted',
    ]);
    expect(await names()).toContain(name);
  });

  it.each([
    ['a number', { list_description: 5 }],
    ['1,025 characters', { list_description: 'd'.repeat(1025) }],
    ['NUL', { list_description: 'a\u0000b' }],
  ])('has no description of %s', async (_what, body) => {
    const name = unique('refused');
    expect((await say('POST', `/list/${name}`, body))[0]).toBe(400);
    expect(await membersOf(project, name)).toBeNull();
  });
});

describe('an account', () => {
  it('is added to a list and removed, any number of times', async () => {
    const name = await list(project);
    const [id] = await accounts(project, 1);
    const path = `/list/${name}/account/${id}`;
    for (let time = 0; time < 2; time += 1) {
      expect(await say('POST', path)).toEqual([200, `Account added to ${name}`]);
      expect(await membersOf(project, name)).toEqual([id]);
    }
    expect(await listsOf(project, id!)).toEqual([name]);
    for (let time = 0; time < 2; time += 1) {
      expect(await say('DELETE', path)).toEqual([200, `Account removed from ${name}`]);
      expect(await membersOf(project, name)).toEqual([]);
    }
  });

  it('is not created by adding it to a list, and neither is the list', async () => {
    const name = await list(project);
    const [id] = await accounts(project, 1);
    for (const method of ['POST', 'DELETE']) {
      expect(await say(method, `/list/${name}/account/nobody`)).toEqual([400, 'Account not found.']);
      expect(await say(method, `/list/${name}/account/${'x'.repeat(257)}`)).toEqual([
        400,
        'Account not found.',
      ]);
      expect(await say(method, `/list/no-such/account/${id}`)).toEqual([400, 'List not found.']);
      expect(await say(method, '/list/no-such/account/nobody')).toEqual([400, 'List not found.']);
    }
    expect(await membersOf(project, 'no-such')).toBeNull();
  });

  it.each([
    ['no body', '', {}],
    ['an empty object', '{}', { 'content-type': 'application/json' }],
    ['an empty form', '', { 'content-type': 'application/x-www-form-urlencoded' }],
  ])('with the id "move" is added and removed, with %s', async (_what, body, headers) => {
    const other = await gateway.project();
    await other.authenticate({ id: 'move', lists: ['watched'] });
    await other.rest('DELETE', '/list/watched/account/move');
    const path = '/list/watched/account/move';
    const added = await other.rest('POST', path, body, { 'idempotency-key': unique('key'), ...headers });
    expect([added.status, added.body.message]).toEqual([200, 'Account added to watched']);
    expect(await membersOf(other, 'watched')).toEqual(['move']);
    expect((await other.rest('DELETE', path)).status).toBe(200);
    expect(await membersOf(other, 'watched')).toEqual([]);
  });

  it('with the id "move" is moved like any other one', async () => {
    const other = await gateway.project();
    await other.authenticate({ id: 'move', lists: ['from', 'move'] });
    await other.rest('POST', '/list/target');
    const body = { account_ids: ['move'], target_list: 'target' };
    expect((await other.rest('POST', '/list/from/account/move', body)).body.moved).toBe(1);
    expect(await membersOf(other, 'target')).toEqual(['move']);
    expect((await other.rest('POST', '/list/move/account/move', body)).body.conflict).toBe(1);
    expect(await membersOf(other, 'move')).toEqual(['move']);
  });

  it('with the id "move" is not added by a request that moves accounts with a wrong body', async () => {
    const other = await gateway.project();
    await other.authenticate({ id: 'move', lists: ['from'] });
    for (const [body, field] of [
      [{ accounts: ['move'], target: 'block' }, 'account_ids'],
      [{ account_ids: ['move'] }, 'target_list'],
    ] as const) {
      const { status, body: answer } = await other.rest('POST', '/list/block/account/move', body);
      expect([status, answer.message]).toEqual([400, `${field}: required`]);
    }
    expect(await membersOf(other, 'block')).toEqual([]);
  });

  it('that does not exist is reported for the id "move" too', async () => {
    expect(await say('POST', '/list/block/account/move')).toEqual([400, 'Account not found.']);
  });

  it('with any id is reached', async () => {
    const name = await list(project);
    const id = `${unique('a/b c')}?ü`;
    await project.authenticate({ id });
    expect(await say('POST', `/list/${name}/account/${encodeURIComponent(id)}`)).toEqual([
      200,
      `Account added to ${name}`,
    ]);
    expect(await membersOf(project, name)).toEqual([id]);
  });

  it('is on at most one standard list, in addition to others', async () => {
    const name = await list(project);
    const [id] = await accounts(project, 1);
    await project.rest('POST', `/list/${name}/account/${id}`);
    for (const standard of ['block', 'allow', 'main_account', 'block']) {
      await project.rest('POST', `/list/${standard}/account/${id}`);
      expect(await listsOf(project, id!)).toEqual([standard, name].toSorted());
    }
  });
});

describe('the accounts of a list', () => {
  it('are all returned without a limit, the latest first, and in pages with one', async () => {
    const name = await list(project);
    const ids = await accounts(project, 7);
    for (const id of ids) await project.rest('POST', `/list/${name}/account/${id}`);
    const latest = ids.toReversed();
    const whole = (await project.rest('GET', `/list/${name}`)).body;
    expect(whole).toEqual({ request_id: expect.any(String), description: '', accounts: latest });

    const pages: Body[] = [];
    let next = '';
    do {
      const page = (await project.rest('GET', `/list/${name}?limit=3&cursor=${next}`)).body;
      pages.push(page.accounts);
      next = page.next_cursor;
    } while (next);
    expect(pages).toEqual([latest.slice(0, 3), latest.slice(3, 6), latest.slice(6)]);
    expect(next).toBeNull();
    const first = (await project.rest('GET', `/list/${name}?limit=3`)).body;
    const rest = (await project.rest('GET', `/list/${name}?cursor=${first.next_cursor}`)).body;
    expect(rest).toMatchObject({ accounts: latest.slice(3), next_cursor: null });
    expect((await project.rest('GET', `/list/${name}?limit=&cursor=`)).body).not.toHaveProperty(
      'next_cursor',
    );
  });

  it.each(['0', '-1', '1.5', '1001', 'x', '99999999999999999999'])(
    'cannot have %s in a page',
    async (limit) => {
      expect(await say('GET', `/list/block?limit=${limit}`)).toEqual([
        400,
        'limit: must be a whole number between 1 and 1000',
      ]);
    },
  );

  it('reject a made-up cursor and one of another list', async () => {
    const ids = await accounts(project, 2);
    const [one, other] = [await list(project, ids), await list(project, ids)];
    const { next_cursor } = (await project.rest('GET', `/list/${one}?limit=1`)).body;
    expect(next_cursor).toBeTypeOf('string');
    for (const cursor of ['made.up', next_cursor])
      expect(await say('GET', `/list/${other}?cursor=${cursor}`)).toEqual([
        400,
        'cursor: must be a cursor of an earlier response to the same query',
      ]);
  });
});

describe('moving accounts', () => {
  it('returns one row for each distinct id in the order sent, and counts', async () => {
    const [here, there, elsewhere] = await accounts(project, 3);
    const source = await list(project, [here!, there!]);
    const target = await list(project, [there!]);
    const account_ids = ['nobody', here, there, here, elsewhere, 'nobody'];
    const answer = await project.rest('POST', `/list/${source}/account/move`, {
      account_ids,
      target_list: target,
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      request_id: answer.headers.get('x-request-id'),
      success: true,
      results: [
        { account_id: 'nobody', outcome: 'not_found' },
        { account_id: here, outcome: 'moved' },
        { account_id: there, outcome: 'conflict' },
        { account_id: elsewhere, outcome: 'not_found' },
      ],
      moved: 1,
      conflict: 1,
      not_found: 2,
    });
    expect(await membersOf(project, source)).toEqual([there]);
    expect((await membersOf(project, target))!.toSorted()).toEqual([here, there].toSorted());
  });

  it('to a standard list conflicts with another one than the source', async () => {
    const [blocked, plain] = await accounts(project, 2);
    const source = await list(project, [blocked!, plain!]);
    await project.rest('POST', `/list/block/account/${blocked}`);
    const moving = (from: string, target_list: string) =>
      project.rest('POST', `/list/${from}/account/move`, { account_ids: [blocked, plain], target_list });
    expect((await moving(source, 'allow')).body).toMatchObject({ moved: 1, conflict: 1 });
    expect(await listsOf(project, blocked!)).toEqual(['block', source].toSorted());
    // From a standard list to another one it is an ordinary move.
    expect((await moving('block', 'main_account')).body).toMatchObject({ moved: 1, conflict: 1 });
    expect(await listsOf(project, blocked!)).toEqual([source, 'main_account'].toSorted());
    expect(await listsOf(project, plain!)).toEqual(['allow']);
  });

  it('accepts 1,000 accounts in one call', async () => {
    const [id] = await accounts(project, 1);
    const [source, target] = [await list(project, [id!]), await list(project)];
    const account_ids = [...Array.from({ length: 999 }, (_, index) => `nobody-${index}`), id];
    const { body } = await project.rest('POST', `/list/${source}/account/move`, {
      account_ids,
      target_list: target,
    });
    expect(body.results).toHaveLength(1000);
    expect(body).toMatchObject({ moved: 1, conflict: 0, not_found: 999 });
    expect(await membersOf(project, target)).toEqual([id]);
  });

  it.each<[string, Body, string?]>([
    ['no account', { account_ids: [] }],
    ['1,001 accounts', { account_ids: Array.from({ length: 1001 }, (_, index) => `x-${index}`) }],
    ['one account 1,001 times', { account_ids: Array.from({ length: 1001 }, () => 'x') }],
    ['accounts that are not a list', { account_ids: 'x' }],
    ['an account that is a number', { account_ids: [5] }],
    ['an empty account', { account_ids: [''] }],
    ['an account of 257 characters', { account_ids: ['x'.repeat(257)] }],
    ['missing accounts', { account_ids: undefined }],
    ['a missing target', { target_list: undefined }],
    ['a target that is a number', { target_list: 5 }],
    ['a target with a slash', { target_list: 'a/b' }],
    ['an unknown target', { target_list: 'no-such' }],
    ['an unknown source', {}, 'no-such'],
  ])('is rejected, and moves nothing: %s', async (_what, changes, from) => {
    const [id] = await accounts(project, 1);
    const [source, target] = [await list(project, [id!]), await list(project)];
    const body = { account_ids: [id], target_list: target, ...changes };
    const [status, message] = await say('POST', `/list/${from ?? source}/account/move`, body);
    expect([status, message]).toEqual([400, expect.stringMatching(/\S/)]);
    expect(await membersOf(project, source)).toEqual([id]);
    expect(await membersOf(project, target)).toEqual([]);
  });

  it('from a list to itself is rejected', async () => {
    const [id] = await accounts(project, 1);
    const source = await list(project, [id!]);
    const body = { account_ids: [id], target_list: source };
    expect(await say('POST', `/list/${source}/account/move`, body)).toEqual([
      400,
      'target_list: must be another list than the source',
    ]);
    expect(await membersOf(project, source)).toEqual([id]);
  });
});

describe('another project', () => {
  it('has neither the lists nor the accounts', async () => {
    const [id] = await accounts(project, 1);
    const name = await list(project, [id!]);
    const other = await gateway.project();
    const ask = async (method: string, path: string, body?: Body) =>
      (await other.rest(method, path, body)).body.message;
    expect(await ask('GET', `/list/${name}`)).toBe('List not found');
    expect(await ask('DELETE', `/list/${name}`)).toBe('List not found.');
    expect(await ask('POST', `/list/${name}/account/${id}`)).toBe('List not found.');
    expect(await ask('POST', `/list/block/account/${id}`)).toBe('Account not found.');
    const moved = await other.rest('POST', '/list/block/account/move', {
      account_ids: [id],
      target_list: 'allow',
    });
    expect(moved.body).toMatchObject({ moved: 0, not_found: 1 });
    expect((await other.rest('POST', `/list/${name}`, {})).status).toBe(200);
    expect(await membersOf(other, name)).toEqual([]);
    expect(await membersOf(project, name)).toEqual([id]);
  });
});

describe('a key of the role read', () => {
  it('reads lists and changes none', async () => {
    const [id] = await accounts(project, 1);
    const name = await list(project);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    const reader = project.withKey(key);
    for (const path of ['/list', `/list/${name}`]) expect((await reader.rest('GET', path)).status).toBe(200);
    for (const [method, path, body] of [
      ['POST', `/list/${unique('new')}`, {}],
      ['PATCH', `/list/${name}`, { list_description: 'x' }],
      ['DELETE', `/list/${name}`],
      ['POST', `/list/${name}/account/${id}`],
      ['DELETE', `/list/${name}/account/${id}`],
      ['POST', `/list/${name}/account/move`, { account_ids: [id], target_list: 'allow' }],
    ] as const) {
      const { status, body: answer } = await reader.rest(method, path, body);
      expect([status, answer.statusCode], path).toEqual([403, 403]);
    }
    expect(await membersOf(project, name)).toEqual([]);
  });
});
