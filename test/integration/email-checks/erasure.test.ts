import { randomUUID } from 'node:crypto';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { parseResult, upload } from '../../support/email-imports.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { startNameServer } from '../../support/name-server.ts';
import { runCommand } from '../../support/run-command.ts';
import { connectAs } from '../../support/sql.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let receiver: Receiver;
let system: pg.Client;
let owner: pg.Client;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
  receiver = await startReceiver();
  system = await connectAs(gateway.database, 'vouchgraph_system');
  owner = await connectAs(gateway.database, 'owner');
});
afterAll(async () => {
  await Promise.all([system.end(), owner.end(), receiver.close()]);
  await gateway.close();
});

const ERASE = `mutation ($email: String!) {
  eraseEmail(input: { email: $email }) { requestId checks events deliveries }
}`;

async function erase(project: TestProject, email: string): Promise<Body> {
  const { requestId, ...counts } = (await project.graphql(ERASE, { email })).eraseEmail;
  expect(requestId).toMatch(/^[0-9a-f-]{36}$/);
  return counts;
}

/** Checks an address; the id of the check. */
async function check(project: TestProject, email: string, headers = {}): Promise<string> {
  const { status, body } = await project.rest('POST', '/email?wait=5', { email }, headers);
  expect(status).toBe(200);
  expect(body.result.data.input.email).toBe(email);
  return body.request_id;
}

const read = (project: TestProject, id: string) => project.rest('GET', `/email/${id}`);
const rowsOf = async (project: TestProject, from: string): Promise<number> => {
  const { rows } = await system.query(`select count(*)::int as rows from ${from} and project_id = $1`, [
    project.projectId,
  ]);
  return rows[0].rows;
};
const eventsOf = (project: TestProject) =>
  rowsOf(project, `outbox_events where type like 'email.intelligence%'`);
const STORED_ANSWERS = 'idempotency_keys where body is not null';
const newEmail = (name: string) => `${unique(name)}@example.org`;

const NOT_FOUND = {
  statusCode: 400,
  code: expect.any(String),
  error: 'Bad Request',
  message: 'Email check not found',
};

async function batchOf(project: TestProject, emails: readonly string[]): Promise<string> {
  const sent = await project.rest('POST', '/email', { emails: emails.map((email) => ({ email })) });
  expect(sent.status).toBe(200);
  return sent.body.batch_id;
}

describe('erasing an address', () => {
  it('erases all its checks with their events, deliveries and attempts, in every spelling, and no others', async () => {
    const project = await gateway.project();
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['email.intelligence.completed'] });
    const box = unique('ada').replaceAll('-', '');
    const spellings = [
      `${box}@gmail.com`,
      `${box.toUpperCase()}+shop@googlemail.com`,
      `${box[0]}.${box.slice(1)}@gmail.com`,
    ];
    const gone = await Promise.all(spellings.map((email) => check(project, email)));
    const kept = await check(project, `${box}x@gmail.com`);
    const batch = await batchOf(project, [...spellings, newEmail('other')]);
    await gateway.app.settleEmailChecks(project.projectId);
    await gateway.app.settleEvents();
    await gateway.app.settleWebhooks();
    expect(await eventsOf(project)).toBe(8);
    expect(await rowsOf(project, 'webhook_attempts where true')).toBe(8);

    expect(await erase(project, ` ${box}+again@GMAIL.com`)).toEqual({ checks: 6, events: 6, deliveries: 6 });
    for (const id of gone) {
      const answer = await read(project, id);
      expect([answer.status, answer.body]).toEqual([400, NOT_FOUND]);
    }
    expect((await read(project, kept)).status).toBe(200);
    expect(await rowsOf(project, 'email_checks where true')).toBe(2);
    expect(await eventsOf(project)).toBe(2);
    expect(await rowsOf(project, 'webhook_deliveries where true')).toBe(2);
    expect(await rowsOf(project, 'webhook_attempts where true')).toBe(2);
    // The batch has the numbers of the request, and returns the remaining checks.
    const { body } = await project.rest('GET', `/email/batch/${batch}`);
    expect(body).toMatchObject({ status: 'completed', total_count: 4, completed_count: 4 });
    expect(body.results).toHaveLength(1);
    expect(await erase(project, spellings[0]!)).toEqual({ checks: 0, events: 0, deliveries: 0 });
  });

  it('keeps accounts with the address, and the checks of other projects', async () => {
    const [project, other] = [await gateway.project(), await gateway.project()];
    const [id, email] = [unique('stays'), newEmail('both')];
    await project.authenticate({ id, email });
    const [own, theirs] = [await check(project, email), await check(other, email)];
    expect((await erase(project, email)).checks).toBeGreaterThanOrEqual(1);
    expect((await read(project, own)).status).toBe(400);
    expect((await read(other, theirs)).status).toBe(200);
    expect((await project.rest('GET', `/account/${id}`)).body.account.email).toBe(email);
  });

  it('erases whole rows of imports, including those that could not be checked', async () => {
    const project = await gateway.project();
    const [email, other] = [newEmail('imported'), newEmail('beside')];
    const table = `name,email,note\nAda,${email.toUpperCase()},first\nBob,${other},second\nAda,${email},third,too many\n`;
    const { body } = await upload(gateway, project, table);
    await gateway.app.settleEmailChecks(project.projectId);
    const result = async () =>
      parseResult((await project.rest('GET', `/email/imports/${body.import_id}/result.csv`)).text);
    expect((await result()).map(({ note }) => note)).toEqual(['first', 'second', 'third']);
    expect(await erase(project, email)).toEqual({ checks: 2, events: 0, deliveries: 0 });
    expect((await result()).map(({ name, note }) => [name, note])).toEqual([['Bob', 'second']]);
    expect((await project.rest('GET', `/email/imports/${body.import_id}`)).body).toMatchObject({
      status: 'completed',
      rows_received: 3,
      completed_count: 3,
    });
  });

  it('erases checks of invalid addresses', async () => {
    const project = await gateway.project();
    const text = `${unique('no address')} at nowhere`;
    const id = await check(project, text);
    expect(await erase(project, text.toUpperCase())).toEqual({ checks: 1, events: 1, deliveries: 0 });
    expect((await read(project, id)).status).toBe(400);
  });

  it('erases stored responses that contain the result, so that none is repeated', async () => {
    const project = await gateway.project();
    const [email, untouched] = [newEmail('stored'), newEmail('untouched')];
    const ask = (address: string, key: string) =>
      project.rest('POST', '/email?wait=5', { email: address }, { 'idempotency-key': key });
    const [key, otherKey] = [unique('key'), unique('key')];
    const first = await ask(email, key);
    const other = await ask(untouched, otherKey);
    expect((await ask(email, key)).text).toBe(first.text);
    expect(await rowsOf(project, STORED_ANSWERS)).toBe(2);
    await erase(project, email);
    expect(await rowsOf(project, STORED_ANSWERS)).toBe(1);
    const again = await ask(email, key);
    expect(again.status).toBe(409);
    expect(again.text).not.toContain(email);
    expect((await ask(untouched, otherKey)).text).toBe(other.text);
    expect(await rowsOf(project, 'email_checks where true')).toBe(1);
  });

  it('writes an audit entry that names the mailbox by a keyed hash', async () => {
    const project = await gateway.project();
    const email = newEmail('audited');
    await check(project, email);
    await erase(project, email);
    const { rows } = await system.query(
      `select action, target, before, after, actor from audit_log where project_id = $1 and action = 'email.erase'`,
      [project.projectId],
    );
    expect(rows).toEqual([
      {
        action: 'email.erase',
        target: expect.stringMatching(/^email:[0-9a-f]{32}$/),
        before: null,
        after: { checks: 1, events: 1, deliveries: 0 },
        actor: expect.stringMatching(/^vg_test_.*…/),
      },
    ]);
  });

  it.each([
    ['', 'email: must not be empty'],
    [' \n', 'email: must not be empty'],
    [`${'a'.repeat(310)}@example.org`, 'email: must be at most 320 characters'],
  ])('rejects %j', async (email, message) => {
    const project = await gateway.project();
    const { body } = await project.rawGraphql(ERASE, { email });
    expect(body.errors[0]).toMatchObject({ message, extensions: { code: 'input.invalid' } });
    expect(await rowsOf(project, `audit_log where action = 'email.erase'`)).toBe(0);
  });

  it('requires the role operator', async () => {
    const project = await gateway.project();
    const email = newEmail('guarded');
    const id = await check(project, email);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const { body } = await project.withKey(key).rawGraphql(ERASE, { email });
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
    expect((await read(project, id)).status).toBe(200);
  });

  it('handles more checks than one transaction, each with an audit entry', async () => {
    const project = await gateway.project();
    const email = newEmail('often');
    for (let count = 0; count < 2; count += 1)
      await batchOf(
        project,
        Array.from({ length: 1000 }, () => email),
      );
    await check(project, email);
    await gateway.app.settleEmailChecks(project.projectId);
    expect(await erase(project, email)).toEqual({ checks: 2001, events: 2001, deliveries: 0 });
    expect(await rowsOf(project, 'email_checks where true')).toBe(0);
    expect(await eventsOf(project)).toBe(0);
    expect(await rowsOf(project, `audit_log where action = 'email.erase'`)).toBe(3);
  });
});

describe('erasing an address of running checks', () => {
  /** Blocks statements that read decisions, such as the lookup of histories, until released. */
  async function holdLookUps() {
    const holder = await connectAs(gateway.database, 'owner');
    await holder.query('begin; lock table decisions in access exclusive mode');
    return {
      reached: () => untilWaiting('email_check.find_histories', '%asked%', 'relation'),
      async release() {
        await holder.query('commit');
        await holder.end();
      },
    };
  }

  /** Blocks transactions that store results of the project, in the middle, until released. */
  async function holdCompletions({ projectId }: TestProject) {
    const holder = await connectAs(gateway.database, 'owner');
    await holder.query('select pg_advisory_lock(4712)');
    await owner.query(`
      create or replace function hold_for_test() returns trigger language plpgsql as $$
        begin perform pg_advisory_xact_lock_shared(4712); return new; end $$;
      create trigger hold_for_test before update on email_checks for each row
        when (old.status = 'pending' and new.status <> 'pending' and new.project_id = '${projectId}')
        execute function hold_for_test()`);
    return {
      reached: () => untilWaiting('email_check.complete', '%update email_checks%', 'advisory'),
      async release() {
        await holder.query('select pg_advisory_unlock(4712)');
        await holder.end();
        await owner.query('drop trigger hold_for_test on email_checks');
      },
    };
  }

  async function untilWaiting(what: string, text: string, lock: string): Promise<void> {
    const isWaiting = `select 1 from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock' and wait_event = $2 and query like $1`;
    await vi.waitFor(
      async () => expect((await owner.query(isWaiting, [text, lock])).rowCount, what).toBe(1),
      { timeout: 50_000, interval: 10 },
    );
  }

  it('prevents later results and events of them; their batch completes with the others', async () => {
    const project = await gateway.project();
    const [email, other] = [newEmail('pending'), newEmail('beside')];
    const held = await holdLookUps();
    const batch = await batchOf(project, [email, other, email]);
    await held.reached();
    expect(await erase(project, email)).toEqual({ checks: 2, events: 0, deliveries: 0 });
    await held.release();
    await gateway.app.settleEmailChecks(project.projectId);
    const { body } = await project.rest('GET', `/email/batch/${batch}`);
    expect(body).toMatchObject({ status: 'completed', total_count: 3, completed_count: 3 });
    expect(body.results.map((result: Body) => result.data.input.email)).toEqual([other]);
    expect(await rowsOf(project, `outbox_events where type = 'email.batch.completed'`)).toBe(1);
    expect(await eventsOf(project)).toBe(1);
    expect(await rowsOf(project, 'email_batches where failed_count = 2')).toBe(1);
  });

  it('completes an empty batch, with its event', async () => {
    const project = await gateway.project();
    const email = newEmail('alone');
    const held = await holdLookUps();
    const batch = await batchOf(project, [email, email]);
    await held.reached();
    expect((await erase(project, email)).checks).toBe(2);
    await held.release();
    await gateway.app.settleEmailChecks(project.projectId);
    const { body } = await project.rest('GET', `/email/batch/${batch}`);
    expect(body).toMatchObject({ status: 'completed', total_count: 2, completed_count: 2, results: [] });
    expect(await rowsOf(project, `outbox_events where type = 'email.batch.completed'`)).toBe(1);
    expect(await eventsOf(project)).toBe(0);
  });

  it('waits for results that are being stored, and erases them with their events', async () => {
    const project = await gateway.project();
    const [email, other] = [newEmail('stored'), newEmail('beside')];
    const held = await holdCompletions(project);
    const batch = await batchOf(project, [email, other, email]);
    await held.reached();
    const erasing = erase(project, email);
    await untilWaiting('email_check.lock_erased_batches', '%email_batches b%for update%', 'transactionid');
    await held.release();
    expect(await erasing).toEqual({ checks: 2, events: 2, deliveries: 0 });
    await gateway.app.settleEmailChecks(project.projectId);
    const { body } = await project.rest('GET', `/email/batch/${batch}`);
    expect(body).toMatchObject({ status: 'completed', total_count: 3, completed_count: 3 });
    expect(body.results.map((result: Body) => result.data.input.email)).toEqual([other]);
    expect(await rowsOf(project, 'email_batches where failed_count = 0')).toBe(1);
    expect(await eventsOf(project)).toBe(1);
  });

  it('stops a single check that waits for name servers, which then stores nothing', {
    timeout: 30_000,
  }, async () => {
    const silent = await startNameServer({}, { silent: true });
    const settings = { MX_LOOKUPS: 'on', DNS_SERVERS: silent.address };
    const waiting = await startGateway({ masterKey, database: gateway.database, settings });
    try {
      const project = await waiting.project();
      const email = `ada@${unique('waits')}.com`;
      const { body } = await project.rest('POST', '/email', { email });
      expect((await read(project, body.request_id)).body).toEqual({
        request_id: body.request_id,
        status: 'pending',
      });
      expect(await erase(project, email)).toEqual({ checks: 1, events: 0, deliveries: 0 });
      expect((await read(project, body.request_id)).status).toBe(400);
      await waiting.app.settleEmailChecks(project.projectId);
      expect((await read(project, body.request_id)).status).toBe(400);
      expect(await rowsOf(project, 'email_checks where true')).toBe(0);
      expect(await rowsOf(project, 'outbox_events where true')).toBe(0);
    } finally {
      await waiting.close();
      await silent.close();
    }
  });

  it('by two concurrent operators erases each check once', async () => {
    const project = await gateway.project();
    const email = newEmail('twice');
    await batchOf(
      project,
      Array.from({ length: 20 }, () => email),
    );
    await gateway.app.settleEmailChecks(project.projectId);
    const counts = await Promise.all(Array.from({ length: 4 }, () => erase(project, email)));
    expect(counts.reduce((sum, { checks }) => sum + checks, 0)).toBe(20);
    expect(counts.reduce((sum, { events }) => sum + events, 0)).toBe(20);
    expect(await rowsOf(project, 'email_checks where true')).toBe(0);
  });
});

describe('erasing an account', () => {
  it('erases the checks of its mailbox with their events, deliveries and responses, and no others', async () => {
    const project = await gateway.project();
    await createEndpoint(project, { url: receiver.url(), eventTypes: ['email.intelligence.completed'] });
    const [id, email, other] = [unique('erased'), newEmail('erased'), newEmail('stays')];
    await project.authenticate({ id, email });
    const key = { 'idempotency-key': unique('key') };
    const gone = [
      await check(project, email, key),
      await check(project, email.toUpperCase().replace('@', '@')),
    ];
    const kept = await check(project, other);
    const batch = await batchOf(project, [email, other]);
    await gateway.app.settleEmailChecks(project.projectId);
    await gateway.app.settleEvents();
    await gateway.app.settleWebhooks();
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    for (const each of gone) expect((await read(project, each)).body).toEqual(NOT_FOUND);
    expect((await read(project, kept)).status).toBe(200);
    expect((await project.rest('GET', `/email/batch/${batch}`)).body).toMatchObject({
      completed_count: 2,
      total_count: 2,
      results: [{ data: { input: { email: other } } }],
    });
    expect(await eventsOf(project)).toBe(2);
    expect(await rowsOf(project, 'webhook_deliveries where true')).toBe(2);
    expect(await rowsOf(project, 'webhook_attempts where true')).toBe(2);
    expect(await rowsOf(project, STORED_ANSWERS)).toBe(0);
    expect((await project.rest('POST', '/email?wait=5', { email }, key)).status).toBe(409);
  });

  it('erases checks of the account, and not those of other accounts when its address is a placeholder', async () => {
    const project = await gateway.project();
    const [id, email] = [unique('none'), 'test@example.com'];
    await project.authenticate({ id, email });
    const client = await check(project, email);
    const own = randomUUID();
    await system.query(
      `insert into email_checks (project_id, check_id, account_id, address_hash, status, input, request_id, completed_at)
       select c.project_id, $3, a.id, c.address_hash, 'success', c.input, c.request_id, now()
       from email_checks c join accounts a on a.project_id = c.project_id and a.account_id = $4
       where c.project_id = $1 and c.check_id = $2`,
      [project.projectId, client, own, id],
    );
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    expect((await read(project, own)).status).toBe(400);
    expect((await read(project, client)).status).toBe(200);
  });

  it('erases nothing when it fails, and everything when it is repeated', async () => {
    const project = await gateway.project();
    const [id, email] = [unique('again'), newEmail('again')];
    await project.authenticate({ id, email });
    const checked = await check(project, email);
    await owner.query(`
      create function fail_for_test() returns trigger language plpgsql as $$
        begin raise exception 'refused by the test'; end $$;
      create trigger fail_for_test before delete on accounts for each row execute function fail_for_test()`);
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(500);
    expect((await read(project, checked)).status).toBe(200);
    expect(await eventsOf(project)).toBe(1);
    await owner.query('drop trigger fail_for_test on accounts');
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    expect((await read(project, checked)).status).toBe(400);
    expect(await eventsOf(project)).toBe(0);
  });
});

describe('vouchgraph email erase', () => {
  async function command(...args: string[]) {
    const ended = await runCommand(args, { DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
    return { ...ended, output: ended.output + ended.errors };
  }

  it('erases the checks of an address, and prints the number of rows', async () => {
    const project = await gateway.project();
    const email = newEmail('shell');
    const id = await check(project, email);
    const { code, output } = await command('email', 'erase', project.projectId, email, '--yes', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(output)).toEqual({ checks: 1, events: 1, deliveries: 0 });
    expect((await read(project, id)).status).toBe(400);
    const text = await command('email', 'erase', project.projectId, email, '-y');
    expect(text.output).toBe(
      'Erased 0 checks, 0 events and 0 webhook deliveries of the address.\n' +
        'Accounts with the address are not erased: use DELETE /account/{id}.\n',
    );
  });

  it('erases nothing without a confirmation', async () => {
    const project = await gateway.project();
    const email = newEmail('unconfirmed');
    const id = await check(project, email);
    const { code, errors } = await command('email', 'erase', project.projectId, email);
    expect([code, errors]).toEqual([2, 'vouchgraph: --yes: required when the input is not a terminal\n']);
    expect((await read(project, id)).status).toBe(200);
  });

  it('rejects text that cannot be an address', async () => {
    const project = await gateway.project();
    const { code, errors } = await command('email', 'erase', project.projectId, ' ', '--yes');
    expect([code, errors]).toEqual([2, 'vouchgraph: address: must not be empty\n']);
  });
});
