import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { type BrowserOptions, WAIT_TIMEOUT_MS } from './support/chromium.ts';
import { hostPage, type Site } from './support/host-page.ts';
import {
  assessmentOf,
  openBrowser,
  openFirstPartySite,
  openProfile,
  openSite,
  sessionIdOf,
  showsPrivateQuota,
  untilCollected,
} from './support/visits.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => gateway.close());

type Visit = {
  options?: BrowserOptions;
  before?: (page: Page, url: string) => Promise<void>;
  afterwards?: (context: BrowserContext, url: string) => Promise<void>;
};

/** Two people sign in one after the other; resolves with their devices and the shared facts of the second. */
async function visitTwice(project: TestProject, { url }: Site, first: Visit, second: Visit) {
  const before = await visitAs(project, 'first', url, first);
  const after = await visitAs(project, 'second', url, second);
  const link = after.body.linked_accounts.find((each: Body) => each.account_id === 'first');
  return { deviceIds: [before.deviceId, after.deviceId], shared: link?.match_type ?? [] };
}

async function visitAs(project: TestProject, accountId: string, url: string, visit: Visit) {
  const { options, before, afterwards } = visit;
  const browser = await openBrowser(options);
  const page = await browser.open();
  await before?.(page, url);
  await page.goto(url);
  const sessionId = await sessionIdOf(page);
  await untilCollected(page);
  await afterwards?.(browser.context, url);
  await browser.close();
  const { body } = await project.rest('POST', '/session/authenticate?accounts_linked=true', {
    session_id: sessionId,
    account: { id: accountId },
  });
  return { body, deviceId: (await assessmentOf(project, sessionId)).deviceId };
}

const clearCookies = (context: BrowserContext) => context.clearCookies();

function clearStorage(...types: ('local_storage' | 'indexeddb')[]) {
  return async (context: BrowserContext, url: string) => {
    const [page] = context.pages();
    const session = await context.newCDPSession(page!);
    await session.send('Storage.clearDataForOrigin', { origin: url, storageTypes: types.join() });
  };
}

async function clearAll(context: BrowserContext, url: string): Promise<void> {
  await clearCookies(context);
  await clearStorage('local_storage', 'indexeddb')(context, url);
}

/** The script writes its database in the background, without a promise. */
async function databaseWritten(context: BrowserContext): Promise<void> {
  await vi.waitFor(async () => {
    const { origins } = await context.storageState({ indexedDB: true });
    expect(origins).toMatchObject([{ indexedDB: [{ stores: [{ records: [expect.anything()] }] }] }]);
  }, WAIT_TIMEOUT_MS);
}

/** A browser that has just started opens its first database slowly. */
async function databasesOpened(page: Page, url: string): Promise<void> {
  await page.goto(`${url}/sent`);
  expect(await page.evaluate('indexedDB.databases()')).toMatchObject([{ name: 'vouchgraph' }]);
}

/** The page is busy from the moment when a database is opened, for longer than the script waits. */
const BUSY_PAGE = `{
  const { open } = IDBFactory.prototype;
  IDBFactory.prototype.open = function (...parameters) {
    IDBFactory.prototype.open = open;
    setTimeout(() => {
      for (const end = performance.now() + 2500; performance.now() < end; );
    });
    return open.apply(this, parameters);
  };
}`;

describe('a second visit with the same profile', () => {
  const clearAllButDatabase = async (context: BrowserContext, url: string) => {
    await databaseWritten(context);
    await clearCookies(context);
    await clearStorage('local_storage')(context, url);
  };
  const onBusyPage = async (page: Page, url: string) => {
    await databasesOpened(page, url);
    await page.addInitScript(BUSY_PAGE);
  };
  const RETURNS: [name: string, afterwards: Visit['afterwards'], before?: Visit['before']][] = [
    ['returns', undefined],
    ['lost its cookies', clearCookies],
    ['lost its local storage and its database', clearStorage('local_storage', 'indexeddb')],
    ['has only its database left', clearAllButDatabase, databasesOpened],
    ['has only its database left, on a busy page', clearAllButDatabase, onBusyPage],
    [
      'has only its local storage left',
      async (context, url) => {
        await clearCookies(context);
        await clearStorage('indexeddb')(context, url);
      },
    ],
  ];

  it.each(RETURNS)('is the same device and browser when it %s', async (_name, afterwards, before) => {
    const project = await gateway.project();
    const site = await openFirstPartySite(gateway, project);
    const options = { profile: await openProfile() };
    const { deviceIds, shared } = await visitTwice(
      project,
      site,
      { options, afterwards },
      { options, before },
    );
    expect(deviceIds[0]).toMatch(/^[\dA-Za-z]{22}$/);
    expect(deviceIds[1]).toBe(deviceIds[0]);
    expect(shared).toEqual(expect.arrayContaining(['browser', 'device']));
  });

  it('is the same device but another browser when all data was cleared', async () => {
    const project = await gateway.project();
    const site = await openFirstPartySite(gateway, project);
    const options = { profile: await openProfile() };
    const { deviceIds, shared } = await visitTwice(
      project,
      site,
      { options, afterwards: clearAll },
      { options },
    );
    expect(deviceIds[1]).toBe(deviceIds[0]);
    expect(shared).toContain('device');
    expect(shared).not.toContain('browser');
  });

  it('keeps its id in the first-party cookie, which scripts cannot read', async () => {
    const project = await gateway.project();
    const site = await openFirstPartySite(gateway, project);
    const browser = await openBrowser();
    const page = await browser.open(site.url);
    await sessionIdOf(page);
    const [cookie] = await browser.context.cookies();
    expect(cookie).toMatchObject({
      domain: 'localhost',
      httpOnly: true,
      name: expect.stringMatching(/^vg_browser_/),
    });
    expect(await page.evaluate('document.cookie')).toBe('');
  });
});

describe('a gateway on another site than the page', () => {
  it('recognizes the browser without a cookie', async () => {
    const project = await gateway.project();
    // The page is on `localhost`, the gateway on `127.0.0.1`.
    const page = hostPage({ gatewayUrl: gateway.baseUrl, attributes: { project: project.projectId } });
    const site = await openSite({ pages: { '/': page } });
    const options = { profile: await openProfile() };
    const cookies: unknown[] = [];
    const afterwards = async (context: BrowserContext) => {
      cookies.push(...(await context.cookies(gateway.baseUrl)));
    };
    const { shared } = await visitTwice(project, site, { options, afterwards }, { options, afterwards });
    expect(cookies).toEqual([]);
    expect(shared).toEqual(expect.arrayContaining(['browser', 'device']));
  });
});

describe('a private window', () => {
  it('is the same device as the ordinary one, and another browser', async () => {
    const project = await gateway.project();
    const site = await openFirstPartySite(gateway, project);
    const ordinary = { options: { profile: await openProfile() } };
    const { deviceIds, shared } = await visitTwice(project, site, ordinary, { options: { incognito: true } });
    expect(deviceIds[1]).toBe(deviceIds[0]);
    expect(shared).toContain('device');
    expect(shared).not.toContain('browser');
  });

  it('is detected by its quota where the browser reports the true one', async () => {
    const args = ['--disable-features=StaticStorageQuota'];
    const { codes, isQuotaPrivate } = await lookIn({ incognito: true, args });
    expect(isQuotaPrivate).toBe(true);
    expect(codes).toContain('private_browsing_or_storage_blocked');
  });

  it('is detected by its quota only if the browser reports a smaller one to its pages', async () => {
    const { codes, isQuotaPrivate } = await lookIn({ incognito: true });
    expect(codes.includes('private_browsing_or_storage_blocked')).toBe(isQuotaPrivate);
  });

  it('is distinguished from an ordinary one, which never has a small quota', async () => {
    const { codes, isQuotaPrivate } = await lookIn({});
    expect([codes.includes('private_browsing_or_storage_blocked'), isQuotaPrivate]).toEqual([false, false]);
  });
});

describe('a browser that stores no site data', () => {
  it('is detected, and still opens a session', async () => {
    const profile = await openProfile();
    await mkdir(join(profile, 'Default'));
    // As in the settings: "Don't allow sites to save data on your device".
    const preferences = { profile: { default_content_setting_values: { cookies: 2 } } };
    await writeFile(join(profile, 'Default', 'Preferences'), JSON.stringify(preferences));
    expect((await lookIn({ profile }, ['cookies', 'local_storage', 'indexed_db'])).codes).toContain(
      'private_browsing_or_storage_blocked',
    );
  });
});

/** The codes of a visit, and whether its page received the quota of a private window. */
async function lookIn(
  options: BrowserOptions,
  checks?: string[],
): Promise<{ codes: string[]; isQuotaPrivate: boolean }> {
  const project = await gateway.project();
  const site = await openFirstPartySite(gateway, project);
  const browser = await openBrowser(options);
  const page = await browser.open(site.url);
  await untilCollected(page, checks);
  const { deviceCodes: codes } = await assessmentOf(project, await sessionIdOf(page));
  expect(browser.pageErrors).toEqual([]);
  return { codes, isQuotaPrivate: await showsPrivateQuota(page) };
}
