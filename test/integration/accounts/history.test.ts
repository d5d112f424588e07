import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const FRENCH = '90.54.1.1';
const AMERICAN = '8.8.8.8';
/** A time in January 2026. */
const on = (day: number, hour = 10) => new Date(Date.UTC(2026, 0, day, hour)).toISOString();
const read = async (id: string) => (await project.rest('GET', `/account/${id}`)).body;

/** Authenticates an account with sessions, in this order; returns the last response. */
async function live(id: string, sessions: Record<string, unknown>[]): Promise<Body> {
  let answer: Body;
  for (const facts of sessions) answer = await project.authenticate({ id }, facts);
  return answer;
}

describe('the sessions of an account', () => {
  it('are listed newest first in any order of arrival', async () => {
    const id = unique('listed');
    const sessionIds = new Map<number, string>();
    for (const day of [3, 9, 1, 6]) {
      const { session_id } = await project.authenticate({ id }, { start_time: on(day) });
      sessionIds.set(day, session_id);
    }
    const { body } = await project.rest('GET', `/account/${id}/sessions`);
    const newestFirst = [9, 6, 3, 1].map((day) => sessionIds.get(day));
    expect(body.sessions).toEqual(newestFirst);
    const { account } = await project.graphql(
      'query ($id: ID!) { account(accountId: $id) { sessions(first: 3) { edges { node { sessionId } } pageInfo { hasNextPage } } } }',
      { id },
    );
    expect(account.sessions.edges.map((edge: Body) => edge.node.sessionId)).toEqual(newestFirst.slice(0, 3));
    expect(account.sessions.pageInfo.hasNextPage).toBe(true);
  });

  it('determine the first and last time, the last session and the countries, even when they arrive late', async () => {
    const id = unique('late');
    const first = await live(id, [{ start_time: on(5), ip_address: FRENCH }]);
    expect(first.account).toMatchObject({ country: 'FR', countries: ['FR'], last_session: first.session_id });
    const late = await live(id, [{ start_time: on(2), ip_address: AMERICAN }]);
    expect(late.account).toMatchObject({
      num_sessions: 2,
      first_seen: on(2),
      last_seen: on(5),
      last_session: first.session_id,
      country: 'FR',
      countries: ['FR', 'US'],
    });
    const latest = await live(id, [{ start_time: on(7), ip_address: AMERICAN }]);
    expect(await read(id)).toMatchObject({
      first_seen: on(2),
      last_seen: on(7),
      last_session: latest.session_id,
      country: 'US',
      countries: ['FR', 'US'],
    });
  });
});

describe('the devices and networks of an account', () => {
  const counts = (one: number, seven: number) => ({ '1_day': one, '7_day': seven });

  it('are counted before the last seen time', async () => {
    const id = unique('windows');
    await live(id, [
      { start_time: on(1), device_id: 'a', ip_address: '90.54.1.1' },
      { start_time: on(2, 11), device_id: 'b', ip_address: '90.54.1.2' },
      { start_time: on(8, 12), device_id: 'c', ip_address: '90.54.1.2' },
      { start_time: on(9), device_id: 'd', ip_address: '90.54.1.3' },
    ]);
    expect(await read(id)).toMatchObject({
      unique_devices: counts(2, 3),
      unique_networks: counts(2, 2),
    });
    await live(id, [{ start_time: on(20), device_id: 'a', ip_address: '90.54.1.1' }]);
    expect(await read(id)).toMatchObject({ unique_devices: counts(1, 1), unique_networks: counts(1, 1) });
  });

  it('are counted equally when their sessions arrive late', async () => {
    const id = unique('windows');
    const answer = await live(id, [
      { start_time: on(9), device_id: 'd' },
      { start_time: on(8, 12), device_id: 'c' },
      { start_time: on(1), device_id: 'a' },
      { start_time: on(2, 11), device_id: 'b' },
      { start_time: on(3), device_id: 'd' },
    ]);
    expect(answer.account.unique_devices).toEqual(counts(2, 3));
    expect(answer.account.unique_networks).toEqual(counts(0, 0));
  });
});

describe('the averages of an account', () => {
  // A crawler's user agent counts as a bot, and as a risk of the device.
  const crawler = {
    browser: { user_agent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
  };
  const datacenter = { ip_address: '34.117.59.81' };

  it('have a half-life of 30 days', async () => {
    const id = unique('average');
    const risky = await live(id, [{ start_time: on(1), ...crawler, ...datacenter }]);
    const { datacenter: score } = risky.account.risk_signal_average;
    expect(score).toBeGreaterThan(0.5);
    expect(risky.bot).toBeGreaterThan(0.5);
    const clean = await live(id, [{ start_time: on(31) }]);
    // Weights 1/2 and 1: the earlier session contributes a third of the average.
    expect(clean.account.risk_signal_average.datacenter).toBeCloseTo(score / 3, 3);
    expect(clean.bot).toBeCloseTo(risky.bot / 3, 3);
    expect(clean.risk_signals).toBeCloseTo(risky.risk_signals / 3, 3);
  });

  it('do not depend on the order of sessions', async () => {
    const [forward, backward] = [unique('forward'), unique('backward')];
    const sessions = [
      { start_time: on(1), ...datacenter },
      { start_time: on(11), ...crawler },
      { start_time: on(31) },
    ];
    await live(forward, sessions);
    await live(backward, sessions.toReversed());
    const average = (await read(forward)).risk_signal_average;
    expect(average.datacenter).toBeGreaterThan(0);
    for (const [signal, value] of Object.entries((await read(backward)).risk_signal_average)) {
      expect(value, signal).toBeCloseTo(average[signal], 3);
    }
  });

  it('do not lower the scores below those of the current session', async () => {
    const id = unique('now');
    await live(id, [{ start_time: on(1) }, { start_time: on(2) }]);
    const risky = await live(id, [{ start_time: on(3), ...crawler }]);
    const alone = await live(unique('alone'), [{ start_time: on(3), ...crawler }]);
    expect(risky.bot).toBe(alone.bot);
    expect(risky.risk_signals).toBe(alone.risk_signals);
  });
});

describe('the number of accounts from a domain', () => {
  it('counts the accounts with an email of one registrable domain, of one project', async () => {
    const stranger = await gateway.project();
    const domain = `${unique('corp').replaceAll('-', '')}.co.uk`;
    await stranger.authenticate({ id: 'far', email: `far@${domain}` });
    const ids = ['one', 'two', 'three'].map(unique);
    await project.authenticate({ id: ids[0], email: `ada@${domain}` });
    await project.authenticate({ id: ids[1], email: `bob@mail.${domain}` });
    const third = await project.authenticate({ id: ids[2], email: `cem@${domain.toUpperCase()}` });
    expect(third.account.email.num_account_from_domain).toBe(3);
    expect((await read(ids[0]!)).email.num_account_from_domain).toBe(3);
    const moved = await project.rest('PUT', `/account/${ids[1]}`, { email: `bob@${unique('other')}.com` });
    expect(moved.body.email.num_account_from_domain).toBe(1);
    const cleared = await project.rest('PUT', `/account/${ids[2]}`, { email: '' });
    expect(cleared.body.email.num_account_from_domain).toBe(0);
    expect((await read(ids[0]!)).email.num_account_from_domain).toBe(1);
  });
});
