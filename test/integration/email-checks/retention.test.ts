import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Gateway, startGateway, TestClock, type TestProject, unique } from '../../support/gateway.ts';

const DAY_MS = 86_400_000;
const masterKey = generateMasterKey();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
});
afterAll(() => database.drop());

/** Runs a test on a gateway with a separate clock. */
async function withGateway(
  settings: Record<string, string>,
  work: (gateway: Gateway, project: TestProject, clock: TestClock) => Promise<void>,
): Promise<void> {
  const clock = new TestClock();
  const gateway = await startGateway({ database, masterKey, clock, settings });
  try {
    await work(gateway, await gateway.project(), clock);
  } finally {
    await gateway.close();
  }
}

const newEmail = () => `${unique('kept')}@example.org`;

async function check(project: TestProject, email = newEmail()): Promise<string> {
  const { body } = await project.rest('POST', '/email?wait=5', { email });
  expect(body.result.status).toBe('success');
  return body.request_id;
}

async function batch(gateway: Gateway, project: TestProject): Promise<string> {
  const { body } = await project.rest('POST', '/email', {
    emails: [{ email: newEmail() }, { email: newEmail() }],
  });
  await gateway.app.settleEmailChecks(project.projectId);
  return body.batch_id;
}

const statusOf = async (project: TestProject, path: string) => (await project.rest('GET', path)).status;
const rowsOf = async (gateway: Gateway, { projectId }: TestProject, table: string): Promise<number> => {
  const text = `select count(*)::int as rows from ${table} where project_id = $1`;
  const [row] = await gateway.app.database.system.query({ name: `test.rows_of_${table}`, text }, [projectId]);
  return row.rows;
};

describe('completed checks and batches', () => {
  it('are deleted after EMAIL_RETENTION_DAYS, 90 by default, and are then unknown', () =>
    withGateway({}, async (gateway, project, clock) => {
      const [old, oldBatch] = [await check(project), await batch(gateway, project)];
      await gateway.app.settleEvents();
      clock.advance(89 * DAY_MS);
      await gateway.app.purge();
      expect(await statusOf(project, `/email/${old}`)).toBe(200);
      expect(await rowsOf(gateway, project, 'email_checks')).toBe(3);
      const young = await batch(gateway, project);
      clock.advance(2 * DAY_MS);
      await gateway.app.purge();
      expect(await statusOf(project, `/email/${old}`)).toBe(400);
      expect(await statusOf(project, `/email/batch/${oldBatch}`)).toBe(400);
      expect(await statusOf(project, `/email/batch/${young}`)).toBe(200);
      expect(await rowsOf(gateway, project, 'email_checks')).toBe(2);
      expect(await rowsOf(gateway, project, 'email_batches')).toBe(1);
    }));

  it('are kept forever with EMAIL_RETENTION_DAYS=0', () =>
    withGateway({ EMAIL_RETENTION_DAYS: '0' }, async (gateway, project, clock) => {
      const id = await check(project);
      await gateway.app.settleEvents();
      clock.advance(4000 * DAY_MS);
      await gateway.app.purge();
      expect(await statusOf(project, `/email/${id}`)).toBe(200);
    }));

  it('are excluded from the history of their address once they are deleted', () =>
    withGateway({}, async (gateway, project, clock) => {
      const email = newEmail();
      const seen = async () => {
        const { body } = await project.rest('POST', '/email?wait=5', { email });
        return body.result.data.result.email.first_seen_at;
      };
      expect(await seen()).toBeNull();
      expect(await seen()).not.toBeNull();
      await gateway.app.settleEvents();
      clock.advance(91 * DAY_MS);
      await gateway.app.purge();
      expect(await seen()).toBeNull();
    }));
});

it('pending checks and batches of any age are not deleted', () =>
  withGateway({}, async (gateway, project, clock) => {
    const query = (name: string, text: string) =>
      gateway.app.database.system.query({ name: `test.${name}`, text }, [project.projectId]);
    await query(
      'pending',
      `with batch as (
         insert into email_batches (project_id, batch_id, total_count, actor, request_id, claimable_at)
         values ($1, '01000000-0000-7000-8000-000000000000', 1, '', gen_random_uuid(), now() + interval '1 day')
         returning project_id, batch_id
       )
       insert into email_checks (project_id, check_id, batch_id, position, address_hash, input, request_id)
       select project_id, '01000000-0000-7000-8000-000000000001', batch_id, 0, '', '', gen_random_uuid() from batch`,
    );
    clock.advance(1000 * DAY_MS);
    await gateway.app.purge();
    expect(await rowsOf(gateway, project, 'email_checks')).toBe(1);
    expect(await rowsOf(gateway, project, 'email_batches')).toBe(1);
    await query('done', 'delete from email_batches where project_id = $1');
  }));

it('a check with a longer-lived event remains until the event expires, so that an erasure finds it', () =>
  withGateway({ EMAIL_RETENTION_DAYS: '7', EVENT_RETENTION_DAYS: '30' }, async (gateway, project, clock) => {
    const [email, other] = [newEmail(), newEmail()];
    const [first, second] = [await check(project, email), await check(project, other)];
    await gateway.app.settleEvents();
    clock.advance(10 * DAY_MS);
    await gateway.app.purge();
    expect(await statusOf(project, `/email/${first}`)).toBe(200);
    const { eraseEmail } = await project.graphql(
      'mutation ($email: String!) { eraseEmail(input: { email: $email }) { checks events } }',
      { email },
    );
    expect(eraseEmail).toEqual({ checks: 1, events: 1 });
    clock.advance(22 * DAY_MS);
    // The purge of events comes first.
    await gateway.app.purge();
    expect(await statusOf(project, `/email/${second}`)).toBe(400);
    expect(await rowsOf(gateway, project, 'outbox_events')).toBe(0);
  }));

it.each(['-1', '36501', '1.5', 'x'])('EMAIL_RETENTION_DAYS=%s is rejected', async (value) => {
  await expect(startGateway({ database, settings: { EMAIL_RETENTION_DAYS: value } })).rejects.toThrow(
    'EMAIL_RETENTION_DAYS: must be a whole number between 0 and 36500',
  );
});
