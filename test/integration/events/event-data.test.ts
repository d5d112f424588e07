import { documentedData } from '@vouchgraph/events/internals/catalogue/documented-data';
import { type PublicEvent, toPublicEvent } from '@vouchgraph/events/internals/event';
import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../../../src/domain/events/event-store.ts';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
});
afterAll(() => gateway.close());

/** All events of a project in their order, decrypted, with their documented data. */
async function eventsOf({
  projectId,
}: TestProject): Promise<(PublicEvent & { data: Record<string, unknown> })[]> {
  await gateway.app.settleEvents();
  const { database } = gateway.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock: systemClock });
  const { cipher } = (await access.findProjectById(projectId))!;
  const rows = await readEvents(database.forProject(projectId), { after: 0, limit: 1000 });
  return rows.map((row) => {
    const event = toPublicEvent(cipher, projectId, row);
    return { ...event, data: documentedData(event.facts) };
  });
}

/** Keys of a response besides the object itself. */
function withoutMeta({ request_id, project_id, ...rest }: Record<string, unknown>) {
  return rest;
}

const FACTS = {
  ip_address: '203.0.113.9',
  browser: { user_agent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) Chrome/137.0.0.0 Safari/537.36' },
  device: { gpu: 'Apple M1', cpu_cores: 8, memory: 8, screen_width: 1440, screen_height: 900 },
};
const PHONE = {
  source: 'ios',
  mobile: {
    brand: 'Apple',
    model: 'iPhone 15',
    ram_mb: 6000,
    battery: { level: 0.5, charging: true },
    languages: ['en'],
  },
  carrier: { name: 'Carrier', country_code: 'US', mcc: '310', mnc: '260' },
};

describe('the data of an event', () => {
  it.each([
    ['web', FACTS],
    ['ios', PHONE],
  ])('of a %s session is the Session object of the interface', async (_source, facts) => {
    const project = await gateway.project();
    const sessionId = await project.session(facts);
    const { body } = await project.rest('GET', `/session/${sessionId}`);
    const { account_ids, request_id, ...session } = body;
    const [event] = await eventsOf(project);
    expect(event).toMatchObject({ type: 'session.completed', sessionId, accountId: null });
    expect(event!.data).toEqual(session);
  });

  it('of an account is its record, with the session of the request', async () => {
    const project = await gateway.project();
    // Events contain all three decisions.
    await project.graphql(
      'mutation { updateProjectSettings(input: {twoValuedDecision: false}) { requestId } }',
    );
    const id = unique('event');
    const account = {
      id,
      email: `${id}@example.org`,
      phone: '+14155550199',
      first_name: 'Ada',
      metadata: { plan: 'x', nested: { deep: [1, null] } },
      expected_countries: ['DE'],
      lists: ['vip'],
    };
    await project.authenticate(account, FACTS);
    const authenticated = (await eventsOf(project)).find(({ type }) => type === 'account.authenticated')!;
    const { body } = await project.rest('GET', `/account/${id}`);
    const { session, session_id, account_id, ...record } = authenticated.data;
    expect(record).toEqual(withoutMeta(body));
    expect({ account_id, session_id }).toEqual({ account_id: id, session_id: body.last_session });
    const { account_ids, request_id, ...shown } = (await project.rest('GET', `/session/${body.last_session}`))
      .body;
    expect(session).toEqual(shown);

    await project.rest('PUT', `/account/${id}`, { last_name: 'Lovelace' });
    const updated = (await eventsOf(project)).find(({ type }) => type === 'account.updated')!;
    const { account_id: _, ...changed } = updated.data;
    expect(changed).toEqual(withoutMeta((await project.rest('GET', `/account/${id}`)).body));
  });

  it('of a link names both accounts by the ids of the client, and is deleted with either account', async () => {
    const project = await gateway.project();
    const [one, two] = [unique('one'), unique('two')];
    await project.authenticate({ id: one, phone: '+14155550123' });
    await project.authenticate({ id: two, phone: '+14155550123' });
    const linked = (await eventsOf(project)).filter(({ type }) => type === 'account.linked');
    expect(linked.map(({ data }) => data)).toEqual([
      { account_id: two, linked_account_id: one, score: 1, match_types: ['phone'] },
    ]);
    await project.rest('PUT', `/account/${two}`, { phone: '+14155550124' });
    const unlinked = (await eventsOf(project)).filter(({ type }) => type === 'account.unlinked');
    expect(unlinked.map(({ data }) => data)).toEqual([{ account_id: two, linked_account_id: one }]);

    await project.rest('DELETE', `/account/${one}`);
    const left = await eventsOf(project);
    expect(JSON.stringify(left.filter(({ type }) => type !== 'account.deleted'))).not.toContain(one);
    expect(left.map(({ type }) => type)).toContain('account.deleted');
  });

  it('of a session is deleted with the account of the session', async () => {
    const project = await gateway.project();
    const id = unique('gone');
    await project.authenticate({ id }, FACTS);
    await project.rest('DELETE', `/account/${id}`);
    expect((await eventsOf(project)).map(({ type }) => type)).toEqual(['account.deleted']);
  });
});
