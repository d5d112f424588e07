import { afterAll, beforeAll, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { DOCUMENTED_WEBHOOKS } from '../../support/documented-bodies.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { playedVerification } from '../../support/verification.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

/* Webhooks that a gateway sends are those that openapi.json describes. */
let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;
beforeAll(async () => {
  [gateway, receiver] = await Promise.all([
    startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } }),
    startReceiver(),
  ]);
  project = await gateway.project();
  await createEndpoint(project, { url: receiver.url() });
});
afterAll(async () => {
  await receiver?.close();
  await gateway?.close();
});

const CHANGES = [
  'session.completed',
  'account.authenticated',
  'account.linked',
  'account.unlinked',
  'account.outcome_reported',
  'account.outcome_retracted',
  'account.updated',
  'account.deleted',
  'list.account_added',
  'list.account_removed',
  'rule.triggered',
  'verification.id_check.completed',
  'verification.face_check.completed',
  'verification.failed',
  'verification.reviewed',
  'email.intelligence.completed',
  'email.batch.completed',
];

it('bodies of webhooks have the documented shape', async () => {
  await project.graphql(
    'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { name } } }',
    {
      input: {
        ...{ name: 'known', expression: 'account.id = "ada"', trigger: 'ANY_SESSION', state: 'ENABLED' },
        actions: [{ raiseFlag: 'is_ada' }],
      },
    },
  );
  const facts = { ip_address: '90.54.1.1', device_id: 'phone' };
  await project.authenticate({ id: 'ada', phone: '+14155552671', lists: ['beta'] }, facts);
  await project.authenticate({ id: 'eve', phone: '+14155552671', date_of_birth: '1990-12-10' });
  await project.rest('PUT', '/account/eve', { phone: '' });
  await gateway.app.recalculateLinks(project.projectId);
  await project.rest('DELETE', '/list/beta/account/ada');
  const real = { simulate: 'success', simulate_decision: 'Real', account_id: 'ada' };
  await playedVerification(gateway, project, { id: 'true', ...real });
  const checked = await playedVerification(gateway, project, real);
  await playedVerification(gateway, project, { simulate: 'liveness_check_failed' });
  await project.graphql(
    'mutation ($id: ID!) { rejectVerification(input: { id: $id, reason: "A copy" }) { requestId } }',
    { id: globalIdOf('Verification', checked) },
  );
  const { reportOutcome } = await project.graphql(
    `mutation { reportOutcome(input: { accountId: "ada", outcome: FRAUD, at: "2026-01-02T03:04:05Z" }) {
       outcome { id } } }`,
  );
  await project.graphql('mutation ($id: ID!) { retractOutcome(input: { id: $id }) { requestId } }', {
    id: reportOutcome.outcome.id,
  });
  await project.rest('POST', '/email?wait=10', { email: 'ada@gmail.com', identity_intelligence: true });
  await project.rest('POST', '/email?wait=10', { emails: [{ email: 'nowhere' }], batch_name: 'one' });
  await gateway.app.settleEmailChecks(project.projectId);
  const deliver = async () => {
    await gateway.app.settleEvents();
    await gateway.app.settleWebhooks();
  };
  // Before the erasure, which erases the events of the account as well.
  await deliver();
  await project.rest('DELETE', '/account/eve');
  await deliver();

  for (const { body } of receiver.received) {
    const shape = DOCUMENTED_WEBHOOKS[body.type]!;
    expect([body.type, shape.safeParse(body).error?.issues ?? []]).toEqual([body.type, []]);
  }
  const types = new Set(receiver.received.map(({ body }) => body.type));
  expect(CHANGES.filter((type) => !types.has(type))).toEqual([]);
});
