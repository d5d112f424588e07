import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutDatabase } from '../support/database.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject } from '../support/gateway.ts';
import { connectAs } from '../support/sql.ts';
import type { TestBrowser } from './support/chromium.ts';
import { hostPage, type Site, type SiteOptions, type Treatment } from './support/host-page.ts';
import {
  askScript,
  assessmentOf,
  completeSession,
  openBrowser,
  openFirstPartySite,
  openSite,
  sessionIdOf,
} from './support/visits.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startOwnGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
  project = await gateway.project();
});
afterAll(() => gateway.close());

type Visit = { browser: TestBrowser; page: Page; site: Site };

async function visit(
  options: SiteOptions = {},
  prepare?: (browser: TestBrowser) => Promise<void>,
): Promise<Visit> {
  const site = await openFirstPartySite(gateway, project, options);
  const browser = await openBrowser();
  await prepare?.(browser);
  const page = await browser.open(site.url);
  return { browser, page, site };
}

/** A page whose script element has other attributes. */
function pageWith(attributes: Record<string, string>, times = 1): SiteOptions {
  const all = { project: project.projectId, ...attributes };
  return { pages: { '/': hostPage({ gatewayUrl: '', attributes: all, times }) } };
}

/** No exception, no request to another host, and no console error except the browser's own for rejected requests. */
function expectUnharmed({ browser, site }: Visit, allowedComplaints = /$^/): void {
  expect(browser.pageErrors).toEqual([]);
  expect(browser.consoleErrors.filter((text) => !allowedComplaints.test(text))).toEqual([]);
  const hosts = new Set(browser.requests.map(({ host }) => host));
  expect([...hosts]).toEqual([new URL(site.url).host]);
}

async function expectUsable(page: Page): Promise<void> {
  await page.click('#name');
  await page.keyboard.type('still works');
  expect(await page.inputValue('#name')).toBe('still works');
}

/** Content of a page for scripts and readers. */
async function namesAndMarkup(page: Page): Promise<{ names: string[]; markup: string }> {
  return page.evaluate(
    '({ names: Object.getOwnPropertyNames(window), markup: document.documentElement.outerHTML })',
  );
}

const openings = (browser: TestBrowser): unknown[] =>
  browser.requests.filter(({ method, url }) => method === 'POST' && url.endsWith('/session'));

const sentBodies = (browser: TestBrowser): unknown[] =>
  browser.requests.filter(({ method }) => method === 'POST' || method === 'PATCH');

const NETWORK_ERROR = { session_id: null, error: 'network_error' };
const SERVER_ERROR = { session_id: null, error: 'server_error' };

/** The browser reports the status of the gateway's answer in its console. */
const expectStatus = ({ consoleErrors }: TestBrowser, status: number) =>
  expect.poll(() => consoleErrors.join('\n')).toMatch(`responded with a status of ${status} `);

const RESOURCE = /^Failed to load resource/;

describe('a page that includes the script', () => {
  it('gets a session, and the script leaves only one global name', async () => {
    const attributes = { project: project.projectId };
    const { page: bare } = await visit({
      pages: { '/': hostPage({ gatewayUrl: '', attributes, times: 0 }) },
    });
    const visited = await visit();
    await sessionIdOf(visited.page);
    const [before, after] = await Promise.all([bare, visited.page].map(namesAndMarkup));
    expect(after?.names.filter((name) => !before?.names.includes(name))).toEqual(['Vouchgraph']);
    expect(after?.markup.replace(/<script.*<\/script>/, '')).toBe(before?.markup);
    expectUnharmed(visited);
  });

  it('opens one session, even when it includes the script several times', async () => {
    const visited = await visit(pageWith({}, 3));
    const first = await sessionIdOf(visited.page);
    await visited.page.addScriptTag({ url: `${visited.site.url}/sdk.js` });
    expect(await sessionIdOf(visited.page)).toBe(first);
    expect(openings(visited.browser)).toHaveLength(1);
    expectUnharmed(visited);
  });

  it('can import it as a module beside the script', async () => {
    const visited = await visit({ pages: { '/': '<!doctype html><link rel="icon" href="data:,">' } });
    const answer: Body = await visited.page.evaluate(
      `import('/sdk.mjs').then((sdk) => {
        sdk.init({ projectId: '${project.projectId}' });
        const open = (answer) => (answer.error === 'timeout' ? sdk.session().then(open) : answer);
        return sdk.session().then(open);
      })`,
    );
    await visited.page.addScriptTag({ url: `${visited.site.url}/sdk.js` });
    expect(await sessionIdOf(visited.page)).toBe(answer.session_id);
    expect((await assessmentOf(project, answer.session_id)).session.source).toBe('web');
    expect(openings(visited.browser)).toHaveLength(1);
    expectUnharmed(visited);
  });

  it('receives another session on request', async () => {
    const visited = await visit();
    const first = await sessionIdOf(visited.page);
    const { session_id: second } = await askScript(visited.page, 'reinitialize()');
    expect(second).toMatch(/^[\da-f-]{36}$/);
    expect(second).not.toBe(first);
    expect(await sessionIdOf(visited.page)).toBe(second);
    expectUnharmed(visited);
  });

  it('can send the signed-in account, which discloses no name and binds nothing', async () => {
    const visited = await visit();
    await sessionIdOf(visited.page);
    const claimed = visited.page.waitForResponse((response) =>
      (response.request().postData() ?? '').includes('account_claim'),
    );
    const answer = await askScript(
      visited.page,
      "account({ id: 'account-of-ada', email: 'ada@example.com' })",
    );
    expect((await claimed).status()).toBe(200);
    expect(answer.session_id).toBe(await sessionIdOf(visited.page));
    const sent = visited.browser.requests.map(({ url, body }) => url + body).join();
    expect(sent).toContain('account_claim');
    expect(sent).not.toMatch(/account-of-ada|ada@example/);
    const { body } = await project.rest('GET', `/session/${answer.session_id}`);
    expect(body.account_ids).toEqual([]);
    expectUnharmed(visited);
  });

  it('can close its session, after which nothing is sent', async () => {
    const visited = await visit();
    const id = await completeSession(visited.page);
    const { length } = sentBodies(visited.browser);
    await visited.page.mouse.move(50, 50);
    await visited.page.click('#name');
    expect(await sessionIdOf(visited.page)).toBe(id);
    expect(sentBodies(visited.browser)).toHaveLength(length);
    expectUnharmed(visited);
  });

  it('can make invalid requests', async () => {
    const visited = await visit();
    const calls = [
      'init()',
      'init(null)',
      'init({ projectId: 7 })',
      'account()',
      'account(null)',
      'account({ id: {} })',
      "init({ projectId: 'x', baseUrl: 'javascript:alert(1)', onError: 7 })",
    ];
    for (const call of calls) await askScript(visited.page, call);
    expect(await askScript(visited.page, 'session()')).toHaveProperty('session_id');
    expect(visited.browser.pageErrors).toEqual([]);
  });
});

describe('a gateway that fails', () => {
  const exceptScript =
    (treatment: Treatment): SiteOptions['treat'] =>
    ({ path }) =>
      path === '/sdk.js' ? 'forward' : treatment;

  /** A page of another site, which reads an answer only if the gateway allows its origin. */
  async function visitFromOtherSite(): Promise<Visit> {
    const attributes = { project: project.projectId };
    const site = await openSite({ pages: { '/': hostPage({ gatewayUrl: gateway.baseUrl, attributes }) } });
    const browser = await openBrowser();
    return { browser, site, page: await browser.open(site.url) };
  }

  it('to respond at all does not affect the page', async () => {
    const visited = await visit({ treat: exceptScript('drop') });
    expect(await askScript(visited.page, 'session()')).toEqual(NETWORK_ERROR);
    await expectUsable(visited.page);
    expectUnharmed(visited, RESOURCE);
  });

  it.each([
    ['the same', () => visit()],
    ['another', visitFromOtherSite],
  ])('internally answers 500, and does not affect a page of %s site', async (_site, open) => {
    const owner = await connectAs(gateway.database, 'owner');
    await owner.query('revoke insert on sessions from vouchgraph_app');
    try {
      const { page, browser } = await open();
      expect(await askScript(page, 'session()')).toEqual(SERVER_ERROR);
      await expectStatus(browser, 500);
      await expectUsable(page);
      expect(browser.pageErrors).toEqual([]);
    } finally {
      await owner.query('grant insert on sessions to vouchgraph_app');
      await owner.end();
    }
  });

  it('to respond in time delays the page by at most two seconds', async () => {
    // By the page's clock, so that a slow machine does not count.
    const visited = await visit({ treat: exceptScript('hang') }, (browser) =>
      browser.context.clock.install(),
    );
    const answer = visited.page.evaluate(
      "Promise.race([Vouchgraph.session(), new Promise((resolve) => setTimeout(resolve, 2000, 'still waiting'))])",
    );
    await visited.page.clock.runFor(2000);
    expect(await answer).toEqual({ session_id: null, error: 'timeout' });
    await expectUsable(visited.page);
    expectUnharmed(visited);
  });

  it('without its database, and recovers, opens the session at the next request of the page', async () => {
    const visited = await withoutDatabase(gateway.database, async () => {
      const during = await visit();
      expect(await askScript(during.page, 'session()')).toEqual(SERVER_ERROR);
      await expectStatus(during.browser, 503);
      return during;
    });
    await expect.poll(async () => (await fetch(`${gateway.baseUrl}/readyz`)).status).toBe(200);
    await sessionIdOf(visited.page);
    await expectUsable(visited.page);
    expectUnharmed(visited, RESOURCE);
  });
});

describe('a page with invalid settings', () => {
  it('that names an unknown project reports it', async () => {
    const visited = await visit(pageWith({ project: '00000000-0000-7000-8000-000000000000' }));
    expect(await askScript(visited.page, 'session()')).toEqual({ session_id: null, error: 'refused' });
    expectUnharmed(visited, RESOURCE);
  });

  it('that names no project reports it', async () => {
    const visited = await visit({ pages: { '/': hostPage({ gatewayUrl: '', attributes: {} }) } });
    expect(await askScript(visited.page, 'session()')).toEqual({ session_id: null, error: 'not_configured' });
    expect(openings(visited.browser)).toEqual([]);
    expectUnharmed(visited);
  });

  it('for production is rejected by a sandbox project', async () => {
    const visited = await visit(pageWith({ environment: 'production' }));
    expect(await askScript(visited.page, 'session()')).toEqual({
      session_id: null,
      error: 'environment_mismatch',
    });
    await visited.page.click('#name');
    await askScript(visited.page, 'session()');
    expect(openings(visited.browser)).toHaveLength(1);
    expect(visited.browser.requests.filter(({ method }) => method === 'PATCH')).toEqual([]);
    expectUnharmed(visited);
  });

  it('is compared with the correct environment: the sandbox is accepted', async () => {
    const visited = await visit(pageWith({ environment: 'sandbox' }));
    await sessionIdOf(visited.page);
    expectUnharmed(visited);
  });
});

describe('a page with a strict content security policy', () => {
  const STRICT = "default-src 'none'; script-src 'self'; connect-src 'self'; img-src data:";
  const POLICY = /Content Security Policy/;

  it('that forbids workers gets a session', async () => {
    const visited = await visit({ contentSecurityPolicy: STRICT });
    await sessionIdOf(visited.page);
    expectUnharmed(visited, POLICY);
  });

  it('reports no violation when the worker is off', async () => {
    const visited = await visit({ ...pageWith({ worker: 'off' }), contentSecurityPolicy: STRICT });
    await sessionIdOf(visited.page);
    expectUnharmed(visited);
  });

  it('that forbids every connection gets no session and no error', async () => {
    const visited = await visit({ contentSecurityPolicy: "default-src 'none'; script-src 'self'" });
    expect(await askScript(visited.page, 'session()')).toEqual(NETWORK_ERROR);
    expectUnharmed(visited, POLICY);
  });

  it('in a sandboxed frame without storage gets a session', async () => {
    const visited = await visit({ contentSecurityPolicy: 'sandbox allow-scripts' });
    // Its origin is opaque, so that it cannot have cookies.
    await sessionIdOf(visited.page);
    expectUnharmed(visited);
  });
});

describe('a page with unusual scripts', () => {
  const HARMLESS: [name: string, script: string][] = [
    ['removed storage', "Object.defineProperty(window, 'localStorage', { get() { throw new Error('no') } })"],
    [
      'adds enumerable names to every object',
      'Object.prototype.extra = () => 1; Array.prototype.more = () => 1',
    ],
    ['breaks the canvas', "HTMLCanvasElement.prototype.getContext = () => { throw new Error('no') }"],
    ['has no createObjectURL', 'URL.createObjectURL = undefined'],
    ['freezes prototypes', 'Object.freeze(Object.prototype); Object.freeze(Array.prototype)'],
  ];
  const FATAL: [name: string, script: string][] = [
    ['removes fetch', 'window.fetch = undefined'],
    ['throws in fetch', "window.fetch = () => { throw new Error('no') }"],
    ['serializes arrays in its own way', 'Array.prototype.toJSON = () => 7'],
    ['removes promises', 'window.Promise = undefined'],
  ];

  /** A visit to a page that first runs its own script. */
  async function visitAfter(script: string): Promise<Visit> {
    const page = hostPage({ gatewayUrl: '', attributes: { project: project.projectId } });
    return visit({ pages: { '/': page.replace('<script', `<script>${script}</script><script`) } });
  }

  it.each(HARMLESS)('gets a session when it %s', async (_name, script) => {
    const visited = await visitAfter(script);
    await sessionIdOf(visited.page);
    await expectUsable(visited.page);
    expectUnharmed(visited);
  });

  it.each(FATAL)('continues when it %s', async (_name, script) => {
    const visited = await visitAfter(script);
    expect(await askScript(visited.page, 'session()')).toMatchObject({ session_id: null });
    await expectUsable(visited.page);
    expectUnharmed(visited, RESOURCE);
  });
});

describe('a page on another origin than the gateway', () => {
  it('connects only to the gateway, and receives its session id', async () => {
    const attributes = { project: project.projectId };
    const site = await openSite({ pages: { '/': hostPage({ gatewayUrl: gateway.baseUrl, attributes }) } });
    const browser = await openBrowser();
    const page = await browser.open(site.url);
    await assessmentOf(project, await sessionIdOf(page));
    const hosts = new Set(browser.requests.map(({ host }) => host));
    expect([...hosts]).toEqual([new URL(site.url).host, new URL(gateway.baseUrl).host]);
    expect([browser.pageErrors, browser.consoleErrors]).toEqual([[], []]);
  });

  it('opens no peer connection, which would disclose an address to others', async () => {
    const visited = await visit({
      pages: {
        '/': hostPage({ gatewayUrl: '', attributes: { project: project.projectId } }).replace(
          '<script',
          '<script>opened = 0; RTCPeerConnection = class { constructor() { opened += 1 } }</script><script',
        ),
      },
    });
    await completeSession(visited.page);
    expect(await visited.page.evaluate('opened')).toBe(0);
  });
});

describe('a page that sends more than the limit of a session', () => {
  it('is rejected and can read the error', async () => {
    const browser = await openBrowser();
    const page = await browser.open(`${gateway.baseUrl}/sdk-demo`);
    const status = await page.evaluate(
      `fetch('/session', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ project_id: '${project.projectId}', checks: { filler: 'x'.repeat(${256 * 1024}) } }),
      }).then(({ status }) => status)`,
    );
    expect(status).toBe(413);
  });
});
