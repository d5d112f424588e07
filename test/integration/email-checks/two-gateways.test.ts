import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { killInside } from '../../support/killed-gateway.ts';
import { connectAs } from '../../support/sql.ts';

/*
 * Several processes complete the checks of one database: each check once, with one event, even when a process
 * is killed or closed in the middle of a batch.
 */
const masterKey = generateMasterKey();
let gateway: Gateway;
let other: Gateway;
let project: TestProject;

beforeAll(async () => {
  // Batches are completed on request of the test.
  gateway = await startGateway({ masterKey, completesEmailChecks: false });
  other = await startGateway({ masterKey, database: gateway.database, completesEmailChecks: false });
});
afterAll(async () => {
  await other.close();
  await gateway.close();
});

const emailsOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ email: `${unique('p')}.${index}@gmail.com` }));

/** Number of events of each check of a batch, and the events of completed batches. */
async function eventsOf(batchId: string): Promise<{ perCheck: number[]; batches: number }> {
  await gateway.app.settleEvents();
  const perCheck = new Map<string, number>();
  let batches = 0;
  for (let after: string | null = null; ; ) {
    const { events } = await project.graphql(
      `query ($after: String) { events(first: 100, after: $after, types: [EMAIL_INTELLIGENCE_COMPLETED, EMAIL_BATCH_COMPLETED]) {
        edges { node { type data } } pageInfo { hasNextPage endCursor } } }`,
      { after },
    );
    for (const { node } of events.edges as Body[]) {
      if (node.data.batch_id !== batchId) continue;
      if (node.type === 'EMAIL_BATCH_COMPLETED') batches += 1;
      else perCheck.set(node.data.request_id, (perCheck.get(node.data.request_id) ?? 0) + 1);
    }
    if (!events.pageInfo.hasNextPage) return { perCheck: [...perCheck.values()], batches };
    after = events.pageInfo.endCursor;
  }
}

async function expectOnce(batchId: string, count: number): Promise<void> {
  const { body } = await project.rest('GET', `/email/batch/${batchId}?limit=1000`);
  expect(body).toMatchObject({ status: 'completed', total_count: count, completed_count: count });
  expect(body.results).toHaveLength(count);
  const { perCheck, batches } = await eventsOf(batchId);
  expect(perCheck).toEqual(Array(count).fill(1));
  expect(batches).toBe(1);
}

/** Runs a statement beside the gateways. */
async function change(text: string, batchId: string): Promise<Body[]> {
  return gateway.app.database.system.query({ name: `test.${text}`, text }, [batchId]);
}

async function post(count: number): Promise<string> {
  project = await gateway.project();
  return (await project.rest('POST', '/email', { emails: emailsOf(count) })).body.batch_id;
}

describe('two processes', () => {
  test('work on one batch, and complete each check once', async () => {
    const batchId = await post(1000);
    // Leases are invalid, so that both process the same checks.
    const owner = await connectAs(gateway.database, 'owner');
    await owner.query(`create function no_lease() returns trigger language plpgsql as $$
        begin new.claimable_at := now() - interval '1 second'; return new; end $$;
      create trigger no_lease before update on email_batches for each row execute function no_lease()`);
    try {
      await Promise.all([
        gateway.app.settleEmailChecks(project.projectId),
        other.app.settleEmailChecks(project.projectId),
      ]);
    } finally {
      await owner.query('drop trigger no_lease on email_batches; drop function no_lease()');
      await owner.end();
    }
    await expectOnce(batchId, 1000);
  });

  test('alternate between projects: the batch of one does not wait for many of another', async () => {
    const [many, one] = [await gateway.project(), await gateway.project()];
    for (let count = 0; count < 12; count += 1) {
      await many.rest('POST', '/email', { emails: emailsOf(150) });
    }
    await one.rest('POST', '/email', { emails: emailsOf(150) });
    const working = await startGateway({ masterKey, database: gateway.database });
    const ended = async (of: TestProject): Promise<string[]> => {
      const { emailBatches } = await of.graphql('{ emailBatches { edges { node { completedAt } } } }');
      return emailBatches.edges.map(({ node }: Body) => node.completedAt);
    };
    await vi.waitFor(async () => expect(await ended(many)).not.toContain(null), {
      timeout: 50_000,
      interval: 20,
    });
    await working.close();
    const [last] = await ended(one);
    // It is the newest batch, and is processed at the first turn of its project.
    expect((await ended(many)).filter((at) => at > last!).length).toBeGreaterThanOrEqual(8);
  });
});

describe('a process that ends in the middle of a batch', { timeout: 180_000 }, () => {
  test('by SIGKILL leaves the rest to another one after its lease expires', async () => {
    const batchId = await post(1000);
    await killInside({
      database: gateway.database,
      masterKey,
      // In its second chunk.
      change: { table: 'email_checks', when: "new.status <> 'pending' and new.position = 150" },
      async inside() {
        const { body } = await project.rest('GET', `/email/batch/${batchId}`);
        expect([body.status, body.completed_count]).toEqual(['processing', 120]);
      },
    });
    await gateway.app.settleEmailChecks(project.projectId);
    const { body } = await project.rest('GET', `/email/batch/${batchId}`);
    expect(body.completed_count).toBe(120);
    // As after 30 seconds.
    await change(
      `update email_batches set claimable_at = now() - interval '1 second' where batch_id = $1`,
      batchId,
    );
    await gateway.app.settleEmailChecks(project.projectId);
    await expectOnce(batchId, 1000);
  });

  test('by closing leaves the rest to another one immediately', async () => {
    const batchId = await post(1000);
    const leaving = await startGateway({ masterKey, database: gateway.database });
    await vi.waitFor(
      async () => {
        const { body } = await project.rest('GET', `/email/batch/${batchId}?limit=1`);
        expect(body.completed_count).toBeGreaterThan(0);
      },
      { timeout: 50_000, interval: 1 },
    );
    await leaving.close();
    await gateway.app.settleEmailChecks(project.projectId);
    await expectOnce(batchId, 1000);
  });
});

describe('a check that cannot be evaluated', () => {
  test('fails after three attempts, without blocking the others', async () => {
    const batchId = await post(3);
    await change(
      `update email_checks set input = set_byte(input, 40, get_byte(input, 40) # 1) where batch_id = $1 and position = 1`,
      batchId,
    );
    await gateway.app.settleEmailChecks(project.projectId);
    const attempts = await change(
      'select attempts from email_checks where batch_id = $1 order by position',
      batchId,
    );
    expect(attempts).toEqual([{ attempts: 0 }, { attempts: 3 }, { attempts: 0 }]);
    const { body } = await project.rest('GET', `/email/batch/${batchId}`);
    expect(body.results.map(({ status }: Body) => status)).toEqual(['success', 'error', 'success']);
    expect(body.results[1]).toMatchObject({
      data: { input: { email: null, claims: null }, result: null },
      error: { email: null, code: 'email.check_failed', message: 'The check could not be evaluated' },
    });
    const { emailBatch } = await project.graphql(
      'query ($id: ID!) { emailBatch(id: $id) { batchStatus counts { completed failed } } }',
      { id: globalIdOf('EmailBatch', batchId) },
    );
    expect(emailBatch).toEqual({ batchStatus: 'COMPLETED', counts: { completed: 3, failed: 1 } });
    expect(await eventsOf(batchId)).toEqual({ perCheck: [1, 1, 1], batches: 1 });
  });
});
