import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { createVerification, verifyFace, verifyId } from '../../support/verification.ts';
import { createEndpoint, startReceiver } from '../../support/webhook-receiver.ts';

/* A simulated session is compared with its referring session, as a real one is. */
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36';
const WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0';
const [PARIS, CALIFORNIA] = ['90.54.1.1', '73.162.0.1'];
const NO_SIGNALS = {
  impossible_travel: 0,
  ip_mismatch: 0,
  user_agent_mismatch: 0,
  device_timezone_mismatch: 0,
  ip_timezone_mismatch: 0,
};

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({
    settings: { TRUSTED_PROXIES: '127.0.0.1', WEBHOOK_ALLOW_LOOPBACK: '1' },
  });
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** A simulated check whose page is opened by a browser in Paris. */
async function playedInParis(query: Record<string, string>): Promise<string> {
  const { status, body } = await createVerification(project, { simulate: 'success', ...query });
  expect(status, JSON.stringify(body)).toBe(200);
  const headers = { 'x-forwarded-for': PARIS, 'user-agent': MAC, 'accept-language': 'fr-FR,fr;q=0.9' };
  await (await fetch(body.session_url, { headers })).text();
  await gateway.app.settleVerifications(project.projectId);
  return body.session_id;
}

const SIGNALS = `query ($id: ID!) { verification(sessionId: $id) { riskScore riskFlags referringSessionSignals {
  impossibleTravel ipMismatch userAgentMismatch deviceTimezoneMismatch ipTimezoneMismatch } } }`;
const signalsOf = async (id: string): Promise<Body> =>
  (await project.graphql(SIGNALS, { id })).verification.referringSessionSignals;

describe.each([
  ['id', verifyId, { id: 'true' }, 'verification.id_check.completed'],
  ['face', verifyFace, {}, 'verification.face_check.completed'],
] as const)('referring_session_signals of a simulated check (%s)', (_, verify, kind, type) => {
  it('are in both sessions, and change neither score nor flags', async () => {
    const receiver = await startReceiver();
    try {
      await createEndpoint(project, { url: receiver.url(), eventTypes: [type] });
      const referring_session_id = await project.session({
        ip_address: CALIFORNIA,
        start_time: new Date(Date.now() - 600_000).toISOString(),
        browser: { user_agent: WINDOWS, timezone: 'America/Los_Angeles' },
      });
      const session = await playedInParis({
        ...{ ...kind, referring_session_id, account_id: unique('referred') },
        simulate_decision: 'Real',
        simulate_risk_flags: 'repeat_id',
      });
      const { body } = await verify(project, session);
      expect(body).toMatchObject({ decision: 'Real', risk_score: 0.1, risk_flags: ['repeat_id'] });
      const signals = body.referring_session_signals;
      expect(signals).toEqual({
        impossible_travel: expect.any(Number),
        ip_mismatch: 1,
        user_agent_mismatch: 0.7,
        device_timezone_mismatch: 0,
        ip_timezone_mismatch: 1,
      });
      expect(signals.impossible_travel).toBeGreaterThan(0.5);
      expect(await signalsOf(session)).toEqual({
        impossibleTravel: signals.impossible_travel,
        ipMismatch: 1,
        userAgentMismatch: 0.7,
        deviceTimezoneMismatch: 0,
        ipTimezoneMismatch: 1,
      });
      await gateway.app.settleWebhooks();
      expect(receiver.received.map((sent) => sent.body.data.referring_session_signals)).toEqual([signals]);
    } finally {
      await receiver.close();
    }
  });

  it('are zeros for the same browser at the same address, and zeros or null without a referring session', async () => {
    const referring_session_id = await project.session({
      ip_address: PARIS,
      browser: { user_agent: MAC, timezone: 'Europe/Paris' },
    });
    const same = await playedInParis({ ...kind, referring_session_id });
    expect((await verify(project, same)).body.referring_session_signals).toEqual(NO_SIGNALS);
    expect(await signalsOf(same)).toEqual({
      impossibleTravel: 0,
      ipMismatch: 0,
      userAgentMismatch: 0,
      deviceTimezoneMismatch: 0,
      ipTimezoneMismatch: 0,
    });
    const alone = await playedInParis(kind);
    expect((await verify(project, alone)).body.referring_session_signals).toEqual(NO_SIGNALS);
    expect(await signalsOf(alone)).toBeNull();
  });
});
