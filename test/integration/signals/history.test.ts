import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

/* Addresses of access providers: Orange in Poitiers, Sky in Great Britain, an operator in the United States. */
const POITIERS = '90.54.1.1';
const BRITAIN = '2.125.160.216';
const at = (hours: number) => new Date(Date.UTC(2026, 5, 1) + hours * 3_600_000).toISOString();

const codesOf = (session: Body): string[] =>
  [...session.risk_signal_details.network, ...session.risk_signal_details.device].map(
    ({ code }: Body) => code,
  );
const sessionOf = async (sessionId: string) => (await project.rest('GET', `/session/${sessionId}`)).body;

describe('travel between two sessions of an account', () => {
  it('that is impossible is reported with the second session, over both interfaces, and in the average', async () => {
    const id = unique('traveler');
    await project.authenticate({ id }, { ip_address: POITIERS, start_time: at(0) });
    const jumped = await project.authenticate({ id }, { ip_address: '8.8.8.8', start_time: at(1) });
    expect(jumped.session.risk_signals.impossible_travel).toBe(true);
    expect(jumped.session.risk_signal_scores.impossible_travel).toBeGreaterThan(0.8);
    expect(codesOf(jumped.session)).toContain('impossible_travel_speed');
    expect(jumped.account.risk_signal_average.impossible_travel).toBeGreaterThan(0.4);
    expect((await sessionOf(jumped.session_id)).risk_signals.impossible_travel).toBe(true);
    const { session } = await project.graphql(
      `query ($id: ID!) { session(sessionId: $id) { riskSignalScores { impossibleTravel } coverage { source lookedAt affects } } }`,
      { id: jumped.session_id },
    );
    expect(session.riskSignalScores.impossibleTravel).toBe(
      jumped.session.risk_signal_scores.impossible_travel,
    );
  });

  it('is computed per account: the same session has none for another account', async () => {
    const [first, second] = [unique('first'), unique('second')];
    await project.authenticate({ id: first }, { ip_address: POITIERS, start_time: at(0) });
    const session_id = await project.session({ ip_address: '8.8.8.8', start_time: at(1) });
    const bind = async (id: string) =>
      (await project.rest('POST', '/session/authenticate', { session_id, account: { id } })).body;
    expect(codesOf((await bind(first)).session)).toContain('impossible_travel_speed');
    expect(codesOf(await sessionOf(session_id))).toContain('impossible_travel_speed');
    expect(codesOf((await bind(second)).session)).not.toContain('impossible_travel_speed');
    expect(codesOf(await sessionOf(session_id))).not.toContain('impossible_travel_speed');
    expect((await bind(first)).account.risk_signal_average.impossible_travel).toBeGreaterThan(0);
  });

  it('is also reported when the earlier session is bound after the later one', async () => {
    const id = unique('reordered');
    const early = await project.session({ ip_address: POITIERS, start_time: at(0) });
    await project.authenticate({ id }, { ip_address: '8.8.8.8', start_time: at(1) });
    const { body } = await project.rest('POST', '/session/authenticate', {
      session_id: early,
      account: { id },
    });
    expect(body.session.risk_signals.impossible_travel).toBe(true);
  });

  it('within the time of a flight, or after more than a week, is not reported', async () => {
    const id = unique('flight');
    await project.authenticate({ id }, { ip_address: POITIERS, start_time: at(0) });
    const flown = await project.authenticate({ id }, { ip_address: BRITAIN, start_time: at(3) });
    expect(flown.session.risk_signals.impossible_travel).toBe(false);
    const late = await project.authenticate({ id }, { ip_address: '8.8.8.8', start_time: at(24 * 9) });
    expect(codesOf(late.session)).not.toContain('impossible_travel_speed');
  });

  it('ignores the sessions of another project', async () => {
    const other = await gateway.project();
    const id = unique('shared-name');
    await other.authenticate({ id }, { ip_address: POITIERS, start_time: at(0) });
    const here = await project.authenticate({ id }, { ip_address: '8.8.8.8', start_time: at(1) });
    expect(here.session.risk_signal_scores.impossible_travel).toBe(0);
  });
});

describe('expected countries', () => {
  it('are compared for the pair of account and session, and reflect changes of the account', async () => {
    const id = unique('expected');
    const session_id = await project.session({ ip_address: POITIERS, start_time: at(0) });
    const bind = async (expected_countries?: string[]) =>
      (
        await project.rest('POST', '/session/authenticate', {
          session_id,
          account: { id, expected_countries },
        })
      ).body;
    expect(codesOf((await bind()).session)).not.toContain('outside_expected_countries');
    const far = await bind(['AU']);
    expect(codesOf(far.session)).toContain('outside_expected_countries');
    expect(far.session.location_spoofing).toBeCloseTo(0.65, 1);
    expect(far.session.location_spoofing).toBe(far.session.risk_signal_scores.location_spoofing);
    expect(codesOf(await sessionOf(session_id))).toContain('outside_expected_countries');
    const home = await bind(['FR']);
    expect(home.session.risk_signal_scores.location_spoofing).toBe(0);
    expect(codesOf(await sessionOf(session_id))).not.toContain('outside_expected_countries');
  });
});

describe('fraud on a network', () => {
  const crawler = { headers: { 'user-agent': 'python-requests/2.31.0' } };

  it('is reported with the next session on the network, of another account, and decreases with time', async () => {
    const own = await gateway.project();
    const network = { ip_address: '81.10.20.30' };
    const fake = await own.authenticate(
      { id: unique('fraud'), lists: ['block'] },
      { ...network, start_time: at(0) },
    );
    expect(fake.decision).toBe('Fake');
    expect(fake.session.risk_signal_scores.recent_fraud_ip).toBe(0);

    const next = await own.authenticate({ id: unique('next') }, { ...network, start_time: at(1) });
    expect(next.session.risk_signals.recent_fraud_ip).toBe(true);
    expect(codesOf(next.session)).toContain('ip_recent_fraud_activity');
    const open = await own.session({ ...network, start_time: at(2) });
    const answer = (await own.rest('GET', `/session/${open}`)).body;
    expect(answer.risk_signals.recent_fraud_ip).toBe(true);
    const scored = await own.rest('POST', '/session/unauthenticated', { session_id: open });
    expect(scored.body.session.risk_signal_scores.recent_fraud_ip).toBeGreaterThan(0.6);

    const nearby = await own.authenticate(
      { id: unique('nearby') },
      { ip_address: '81.10.20.77', start_time: at(1) },
    );
    expect(nearby.session.risk_signal_scores.recent_fraud_ip).toBeGreaterThan(0);
    expect(nearby.session.risk_signal_scores.recent_fraud_ip).toBeLessThan(
      next.session.risk_signal_scores.recent_fraud_ip,
    );
    const later = await own.authenticate({ id: unique('later') }, { ...network, start_time: at(24 * 60) });
    expect(later.session.risk_signals.recent_fraud_ip).toBe(false);
  });

  it('does not count an account against itself, and has no effect on another project', async () => {
    const own = await gateway.project();
    const id = unique('itself');
    const network = { ip_address: '81.10.20.31' };
    await own.authenticate({ id, lists: ['block'] }, { ...network, start_time: at(0) });
    const again = await own.authenticate({ id }, { ...network, start_time: at(1) });
    expect(again.session.risk_signal_scores.recent_fraud_ip).toBe(0);
    const elsewhere = await project.authenticate(
      { id: unique('elsewhere') },
      { ...network, start_time: at(1) },
    );
    expect(elsewhere.session.risk_signal_scores.recent_fraud_ip).toBe(0);
  });

  it('is removed with the account, and when the same session is decided otherwise', async () => {
    const own = await gateway.project();
    const network = { ip_address: '81.10.20.32' };
    const erased = unique('erased');
    await own.authenticate({ id: erased, lists: ['block'] }, { ...network, start_time: at(0) });
    await own.rest('DELETE', `/account/${erased}`);
    const after = await own.authenticate({ id: unique('after') }, { ...network, start_time: at(1) });
    expect(after.session.risk_signal_scores.recent_fraud_ip).toBe(0);

    const cleared = unique('cleared');
    const session_id = await own.session({ ip_address: '81.10.20.33', start_time: at(0), ...crawler });
    const bind = async (lists: string[]) =>
      (await own.rest('POST', '/session/authenticate', { session_id, account: { id: cleared, lists } })).body;
    expect((await bind([])).decision).toBe('Fake');
    expect((await bind(['allow'])).decision).toBe('Real');
    const calm = await own.authenticate(
      { id: unique('calm') },
      { ip_address: '81.10.20.33', start_time: at(1) },
    );
    expect(calm.session.risk_signal_scores.recent_fraud_ip).toBe(0);
  });
});

describe('a device', () => {
  it('of many accounts within a week is reported', async () => {
    const device_id = unique('farm');
    let last: Body;
    for (let index = 0; index < 12; index++) {
      last = await project.authenticate(
        { id: unique(`farmed-${index}`) },
        { device_id, ip_address: `90.54.${index}.9`, start_time: at(index) },
      );
    }
    expect(codesOf(last.session)).toContain('device_shared_or_reset');
    const quiet = await project.authenticate(
      { id: unique('week-later') },
      { device_id, ip_address: '90.54.77.9', start_time: at(24 * 20) },
    );
    expect(codesOf(quiet.session)).not.toContain('device_shared_or_reset');
  });
});

describe('the averages of an account', () => {
  it('equal a recomputation from all of its sessions with their histories', async () => {
    const own = await gateway.project();
    const id = unique('averaged');
    const sessions = [
      { ip_address: POITIERS, start_time: at(0) },
      { ip_address: '8.8.8.8', start_time: at(1), browser: { timezone: 'Europe/Moscow' } },
      { ip_address: BRITAIN, start_time: at(30), headers: { 'user-agent': 'curl/8.5.0' } },
      { ip_address: '185.220.101.1', start_time: at(24 * 20) },
      // One late event and one repeated event.
      { ip_address: '52.95.110.1', start_time: at(10) },
    ];
    const answers: Body[] = [];
    for (const facts of sessions) answers.push(await own.authenticate({ id }, facts));
    await own.rest('POST', '/session/authenticate', {
      session_id: answers[1].session_id,
      account: { id },
    });

    const stored = await Promise.all(
      answers.map(async ({ session_id }) => (await own.rest('GET', `/session/${session_id}`)).body),
    );
    const asOf = Math.max(...stored.map(({ start_time }) => Date.parse(start_time)));
    const shares = stored.map(
      ({ start_time }) => 2 ** -((asOf - Date.parse(start_time)) / (30 * 86_400_000)),
    );
    const total = shares.reduce((sum, share) => sum + share, 0);
    const { body } = await own.rest('GET', `/account/${id}`);
    for (const [key, average] of Object.entries<number>(body.risk_signal_average)) {
      if (key === 'spoofed_ip') continue;
      const recomputed =
        stored.reduce((sum, session, index) => sum + session.risk_signal_scores[key] * shares[index]!, 0) /
        total;
      expect(average, key).toBeCloseTo(recomputed, 3);
    }
    expect(body.risk_signal_average.impossible_travel).toBeGreaterThan(0);
  });
});
