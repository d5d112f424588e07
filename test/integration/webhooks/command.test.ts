import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { run, until } from '../../acceptance/gateway-process.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { deliveriesOf, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
  project = await gateway.project();
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const environment = () => ({
  DATABASE_URL: gateway.database.ownerUrl,
  MASTER_KEY: masterKey,
  WEBHOOK_ALLOW_LOOPBACK: '1',
});
const start = (...args: string[]) => run(['webhook', ...args], environment());

async function webhook(...args: string[]) {
  const ended = await runCommand(['webhook', ...args], environment());
  return { ...ended, output: ended.output + ended.errors };
}

describe('vouchgraph webhook', () => {
  it('adds, lists, tails and resends', async () => {
    const added = await webhook(
      'add',
      project.projectId,
      receiver.url(),
      '--types',
      'account.authenticated',
      '--json',
    );
    expect(added.code).toBe(0);
    const endpoint = JSON.parse(added.output);
    expect(endpoint).toMatchObject({ event_types: ['account.authenticated'], state: 'enabled' });
    expect(endpoint.secret).toMatch(/^whsec_/);

    const listed = await webhook('list', project.projectId);
    expect(listed.output).toContain(endpoint.id);
    expect(listed.output).not.toContain('whsec_');

    const tail = start('tail', project.projectId, '--endpoint', endpoint.id, '--json');
    await project.authenticate({ id: unique('event') });
    await gateway.app.settleWebhooks();
    const [delivery] = await deliveriesOf(project, globalIdOf('WebhookEndpoint', endpoint.id));

    expect((await webhook('resend', project.projectId, delivery!.deliveryId)).output).toContain('1 delivery');
    await receiver.until(2);
    const since = new Date(Date.now() - 60_000).toISOString();
    await gateway.app.settleWebhooks();
    const again = await webhook('resend', project.projectId, '--since', since, '--endpoint', endpoint.id);
    expect(again.output).toContain('1 delivery');
    await receiver.until(3);
    await gateway.app.settleWebhooks();
    // It shows attempts from its start on, which may be later than those above.
    await until('the command shows the attempt', async () => {
      await webhook('resend', project.projectId, delivery!.deliveryId);
      await gateway.app.settleWebhooks();
      return tail.output().includes(delivery!.deliveryId);
    });
    tail.signal('SIGINT');
    expect(await tail.exited).toBe(0);
    const first = tail
      .output()
      .split('\n')
      .find((line) => line.includes('"attempt_id"'));
    expect(JSON.parse(first!)).toMatchObject({
      status: 200,
      endpoint_id: endpoint.id,
    });
  });

  it('reports errors in one line', async () => {
    const wrong: [number, string[]][] = [
      [2, ['add', project.projectId, 'https://10.0.0.1/']],
      [2, ['add', project.projectId, 'https://example.com/', '--types', 'account.flew']],
      [1, ['resend', project.projectId, '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11']],
      [1, ['tail', project.projectId, '--endpoint', '019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11']],
    ];
    for (const [exit, args] of wrong) {
      const { code, errors } = await webhook(...args);
      expect(code).toBe(exit);
      expect(errors.trim().split('\n')).toHaveLength(1);
      expect(errors).toMatch(/^vouchgraph: /);
    }
    const { code, errors } = await webhook('resend', project.projectId);
    expect({ code, errors }).toEqual({
      code: 2,
      errors: 'vouchgraph: delivery: required, or --since and --endpoint\n',
    });
  });
});
