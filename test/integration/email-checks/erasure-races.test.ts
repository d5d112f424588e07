import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { upload } from '../../support/email-imports.ts';
import { type Body, type Gateway, startGateway, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/* Erasures while two gateways complete the batches that contain what is erased. */
const masterKey = generateMasterKey();
let gateway: Gateway;
let other: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  other = await startGateway({ masterKey, database: gateway.database });
});
afterAll(async () => {
  await other.close();
  await gateway.close();
});

it('concurrent erasures of addresses and accounts leave batches that complete once, with correct counts and no events', async () => {
  const project = await gateway.project();
  const shared = Array.from({ length: 12 }, () => `${unique('shared')}@example.org`);
  const owned = await Promise.all(
    shared.slice(0, 6).map(async (email) => {
      const id = unique('owner');
      await project.authenticate({ id, email });
      return id;
    }),
  );
  const emails = Array.from({ length: 300 }, (_, index) => ({
    email: index % 3 === 0 ? shared[(index / 3) % shared.length]! : `${unique('kept')}@example.org`,
  }));
  const sent = Array.from({ length: 6 }, () => project.rest('POST', '/email', { emails }));
  const batchIds = (await Promise.all(sent)).map(({ body }) => body.batch_id);
  const erase = 'mutation ($email: String!) { eraseEmail(input: { email: $email }) { checks } }';
  await Promise.all([
    ...shared
      .slice(6)
      .flatMap((email) => [project.graphql(erase, { email }), project.graphql(erase, { email })]),
    ...owned.map((id) => project.rest('DELETE', `/account/${id}`)),
  ]);
  await Promise.all([gateway, other].map(({ app }) => app.settleEmailChecks(project.projectId)));
  const system = await connectAs(gateway.database, 'vouchgraph_system');
  const rowsOf = async (text: string): Promise<Body[]> =>
    (await system.query(text, [project.projectId])).rows;
  const batches = await rowsOf(
    'select status, total_count, completed_count, failed_count from email_batches where project_id = $1',
  );
  const checks = await rowsOf('select event_id, status from email_checks where project_id = $1');
  const events = await rowsOf(
    `select type, event_id from outbox_events where project_id = $1 and type like 'email.%'`,
  );
  await system.end();
  expect(batches.map(({ status, completed_count }) => [status, completed_count])).toEqual(
    Array(batchIds.length).fill(['completed', emails.length]),
  );
  expect(checks.filter(({ status }) => status === 'pending')).toEqual([]);
  const idsOf = (rows: Body[]) => rows.map(({ event_id }) => event_id).sort();
  const ofChecks = events.filter(({ type }) => type === 'email.intelligence.completed');
  expect(idsOf(ofChecks)).toEqual(idsOf(checks));
  expect(events.filter(({ type }) => type === 'email.batch.completed')).toHaveLength(batchIds.length);
}, 60_000);

it('an import and its addresses are erased concurrently without errors and completely', async () => {
  const project = await gateway.project();
  const shared = Array.from({ length: 8 }, () => `${unique('shared')}@example.org`);
  const lines = Array.from({ length: 3000 }, (_, index) =>
    index % 5 === 0 ? shared[(index / 5) % shared.length]! : `u${index}@example.org`,
  );
  const { status, body } = await upload(gateway, project, `email\n${lines.join('\n')}\n`, {
    query: { emit_each: 'true' },
  });
  expect(status).toBe(200);
  await Promise.all([gateway, other].map(({ app }) => app.settleEmailChecks(project.projectId)));
  const erase = 'mutation ($email: String!) { eraseEmail(input: { email: $email }) { checks } }';
  const [erased] = await Promise.all([
    project.rest('DELETE', `/email/imports/${body.import_id}`),
    ...shared.map((email) => project.graphql(erase, { email })),
  ]);
  expect(erased!.status).toBe(200);
  const system = await connectAs(gateway.database, 'vouchgraph_system');
  const text = `select (select count(*)::int from email_checks where project_id = $1) as checks,
    (select count(*)::int from outbox_events where project_id = $1 and type = 'email.intelligence.completed') as events`;
  const { rows } = await system.query(text, [project.projectId]);
  await system.end();
  expect(rows).toEqual([{ checks: 0, events: 0 }]);
}, 60_000);
