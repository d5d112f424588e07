import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Gateway,
  send,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { createVerification, enroll, playedVerification, refusal } from '../../support/verification.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOT_FOUND = {
  status: 400,
  body: { statusCode: 400, code: expect.any(String), message: 'Session ID not found' },
};

let gateway: Gateway;
let clock: TestClock;
let project: TestProject;
const masterKey = generateMasterKey();

beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock, masterKey });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const exists = async (sessionId: string): Promise<boolean> => {
  const answer = await project.rest('GET', `/session/${sessionId}`);
  if (answer.status !== 200) expect(answer).toMatchObject(NOT_FOUND);
  return answer.status === 200;
};

/** All rows that name a session, except events, which have their own retention. */
async function tracesOf(sessionId: string): Promise<string[]> {
  const { system } = gateway.app.database;
  const columns = await system.query<{ table_name: string; column_name: string }>(
    {
      name: 'test.session_columns',
      text: `select table_name, column_name from information_schema.columns c join pg_class t on t.relname = c.table_name
             where column_name in ('session_id', 'referring_session_id', 'last_session') and table_schema = 'public'
               and not t.relispartition and table_name <> 'outbox_events' order by 1, 2`,
    },
    [],
  );
  const found: string[] = [];
  for (const { table_name, column_name } of columns) {
    const name = `${table_name}.${column_name}`;
    const text = `select 1 from ${table_name} where ${column_name} = $1`;
    if ((await system.query({ name: `test.traces ${name}`, text }, [sessionId])).length > 0) found.push(name);
  }
  return found;
}

const sql = <T = Record<string, unknown>>(name: string, text: string, values: unknown[]): Promise<T[]> =>
  gateway.app.database.system.query<T>({ name: `test.${name}`, text }, values);

const eventsOf = async (sessionId: string): Promise<string[]> => {
  const rows = await sql<{ type: string }>(
    'events_of_session',
    'select type from outbox_events where session_id = $1 order by type',
    [sessionId],
  );
  return rows.map(({ type }) => type);
};

/** A completed session without an account, with its event. */
async function visited(): Promise<string> {
  const { session_id } = await collected();
  expect((await project.rest('POST', `/session/${session_id}/complete`)).status).toBe(200);
  expect(await eventsOf(session_id)).toEqual(['session.completed']);
  return session_id;
}

/** A check that an account was enrolled by, with a referring session. */
async function enrolled(id: string, referring: string): Promise<string> {
  const check = await playedVerification(gateway, project, {
    simulate: 'success',
    referring_session_id: referring,
  });
  expect(await enroll(project, check, id)).toMatchObject({ status: 200 });
  return check;
}

async function collected(body: object = {}): Promise<{ session_id: string; token: string }> {
  const facts = { project_id: project.projectId, browser: { user_agent: 'Mozilla/5.0' }, ...body };
  const { status, body: opened } = await send(`${gateway.baseUrl}/session`, 'POST', facts);
  expect(status).toBe(200);
  return opened;
}

describe('a session without account and check', () => {
  it('is purged 24 hours after it expired, open or complete, from a page or a server, with all its data', async () => {
    const [open, complete] = [await collected(), await collected()];
    const authorization = `Bearer ${open.token}`;
    const patched = await send(
      `${gateway.baseUrl}/session/${open.session_id}`,
      'PATCH',
      { bot: { mouse_num_events: 3 } },
      { authorization },
    );
    expect(patched.status).toBe(200);
    expect((await project.rest('POST', `/session/${complete.session_id}/complete`)).status).toBe(200);
    const simulated = await project.session({ ip_address: '90.54.1.1' });
    const ids = [open.session_id, complete.session_id, simulated];

    clock.advance(47 * HOUR_MS);
    await gateway.app.purge();
    expect(await Promise.all(ids.map(exists))).toEqual([true, true, true]);
    clock.advance(2 * HOUR_MS);
    await gateway.app.purge();
    expect(await Promise.all(ids.map(exists))).toEqual([false, false, false]);
    expect((await Promise.all(ids.map(tracesOf))).flat()).toEqual([]);
  });

  it('is purged in batches, and of every project', async () => {
    const projects = [project.projectId, (await gateway.project()).projectId];
    const { system } = gateway.app.database;
    const old = new Date(clock.now().getTime() - 60 * DAY_MS).getTime().toString(16).padStart(12, '0');
    for (const projectId of projects) {
      await system.query(
        {
          name: 'test.old_sessions',
          text: `insert into sessions (project_id, session_id, request_id, state, source, start_time, created_at,
                   expires_at, signals, facts, result, trace)
                 select $1, ($2 || substr(gen_random_uuid()::text, 14))::uuid, gen_random_uuid(), 'open', 'web', $3, $3,
                   $3::timestamptz + interval '1 day', 0, '', '', '' from generate_series(1, 800)`,
        },
        [projectId, `${old.slice(0, 8)}-${old.slice(8)}`, new Date(clock.now().getTime() - 60 * DAY_MS)],
      );
    }
    // Purged ids are not examined again: these ids are older than those.
    await system.query({ name: 'test.forget_progress', text: 'delete from purge_progress' }, []);
    const left = async () =>
      system.query({ name: 'test.left', text: `select 1 from sessions where start_time < $1` }, [
        new Date(clock.now().getTime() - 59 * DAY_MS),
      ]);
    expect(await left()).toHaveLength(1600);
    await gateway.app.purge();
    expect(await left()).toEqual([]);
  });
});

describe('a session of an account', () => {
  it('is kept forever by default', async () => {
    const id = unique('kept');
    const { session_id } = (await project.authenticate({ id })).session ?? {};
    const sessions = await project.rest('GET', `/account/${id}/sessions`);
    const kept = session_id ?? sessions.body.sessions[0];
    clock.advance(800 * DAY_MS);
    await gateway.app.purge();
    expect(await exists(kept)).toBe(true);
    expect((await project.rest('GET', `/account/${id}/sessions`)).body.sessions).toEqual([kept]);
  });

  it('is purged after SESSION_RETENTION_DAYS, without changes of averages, links and counts of its account', async () => {
    const database = gateway.database;
    const settings = { SESSION_RETENTION_DAYS: '40' };
    const retaining = await startGateway({ clock, masterKey, database, settings });
    try {
      const [id, other, untouched] = [unique('old'), unique('old-other'), unique('young')];
      const session_id = await project.session({ ip_address: '90.54.1.1', browser_id: id });
      const bind = (account: string, session: string) =>
        project.rest('POST', '/session/authenticate', { session_id: session, account: { id: account } });
      expect((await bind(id, session_id)).status).toBe(200);
      const shared = await project.session({ ip_address: '90.54.1.1', browser_id: id });
      expect((await bind(other, shared)).status).toBe(200);
      const before = (await project.rest('GET', `/account/${id}?accounts_linked=true`)).body;
      clock.advance(30 * DAY_MS);
      const young = await project.session();
      expect((await bind(untouched, young)).status).toBe(200);
      clock.advance(9 * DAY_MS);
      await retaining.app.purge();
      expect(await exists(session_id)).toBe(true);
      clock.advance(2 * DAY_MS);
      await retaining.app.purge();
      expect([await exists(session_id), await exists(young)]).toEqual([false, true]);
      expect((await project.rest('GET', `/account/${id}/sessions`)).body.sessions).toEqual([]);
      expect((await project.rest('GET', `/account/${untouched}/sessions`)).body.sessions).toEqual([young]);
      const after = (await project.rest('GET', `/account/${id}?accounts_linked=true`)).body;
      expect([before.last_session, after.last_session]).toEqual([session_id, '']);
      expect({ ...after, request_id: '', last_session: '' }).toEqual({
        ...before,
        request_id: '',
        last_session: '',
      });
      expect([after.num_sessions, after.accounts_linked]).toEqual([1, 1]);
      expect(
        (await tracesOf(session_id)).filter(
          (name) => !/^(account_sessions|decisions|rule_matches)\./.test(name),
        ),
      ).toEqual([]);
      // Counts continue with a further session.
      const next = await project.session({ ip_address: '90.54.1.1', browser_id: id });
      expect((await bind(id, next)).status).toBe(200);
      const { body } = await project.rest('GET', `/account/${id}`);
      expect([body.num_sessions, body.last_session]).toEqual([2, next]);
    } finally {
      await retaining.app.close();
    }
  });
});

describe('a session with a check', () => {
  it('and its referring session are kept until 31 days after completion; then only kind and time, for 90 days', async () => {
    const referring = await project.session();
    const session_id = await playedVerification(gateway, project, {
      id: 'true',
      simulate: 'success',
      referring_session_id: referring,
    });
    clock.advance(30 * DAY_MS + HOUR_MS);
    await gateway.app.purge();
    expect([await exists(session_id), await exists(referring)]).toEqual([true, true]);
    expect((await enroll(project, session_id, unique('late'))).body).toEqual(
      refusal('session_older_than_30_days'),
    );
    clock.advance(DAY_MS);
    await gateway.app.purge();
    expect([await exists(session_id), await exists(referring)]).toEqual([false, false]);
    expect(await tracesOf(referring)).toEqual([]);
    const { system } = gateway.app.database;
    const [row] = await system.query(
      {
        name: 'test.remainder',
        text: `select to_jsonb(v) as v from verification_sessions v where session_id = $1`,
      },
      [session_id],
    );
    const filled = Object.entries(row.v).filter(([, value]) => value !== null && value !== '' && value !== 0);
    expect(Object.keys(Object.fromEntries(filled)).sort()).toEqual([
      'challenge',
      'completed_at',
      'created_at',
      'expires_at',
      'kind',
      'project_id',
      'request_id',
      'secret_hash',
      'session_id',
      'state',
    ]);
    expect(row.v).toMatchObject({
      challenge: [],
      secret_hash: '\\x',
      created_at: row.v.completed_at,
      expires_at: row.v.completed_at,
      request_id: '00000000-0000-0000-0000-000000000000',
    });
    expect((await enroll(project, session_id, unique('late'))).body).toEqual(
      refusal('session_older_than_30_days'),
    );
    clock.advance(88 * DAY_MS);
    await gateway.app.purge();
    expect((await enroll(project, session_id, unique('late'))).body).toEqual(
      refusal('session_older_than_30_days'),
    );
    clock.advance(3 * DAY_MS);
    await gateway.app.purge();
    expect((await enroll(project, session_id, unique('late'))).body).toEqual(refusal('session_not_found'));
    expect(await tracesOf(session_id)).toEqual([]);
  });

  it('that was not started is purged with its referring session, when the check expires', async () => {
    const referring = await project.session();
    const { body } = await createVerification(project, { referring_session_id: referring });
    clock.advance(30 * DAY_MS);
    await gateway.app.purge();
    expect(await exists(referring)).toBe(true);
    clock.advance(2 * DAY_MS);
    await gateway.app.purge();
    expect(await exists(referring)).toBe(false);
    expect(await tracesOf(body.session_id)).toEqual([]);
  });

  it('leaves values only in the columns of its remainder', async () => {
    const back = { redirect_url: 'https://shop.example/back?user=jane.doe' };
    const session_id = await playedVerification(gateway, project, { simulate: 'success', ...back });
    const kept = [
      'project_id',
      'session_id',
      'kind',
      'state',
      'completed_at',
      // Equal to the completion time, without an account.
      'created_at',
      'expires_at',
      'request_id',
      'secret_hash',
    ];
    const columns = await sql<{ column_name: string; data_type: string }>(
      'columns',
      `select column_name, data_type from information_schema.columns where table_name = 'verification_sessions'`,
      [],
    );
    const others = columns.filter(({ column_name }) => !kept.includes(column_name));
    const filled: Record<string, string> = {
      text: `'x'`,
      uuid: 'gen_random_uuid()',
      bytea: `'\\x01'`,
      jsonb: `'{"simulate": "success"}'`,
      ARRAY: `'{x}'`,
      integer: '1',
      'double precision': '1',
      'timestamp with time zone': 'now()',
      boolean: 'true',
    };
    // Those of an account are not reduced.
    const writable = others.filter(({ column_name }) => column_name !== 'bound_account_id');
    const assignments = writable.map(
      ({ column_name, data_type }) => `${column_name} = ${filled[data_type] ?? 'no value for this type'}`,
    );
    await sql('fill', `update verification_sessions set ${assignments.join(', ')} where session_id = $1`, [
      session_id,
    ]);
    clock.advance(32 * DAY_MS);
    await gateway.app.purge();
    const [row] = await sql('reduced', 'select * from verification_sessions where session_id = $1', [
      session_id,
    ]);
    const isEmpty = (value: unknown) =>
      value === null || value === '' || value === 0 || (Array.isArray(value) && value.length === 0);
    expect(others.map(({ column_name }) => column_name).filter((name) => !isEmpty(row![name]))).toEqual([]);
    expect(row!.secret_hash).toEqual(Buffer.alloc(0));
  });

  it('of an account is kept; its unbound referring session is purged 31 days after completion, with its events', async () => {
    const settings = { EVENT_RETENTION_DAYS: '300' };
    const remembering = await startGateway({ clock, masterKey, database: gateway.database, settings });
    try {
      const id = unique('enrolled');
      const referring = await visited();
      await project.authenticate({ id });
      const check = await enrolled(id, referring);
      clock.advance(30 * DAY_MS + HOUR_MS);
      await remembering.app.purge();
      expect([await exists(check), await exists(referring)]).toEqual([true, true]);
      expect(await eventsOf(referring)).toEqual(['session.completed']);
      clock.advance(DAY_MS);
      await remembering.app.purge();
      expect([await exists(check), await exists(referring)]).toEqual([true, false]);
      expect([await tracesOf(referring), await eventsOf(referring)]).toEqual([[], []]);
      expect((await project.rest('GET', `/account/${id}`)).status).toBe(200);
    } finally {
      await remembering.app.close();
    }
  });

  it('of an account, and its unbound referring session, are erased with the account and their events', async () => {
    const id = unique('erased');
    const referring = await visited();
    await project.authenticate({ id });
    const check = await enrolled(id, referring);
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    expect([await exists(check), await exists(referring)]).toEqual([false, false]);
    expect([await tracesOf(referring), await tracesOf(check)]).toEqual([[], []]);
    expect([await eventsOf(referring), await eventsOf(check)]).toEqual([[], []]);
  });

  it('of an erased account keeps its referring session when another check or account uses it', async () => {
    const [id, other] = [unique('first'), unique('second')];
    const [shared, bound] = [await visited(), await visited()];
    for (const account of [id, other]) await project.authenticate({ id: account });
    await enrolled(id, shared);
    await enrolled(id, bound);
    const second = await enrolled(other, shared);
    const binding = { session_id: bound, account: { id: other } };
    expect((await project.rest('POST', '/session/authenticate', binding)).status).toBe(200);
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    expect([await exists(shared), await exists(bound), await exists(second)]).toEqual([true, true, true]);
    expect((await project.rest('DELETE', `/account/${other}`)).status).toBe(200);
    expect([await tracesOf(shared), await tracesOf(bound), await tracesOf(second)]).toEqual([[], [], []]);
  });

  it('of an account that is erased keeps its referring session when another account is bound to it meanwhile', async () => {
    for (let round = 0; round < 6; round += 1) {
      const [id, other] = [unique('erased'), unique('meanwhile')];
      const referring = await visited();
      await project.authenticate({ id });
      await enrolled(id, referring);
      const binding = { session_id: referring, account: { id: other } };
      const [bound, erased] = await Promise.all([
        project.rest('POST', '/session/authenticate', binding),
        project.rest('DELETE', `/account/${id}`),
      ]);
      expect(erased.status).toBe(200);
      if (bound.status !== 200) expect(bound).toMatchObject(NOT_FOUND);
      expect(await exists(referring)).toBe(bound.status === 200);
    }
  });

  it('of an account that failed is purged 31 days after its creation with its referring session and the events of that', async () => {
    const settings = { EVENT_RETENTION_DAYS: '300' };
    const remembering = await startGateway({ clock, masterKey, database: gateway.database, settings });
    try {
      const id = unique('failed');
      const referring = await visited();
      await project.authenticate({ id });
      const failed = await playedVerification(gateway, project, {
        simulate: 'liveness_check_failed',
        account_id: id,
        referring_session_id: referring,
      });
      clock.advance(32 * DAY_MS);
      await remembering.app.purge();
      expect([await tracesOf(failed), await tracesOf(referring), await eventsOf(referring)]).toEqual([
        [],
        [],
        [],
      ]);
      expect(await eventsOf(failed)).toContain('verification.failed');
      expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
      expect(await eventsOf(failed)).toEqual([]);
    } finally {
      await remembering.app.close();
    }
  });

  it('that is deleted with its session after SESSION_RETENTION_DAYS includes the referring session', async () => {
    const settings = { SESSION_RETENTION_DAYS: '32', EVENT_RETENTION_DAYS: '300' };
    const retaining = await startGateway({ clock, masterKey, database: gateway.database, settings });
    try {
      const id = unique('retained');
      const referring = await visited();
      await project.authenticate({ id });
      const check = await enrolled(id, referring);
      // It was captured long after its creation.
      await sql(
        'late',
        `update verification_sessions set completed_at = completed_at + interval '46 hours' where session_id = $1`,
        [check],
      );
      clock.advance(32 * DAY_MS + HOUR_MS);
      await retaining.app.purge();
      expect([await exists(check), await exists(referring)]).toEqual([false, false]);
      expect([await tracesOf(referring), await eventsOf(referring)]).toEqual([[], []]);
    } finally {
      await retaining.app.close();
    }
  });

  it('that is deleted without its referring session is found by a second run', async () => {
    const referring = await project.session();
    const { body } = await createVerification(project, { referring_session_id: referring });
    clock.advance(3 * DAY_MS);
    await gateway.app.purge();
    await sql('lose_check', 'delete from verification_sessions where session_id = $1', [body.session_id]);
    clock.advance(30 * DAY_MS);
    await gateway.app.purge();
    expect(await exists(referring)).toBe(true);
    clock.advance(8 * DAY_MS);
    await gateway.app.purge();
    expect(await exists(referring)).toBe(false);
  });

  it('of an account is kept, and so is its bound referring session', async () => {
    const id = unique('checked');
    const referring = await project.session();
    const bound = await project.rest('POST', '/session/authenticate', {
      session_id: referring,
      account: { id },
    });
    expect(bound.status).toBe(200);
    const session_id = await playedVerification(gateway, project, {
      simulate: 'success',
      account_id: id,
      referring_session_id: referring,
    });
    clock.advance(200 * DAY_MS);
    await gateway.app.purge();
    expect([await exists(session_id), await exists(referring)]).toEqual([true, true]);
  });
});
