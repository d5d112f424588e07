import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject } from '../support/gateway.ts';
import { hostPage } from './support/host-page.ts';
import {
  askScript,
  HOME_IN_FRANCE,
  openBrowser,
  openFirstPartySite,
  openSite,
  sessionIdOf,
} from './support/visits.ts';

const A_MINUTE = 60;
const ANOTHER_HOME = '2.125.160.216';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({
    settings: { TRUSTED_PROXIES: '127.0.0.1', COLLECTOR_LIMIT_PER_MINUTE: String(A_MINUTE) },
  });
  project = await gateway.project();
  await openAllowed({ 'x-forwarded-for': HOME_IN_FRANCE });
});
afterAll(() => gateway.close());

/** Opens the maximum number of sessions of one address. */
async function openAllowed(headers: Record<string, string>): Promise<void> {
  const opened = Array.from({ length: A_MINUTE }, () =>
    send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId }, headers),
  );
  const statuses = (await Promise.all(opened)).map(({ status }) => status);
  expect(new Set(statuses)).toEqual(new Set([200]));
}

describe('an address over its session limit of the minute', () => {
  it('stores no more sessions, and the page continues', async () => {
    const site = await openFirstPartySite(gateway, project);
    const browser = await openBrowser();
    const page = await browser.open(site.url);
    expect(await askScript(page, 'session()')).toEqual({ session_id: null, error: 'refused' });
    await page.fill('#name', 'still works');
    expect(browser.pageErrors).toEqual([]);
    // The browser logs each rejected request; the page can be rejected again when it retries.
    expect(browser.consoleErrors.filter((text) => !text.includes('429'))).toEqual([]);
  });

  it('does not affect the limit of another address', async () => {
    const site = await openFirstPartySite(gateway, project, { visitorAddress: ANOTHER_HOME });
    const browser = await openBrowser();
    await sessionIdOf(await browser.open(site.url));
  });

  it('receives the error on a page of another origin too', async () => {
    await openAllowed({});
    const attributes = { project: project.projectId };
    const site = await openSite({ pages: { '/': hostPage({ gatewayUrl: gateway.baseUrl, attributes }) } });
    const browser = await openBrowser();
    const page = await browser.open(site.url);
    expect(await askScript(page, 'session()')).toEqual({ session_id: null, error: 'refused' });
    expect(browser.pageErrors).toEqual([]);
  });
});
