import { EVENT_TYPES, type EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { sampleEvent } from '@vouchgraph/events/internals/event-samples';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter, sampleData, type WrittenEvent } from '../../support/outbox.ts';
import { browserToken, collect, EVENTS, headOf, overSocket } from '../../support/subscriptions.ts';
import { createEndpoint, startReceiver } from '../../support/webhook-receiver.ts';

/* Every interface returns a stored event with the same documented data. */

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
const open: { dispose(): void | Promise<void> }[] = [];
beforeAll(async () => {
  gateway = await startGateway({ masterKey, settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
  project = await gateway.project();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
});
afterAll(() => gateway.close());

/** The recorded event of a type, as one of a project. */
function sample(type: EventType, { projectId }: TestProject = project): WrittenEvent {
  const { sessionId } = sampleEvent(type, projectId);
  return { type, ...(sessionId ? { sessionId } : {}), data: sampleData(type, projectId) };
}

/** Ids and times of an authentication of an account with a session of the project. */
function authenticated(accountId: string, sessionId: string): WrittenEvent {
  const { data } = sample('account.authenticated');
  const session = { ...(data.session as Body), session_id: sessionId };
  return {
    type: 'account.authenticated',
    sessionId,
    data: { ...data, account_id: accountId, session_id: sessionId, session },
  };
}

describe('a stored event', () => {
  const writer = () => createEventWriter(gateway, masterKey, project.projectId);
  const follow = (who: Record<string, string>, after: string) => {
    const client = overSocket(gateway.baseUrl, who);
    open.push(client);
    return collect(client, EVENTS, { after });
  };

  it('is replayed from a cursor with its documented data', async () => {
    const after = await headOf(project);
    await (await writer())(EVENT_TYPES.map((type) => sample(type)));
    await gateway.app.settleEvents();
    const events = await follow({ 'x-api-key': project.key }, after).until(EVENT_TYPES.length);
    const shown = events.map(({ data }) => JSON.stringify(data));
    expect(shown).toEqual(EVENT_TYPES.map((type) => JSON.stringify(sample(type).data)));
  });

  it('is sent to a token limited to its session with the data of that session only', async () => {
    const id = unique('limited');
    const { session_id } = await project.authenticate({ id });
    await gateway.app.settleEvents();
    const after = await headOf(project);
    const event = authenticated(id, session_id);
    await (await writer())([event]);
    await gateway.app.settleEvents();
    const authorization = `Bearer ${await browserToken(project, { sessionId: session_id })}`;
    const [shown] = await follow({ authorization }, after).until(1);
    expect(shown!.data).toEqual({ session_id, session: event.data.session });
  });

  it('is sent to webhooks with the same bytes', async () => {
    const receiver = await startReceiver();
    open.push({ dispose: () => receiver.close() });
    const own = await gateway.project();
    await createEndpoint(own, { url: receiver.url() });
    const write = await createEventWriter(gateway, masterKey, own.projectId);
    const events = EVENT_TYPES.map((type) => sample(type, own));
    await write(events);
    await gateway.app.settleWebhooks();
    const bytes = new Map(
      receiver.received.map(({ body, text }) => [body.type, text.slice(text.indexOf('"data":'))]),
    );
    for (const { type, data } of events)
      expect(bytes.get(type), type).toBe(`"data":${JSON.stringify(data)}}`);
  });

  it('is exported with its account under documented names', async () => {
    const id = unique('exported');
    const { session_id } = await project.authenticate({ id });
    const event = authenticated(id, session_id);
    await (await writer())([event]);
    const { exportAccount } = await project.graphql(
      `mutation ($input: ExportAccountInput!) { exportAccount(input: $input) { records { section data } } }`,
      { input: { accountId: id, first: 100 } },
    );
    const stored = exportAccount.records
      .filter(({ section, data }: Body) => section === 'EVENTS' && data.type === event.type)
      .map(({ data }: Body) => data.data);
    expect(stored).toHaveLength(2);
    expect(stored).toContainEqual({ format: 1, ...event.data });
    for (const data of stored) expect(Object.keys(data)).toContain('accounts_linked');
  });
});
