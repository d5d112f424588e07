import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { batchClaimer } from '../../../src/domain/email-checks/email-claim-store.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/* The order in which a process claims batches. */
const masterKey = generateMasterKey();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, completesEmailChecks: false });
});
afterAll(() => gateway.close());

async function post(project: TestProject): Promise<void> {
  const { status } = await project.rest('POST', '/email', {
    emails: [{ email: `${unique('t')}@gmail.com` }],
  });
  expect(status).toBe(200);
}

test('a project with many batches does not delay the batch of another project', async () => {
  const { system } = gateway.app.database;
  const [many, one] = [await gateway.project(), await gateway.project()];
  for (let count = 0; count < 3; count += 1) await post(many);
  await post(one);
  const claim = batchClaimer(system, () => new Date());
  const order: string[] = [];
  for (;;) {
    const [claimed] = await claim(null);
    if (!claimed) break;
    order.push(claimed.projectId === one.projectId ? 'one' : 'many');
    const text = `update email_batches set status = 'completed', claimable_at = null where batch_id = $1`;
    await system.query({ name: 'test.complete', text }, [claimed.id]);
  }
  expect(order).toEqual(['many', 'one', 'many', 'many']);
});

test('projects with failing writes do not delay the checks of others', async () => {
  const owner = await connectAs(gateway.database, 'owner');
  const system = await connectAs(gateway.database, 'vouchgraph_system');
  const projects = await Promise.all(Array.from({ length: 8 }, () => gateway.project()));
  const ids: string[] = [];
  for (const project of projects) {
    const { body } = await project.rest('POST', '/email', { email: `${unique('t')}@gmail.com` });
    ids.push(body.request_id);
  }
  const whole = projects[3]!;
  // As if their process had ended; none of them was completed.
  await system.query(
    `update email_checks c set status = 'pending', result = null, event_id = null, completed_at = null,
       claimable_at = now() - (10 - array_position($1::uuid[], c.check_id)) * interval '1 second'
     where check_id = any($1::uuid[])`,
    [ids],
  );
  await owner.query(`create function refuse() returns trigger language plpgsql as $$ begin
      if new.project_id <> '${whole.projectId}' and new.status <> 'pending' then raise exception 'refused'; end if;
      return new; end $$;
    create trigger refuse before update on email_checks for each row execute function refuse()`);
  const working = await startGateway({ masterKey, database: gateway.database });
  try {
    await vi.waitFor(
      async () => {
        const { rows } = await system.query(
          'select status from email_checks where check_id = any($1::uuid[]) order by array_position($1::uuid[], check_id)',
          [ids],
        );
        expect(rows.map(({ status }) => status)).toEqual(
          projects.map((project) => (project === whole ? 'success' : 'pending')),
        );
      },
      { timeout: 50_000, interval: 20 },
    );
  } finally {
    await working.close();
    await owner.query('drop trigger refuse on email_checks; drop function refuse()');
    await Promise.all([owner.end(), system.end()]);
  }
});
