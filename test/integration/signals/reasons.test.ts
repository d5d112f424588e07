import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const CHROME =
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36';

/** A French address; clock, language, SIM and position of Japan. */
const JAPANESE_IN_FRANCE = {
  ip_address: '90.54.1.1',
  source: 'android',
  browser: { timezone: 'Asia/Tokyo', language: 'ja-JP', languages: ['ja-JP'] },
  carrier: { name: 'NTT', country_code: 'JP' },
  location: { latitude: 35.68, longitude: 139.69, accuracy_m: 20 },
};
/** A browser whose connection a Python program opened, with packets of another operating system. */
const PROGRAM_FOR_BROWSER = {
  ip_address: '90.54.1.1',
  browser: { user_agent: CHROME },
  headers: { 'x-ja4': 't13d1812h1_85036bcba153_b26ce05bbdd6', 'x-ip-ttl': '52', 'x-tcp-rtt-us': '24000' },
};

const codesOf = (reasons: Body[]): string[] => reasons.map(({ code }) => code);
const expectOnce = (details: Body) => {
  for (const codes of [codesOf(details.network), codesOf(details.device)]) {
    expect(codes).toEqual([...new Set(codes)]);
  }
};

describe('a reason code', () => {
  it('is listed once, with the observations of every source', async () => {
    const { session } = await project.authenticate({ id: unique('reasons') }, JAPANESE_IN_FRANCE);
    const details = session.risk_signal_details;
    expectOnce(details);
    const reason = details.network.find(({ code }: Body) => code === 'true_country_mismatch');
    for (const source of ['browser_timezone', 'browser_language', 'sim', 'gps', 'true_country']) {
      expect(reason.source.split(', ')).toContain(source);
    }
    expect(reason.observed).toMatch(/timezone of JP.*; .*SIM of JP.*; position of JP/);
    expect(reason.contributions.location_spoofing).toBeGreaterThan(0.35);
    expect(reason.contributions.spoofed_ip).toBeGreaterThan(0);
    expect(reason.contributions.location_spoofing).toBeLessThanOrEqual(
      session.risk_signal_scores.location_spoofing,
    );
  });

  it('lists its observations one by one in GraphQL, for the same session', async () => {
    const id = await project.session(JAPANESE_IN_FRANCE);
    const { session } = await project.graphql(
      `query ($id: ID!) { session(sessionId: $id) { riskSignalDetails { network {
        code source contributions observations { source sourceAsOf confidence contributions observed }
      } } } }`,
      { id },
    );
    expectOnce({ network: session.riskSignalDetails.network, device: [] });
    const reason = session.riskSignalDetails.network.find(
      ({ code }: Body) => code === 'TRUE_COUNTRY_MISMATCH',
    );
    const sources = reason.observations.map(({ source }: Body) => source);
    expect(sources).toEqual(reason.source.split(', '));
    expect(sources.length).toBeGreaterThanOrEqual(4);
    for (const { contributions, confidence, observed } of reason.observations) {
      expect(Object.keys(contributions).length).toBeGreaterThan(0);
      expect(confidence).toBeGreaterThan(0);
      expect(observed).not.toBe('');
    }
  });

  it('is listed once for a connection with several contradictions, with the strongest of one cause', async () => {
    const id = await project.session(PROGRAM_FOR_BROWSER);
    const { body } = await project.rest('GET', `/session/${id}`);
    expectOnce(body.risk_signal_details);
    const [reason] = body.risk_signal_details.network.filter(
      ({ code }: Body) => code === 'transport_fingerprint_mismatch',
    );
    expect(reason.source).toBe('ja4, ip_ttl');
    expect(reason.contributions.device_network_mismatch).toBe(
      body.risk_signal_scores.device_network_mismatch,
    );
    expect(Object.keys(reason).sort()).toEqual(
      ['code', 'confidence', 'contributions', 'observed', 'source', 'source_as_of'].sort(),
    );
  });

  it('of an email address is listed once', async () => {
    const email = 'billing+eu+de@mailinator.com';
    const { account } = await project.authenticate({ id: unique('reasons'), email });
    const { risk_signals, trust_signals } = account.email;
    expect(risk_signals.toSorted()).toEqual([...new Set(risk_signals)].toSorted());
    expect(risk_signals).toContain('disposable_email');
    expect(trust_signals).toEqual([...new Set(trust_signals)]);
  });
});
