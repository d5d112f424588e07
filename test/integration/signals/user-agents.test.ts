import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const ENGINE = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const PEOPLE = [
  `Mozilla/5.0 (Linux; Android 9; GM Discovery II) ${ENGINE} Chrome/118.0.0.0 Mobile Safari/537.36`,
  `Mozilla/5.0 (Linux; Android 11; Xming Google TV Build/RTM7.230903.079; wv) ${ENGINE} Version/4.0 Chrome/129.0.6668.102 Mobile Safari/537.36`,
  `Mozilla/5.0 (Linux; Android 6.0.1; OPPO R9s Plus Build/MMB29M; wv) ${ENGINE} Version/4.0 Chrome/68.0.3440.106 Mobile Safari/537.36 AWP/2.0 SogouMSE,SogouMobileBrowser/5.28.7`,
  `Mozilla/5.0 (Linux; Android 13; Spider 8) ${ENGINE} Chrome/124.0.0.0 Safari/537.36`,
];
const CRAWLERS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  `Mozilla/5.0 (X11; Linux x86_64) ${ENGINE} HeadlessChrome/125.0.0.0 Safari/537.36`,
  `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${ENGINE} Chrome/41.0.2272.96 Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`,
  'python-requests/2.32.3',
];

const authenticate = (user_agent: string) =>
  project.authenticate({ id: unique('browser') }, { browser: { user_agent } });
const declared = (body: Body) =>
  body.session.risk_signal_details.device.find(({ code }: Body) => code === 'declared_bot_user_agent');

describe('a global variable on the page', () => {
  const withGlobals = (...automation_globals: string[]) =>
    project.authenticate(
      { id: unique('globals') },
      { browser: { user_agent: PEOPLE[3] }, checks: { automation_globals } },
    );

  it.each(['window.phantom', 'window.%hammerhead%', 'window.nightmare'])(
    'that people also have is no automation: %s',
    async (name) => {
      const body = await withGlobals(name);
      expect(body.decision).toBe('Real');
      expect(body.bot).toBeLessThan(0.25);
    },
  );

  it.each(['window._phantom', 'window.callPhantom', 'window.%testCafeAutomation%', 'window.__nightmare'])(
    'that only a tool leaves is automation: %s',
    async (name) => {
      const body = await withGlobals('window.phantom', name);
      expect(body.decision).toBe('Fake');
      expect(body.bot).toBeGreaterThan(0.8);
    },
  );
});

describe('a bot word in a user agent', () => {
  it.each(PEOPLE)('is a hint within the name of a device or browser: %s', async (userAgent) => {
    const body = await authenticate(userAgent);
    expect(body.decision).toBe('Real');
    expect(body.bot).toBeLessThanOrEqual(0.2);
    expect(declared(body)).toMatchObject({ contributions: { device_risk: 0.2, bot: 0.2 } });
    const { session } = await project.graphql(
      'query ($id: ID!) { session(sessionId: $id) { riskSignals { deviceRisk } riskSignalScores { deviceRisk } } }',
      { id: body.session_id },
    );
    expect(session).toMatchObject({
      riskSignals: { deviceRisk: false },
      riskSignalScores: { deviceRisk: 0.2 },
    });
  });

  it.each(CRAWLERS)('is proof when the client declares itself a program: %s', async (userAgent) => {
    const body = await authenticate(userAgent);
    expect(body.decision).toBe('Fake');
    expect(declared(body)).toMatchObject({ contributions: { device_risk: 0.95, bot: 0.95 } });
  });
});
