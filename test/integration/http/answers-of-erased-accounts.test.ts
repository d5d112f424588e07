import { createLogger } from '@vouchgraph/platform/logger';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import {
  type Answer,
  type Body,
  type Gateway,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { costOf, tripsOf } from '../../support/trips.ts';

let gateway: Gateway;
let project: TestProject;
let owner: pg.Client;
const logged: string[] = [];

beforeAll(async () => {
  const write = (line: string) => void logged.push(line);
  gateway = await startGateway({ worksInBackground: false, log: createLogger('error', { write }) });
  project = await gateway.project();
  owner = await connectAs(gateway.database, 'owner');
  // Writes of the gateway wait while another transaction holds this lock.
  await owner.query(`
    create function wait_for_test() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock(4711); return new; end $$;
    create trigger wait_for_test before update on idempotency_keys
      for each row when (new.state = 'done' and old.state <> 'done') execute function wait_for_test()`);
});
afterAll(async () => {
  await owner.end();
  await gateway.close();
});

const system = (text: string, values: readonly unknown[] = []): Promise<Body[]> =>
  gateway.app.database.system.query({ name: `test.${text.slice(0, 58)}`, text }, values);

/** Sends the same request under one key each time. */
function keyed(path: string, body: unknown, client = project): () => Promise<Answer> {
  const headers = { 'idempotency-key': unique('key') };
  return () => client.rest('POST', path, body, headers);
}

const mutation = (query: string, variables: Body) =>
  keyed('/graphql', { query: `mutation ${query}`, variables });

const erase = (id: string, client = project) => client.rest('DELETE', `/account/${encodeURIComponent(id)}`);

const stored = ({ projectId } = project) =>
  system('select * from idempotency_keys where project_id = $1 and body is not null', [projectId]);

async function expectErased(
  ask: () => Promise<Answer>,
  first: Answer,
  traces: readonly string[],
): Promise<void> {
  const after = await ask();
  expect(after.status, after.text).toBe(409);
  const requestId = first.headers.get('x-request-id')!;
  expect(after.headers.get('x-request-id')).toBe(requestId);
  expect(after.text).toContain(requestId);
  for (const trace of traces) expect(after.text).not.toContain(trace);
}

/** Sends a request while responses cannot be stored; `meanwhile` runs before the response is stored. */
async function storedLate(ask: () => Promise<Answer>, meanwhile: () => Promise<unknown>): Promise<Answer> {
  await owner.query('select pg_advisory_lock(4711)');
  const answer = ask();
  const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event = 'advisory'
                 and query like '%idempotency_keys%'`;
  await until('the answer to be stored', async () => (await owner.query(waits)).rowCount);
  await meanwhile();
  await owner.query('select pg_advisory_unlock(4711)');
  return answer;
}

describe('after its account was erased, a stored response is not repeated', () => {
  it('of updateAccount by GraphQL', async () => {
    const [id, phone] = [unique('erased'), '+14155552671'];
    await project.authenticate({ id });
    const ask = mutation(
      '($input: UpdateAccountInput!) { updateAccount(input: $input) { account { phone } } }',
      { input: { accountId: id, phone } },
    );
    const first = await ask();
    expect(first.body.data.updateAccount.account.phone).toBe(phone);
    expect((await ask()).text).toBe(first.text);
    await erase(id);
    await expectErased(ask, first, [phone]);
  });

  it('of POST /session/unauthenticated, also when the session was bound afterwards', async () => {
    const id = unique('erased');
    const session_id = await project.session({ ip_address: '90.54.1.1' });
    const ask = keyed('/session/unauthenticated', { session_id });
    const first = await ask();
    expect(first.body.session.session_id ?? first.body.session_id).toBe(session_id);
    await project.rest('POST', '/session/authenticate', { session_id, account: { id } });
    await erase(id);
    await expectErased(ask, first, [session_id]);
  });

  it('of another account that names the erased one as linked', async () => {
    const [id, other, username] = [unique('erased'), unique('other'), unique('shared')];
    await project.authenticate({ id, username });
    const session_id = await project.session();
    const ask = keyed('/session/authenticate?accounts_linked=true', {
      session_id,
      account: { id: other, username },
    });
    const first = await ask();
    expect(first.text).toContain(id);
    await erase(id);
    await expectErased(ask, first, [id]);
  });

  it('of an authenticate that was being stored meanwhile, and the account is not created again', async () => {
    const [id, email] = [unique('erased'), `${unique('erased')}@example.com`];
    const ask = keyed('/session/authenticate', {
      session_id: await project.session(),
      account: { id, email },
    });
    const first = await storedLate(ask, async () => expect((await erase(id)).status).toBe(200));
    expect(first.status).toBe(200);
    await expectErased(ask, first, [email]);
    expect((await project.rest('GET', `/account/${id}`)).status).toBe(400);
  });

  it('of an account that was created again with the same id', async () => {
    const id = unique('phoenix');
    const email = `${id}@example.com`;
    const ask = keyed('/session/authenticate', {
      session_id: await project.session(),
      account: { id, email },
    });
    const first = await storedLate(ask, async () => {
      await erase(id);
      await project.authenticate({ id });
    });
    await expectErased(ask, first, [email]);
  });

  it('and its encrypted body is deleted in the same transaction', async () => {
    const own = await gateway.project();
    const id = unique('erased');
    const session_id = await own.session();
    await keyed('/session/authenticate', { session_id, account: { id } }, own)();
    expect(await stored(own)).toHaveLength(1);
    await erase(id, own);
    expect(await stored(own)).toHaveLength(0);
    expect(await system('select 1 from idempotency_subjects where project_id = $1', [own.projectId])).toEqual(
      [],
    );
  });
});

describe('erasing an account keeps the responses of others', () => {
  it.each(['Real', 'web', 'FR', 'true', '1'])('whose text contains its id as %s', async (id) => {
    const own = await gateway.project();
    const session_id = await own.session({ ip_address: '90.54.1.1', source: 'web' });
    const ask = keyed('/session/authenticate', { session_id, account: { id: unique('other') } }, own);
    const first = await ask();
    expect(first.status).toBe(200);
    await own.authenticate({ id });
    expect((await erase(id, own)).status).toBe(200);
    expect((await ask()).text).toBe(first.text);
  });

  it('of the same account id in another project', async () => {
    const [ours, theirs] = [await gateway.project(), await gateway.project()];
    const id = unique('both');
    const ask = keyed(
      '/session/authenticate',
      { session_id: await theirs.session(), account: { id } },
      theirs,
    );
    const wide = keyed('/session/unauthenticated', { session_id: 'unknown' }, theirs);
    const [first, refused] = [await ask(), await wide()];
    await ours.authenticate({ id });
    await erase(id, ours);
    expect((await ask()).text).toBe(first.text);
    expect((await wide()).text).toBe(refused.text);
  });

  it('of accounts that are erased at the same time as others', async () => {
    const own = await gateway.project();
    const ids = Array.from({ length: 6 }, () => unique('erased'));
    const asked = await Promise.all(
      ids.map(async (id) => {
        const ask = keyed('/session/authenticate', { session_id: await own.session(), account: { id } }, own);
        return { id, ask, first: await ask() };
      }),
    );
    const [kept, ...gone] = asked;
    const erased = await Promise.all(gone.map(({ id }) => erase(id, own)));
    expect(erased.map(({ status }) => status)).toEqual(gone.map(() => 200));
    expect((await kept!.ask()).text).toBe(kept!.first.text);
    for (const { id, ask, first } of gone) await expectErased(ask, first, [id]);
  });
});

describe('a wide response', () => {
  /** An error can quote any data. */
  const refusal = (client: TestProject) =>
    keyed('/session/unauthenticated', { session_id: unique('unknown') }, client);

  it('is erased with any account of the project, and repeated until then', async () => {
    const own = await gateway.project();
    const ask = refusal(own);
    const first = await ask();
    expect((await ask()).text).toBe(first.text);
    const id = unique('erased');
    await own.authenticate({ id });
    await erase(id, own);
    await expectErased(ask, first, []);
    expect(await stored(own)).toHaveLength(0);
  });

  it('contains data of more than 50 accounts', async () => {
    const own = await gateway.project();
    const ids = Array.from({ length: 51 }, () => unique('member'));
    await own.graphql('mutation ($name: String!) { createList(input: { name: $name }) { requestId } }', {
      name: 'all',
    });
    await own.authenticateAll(ids.map((id) => ({ id })));
    const stranger = unique('stranger');
    await own.authenticate({ id: stranger });
    const add = (accountIds: string[]) =>
      keyed(
        '/graphql',
        {
          query: `mutation ($input: AddAccountsToListInput!) { addAccountsToList(input: $input) { results { accountId } } }`,
          variables: { input: { list: 'all', accountIds } },
        },
        own,
      );
    const [wide, narrow] = [add(ids), add(ids.slice(0, 50))];
    const [first, kept] = [await wide(), await narrow()];
    expect(first.body.errors).toBeUndefined();
    await erase(stranger, own);
    await expectErased(wide, first, ids);
    expect((await narrow()).text).toBe(kept.text);
  });

  it('that is stored while an account is erased is not repeated', async () => {
    const own = await gateway.project();
    const [ask, id] = [refusal(own), unique('erased')];
    await own.authenticate({ id });
    const first = await storedLate(ask, () => erase(id, own));
    await expectErased(ask, first, []);
  });

  it('that one erasure did not reach is deleted by the next, even when that finds no account', async () => {
    const own = await gateway.project();
    await refusal(own)();
    // As if there had been more rows than one statement deletes.
    await system('update projects set erasures = erasures + 1 where project_id = $1', [own.projectId]);
    expect(await stored(own)).toHaveLength(1);
    expect((await erase(unique('nobody'), own)).status).toBe(400);
    expect(await stored(own)).toHaveLength(0);
  });
});

describe('a damaged row', () => {
  const damage = ({ projectId }: TestProject) =>
    system(`update idempotency_keys set body = '\\x00' where project_id = $1`, [projectId]);

  it('does not stop an erasure, and a second DELETE finds no account', async () => {
    const own = await gateway.project();
    const id = unique('erased');
    const ask = keyed('/session/authenticate', { session_id: await own.session(), account: { id } }, own);
    const first = await ask();
    await keyed('/session', {}, own)();
    await damage(own);
    expect((await erase(id, own)).status).toBe(200);
    const again = await erase(id, own);
    expect([again.status, again.body.message]).toEqual([400, 'Account not found']);
    await expectErased(ask, first, [id]);
  });

  it('counts as lost: an idempotent request runs again, another one gets 409', async () => {
    const own = await gateway.project();
    const id = unique('account');
    const authenticate = keyed(
      '/session/authenticate',
      { session_id: await own.session(), account: { id } },
      own,
    );
    const open = keyed('/session', {}, own);
    const firsts = [await authenticate(), await open()];
    expect(firsts.map(({ status }) => status)).toEqual([200, 200]);
    await damage(own);
    logged.length = 0;
    const again = await authenticate();
    expect([again.status, again.body.account.num_sessions]).toEqual([200, 1]);
    expect((await authenticate()).text).toBe(again.text);
    const refused = await open();
    expect(refused.status).toBe(409);
    expect(refused.body.message).toContain(firsts[1]!.headers.get('x-request-id'));
    expect(logged.filter((line) => line.includes('a stored answer is damaged'))).toHaveLength(2);
  });
});

describe('a response to a GraphQL query', () => {
  it('is not stored: the query runs each time', async () => {
    const own = await gateway.project();
    const id = unique('queried');
    await own.authenticate({ id, username: 'before' });
    const ask = keyed('/graphql', { query: `{ account(accountId: "${id}") { username } }` }, own);
    expect((await ask()).body.data.account.username).toBe('before');
    await own.rest('PUT', `/account/${id}`, { username: 'after' });
    expect((await ask()).body.data.account.username).toBe('after');
    expect(await system('select 1 from idempotency_keys where project_id = $1', [own.projectId])).toEqual([]);
  });
});

describe('the statements of an authenticate', () => {
  async function trips(headers: Record<string, string>): Promise<string[][]> {
    const body = { session_id: await project.session(), account: { id: unique('counted') } };
    return tripsOf(gateway, async () =>
      expect((await project.rest('POST', '/session/authenticate', body, headers)).status).toBe(200),
    );
  }

  it('are the same with a key; the key adds one round trip before and after, and its update is part of the commit', async () => {
    await trips({});
    const plain = costOf(await trips({}));
    const withKey = await trips({ 'idempotency-key': unique('key') });
    expect(costOf(withKey)).toEqual({ trips: plain.trips + 2, statements: plain.statements + 3 });
    expect(withKey.find((names) => names.includes('commit'))).toContain('idempotency.mark_applied');
  });
});
