import type { BrowserContextOptions, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { type TestBrowser, WAIT_TIMEOUT_MS } from './support/chromium.ts';
import { openBrowser } from './support/visits.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const demoOf = (projectId: string) => `${gateway.baseUrl}/sdk-demo?project_id=${projectId}`;

/** Waits for the session. A page that timed out on a slow service is reloaded, as by a visitor. */
async function untilStatus(page: Page, text: string): Promise<void> {
  const status = page.locator('#status');
  await vi.waitFor(
    async () => {
      const shown = await status.innerText();
      if (shown.includes('did not answer in time')) await page.reload();
      expect(shown).toContain(text);
    },
    { timeout: WAIT_TIMEOUT_MS, interval: 200 },
  );
}

async function openDemo(context?: BrowserContextOptions): Promise<{ browser: TestBrowser; page: Page }> {
  const browser = await openBrowser({ context });
  const page = await browser.open(demoOf(project.projectId));
  await untilStatus(page, 'Open.');
  return { browser, page };
}

function expectClean(browser: TestBrowser): void {
  expect([browser.pageErrors, browser.consoleErrors]).toEqual([[], []]);
  expect(new Set(browser.requests.map(({ host }) => host))).toEqual(new Set([new URL(gateway.baseUrl).host]));
}

describe('the demo page of the script', () => {
  it('requires a project first', async () => {
    const browser = await openBrowser();
    const page = await browser.open(`${gateway.baseUrl}/sdk-demo`);
    await page.getByLabel('Public id of a sandbox project').fill(project.projectId);
    await page.getByRole('button', { name: 'Start' }).click();
    await untilStatus(page, 'Open.');
    expectClean(browser);
  });

  it('shows the collected facts', async () => {
    const { browser, page } = await openDemo();
    await page.getByText('Automation', { exact: false }).first().click();
    expect(await page.locator('#collected').innerText()).toMatch(/webdriver\s+yes/);
    expect(await page.locator('#session-facts').innerText()).toMatch(/Collected in\s+\d+ ms/);
    expectClean(browser);
  });

  it('counts during the visit, and never sends typed text', async () => {
    const { browser, page } = await openDemo();
    await page.getByLabel('Name').click();
    await page.keyboard.type('zyxwvu');
    await page.getByRole('button', { name: 'Send the counts now' }).click();
    await page.getByText('The counts were sent.').waitFor();
    await page.locator('#counts', { hasText: /Keys\s*6/ }).waitFor();
    expect(browser.requests.map(({ body }) => body).join()).not.toContain('zyxwvu');
    expectClean(browser);
  });

  it('shows scores and reasons with a sandbox key, and does not store the key', async () => {
    const { browser, page } = await openDemo();
    await page.getByLabel('Sandbox key').fill(project.key);
    await page.getByRole('button', { name: 'Show scores' }).click();
    const scores = page.locator('#scores');
    await scores.getByText('automation_framework_detected').waitFor();
    expect(await scores.innerText()).toMatch(/device risk\s+0\.\d+\s+yes/);
    expect(JSON.stringify(await browser.context.storageState({ indexedDB: true }))).not.toContain(
      project.key,
    );
    expect(page.url()).not.toContain(project.key);
    expectClean(browser);
  });

  it('reports a wrong key', async () => {
    const { browser, page } = await openDemo();
    await page.getByLabel('Sandbox key').fill('vg_wrong');
    await page.getByRole('button', { name: 'Show scores' }).click();
    await page.locator('#scores-status', { hasText: 'Unauthorized' }).waitFor();
    expect(browser.pageErrors).toEqual([]);
  });

  it('is not available in production', async () => {
    const production = await gateway.project({ environment: 'production' });
    const browser = await openBrowser();
    const page = await browser.open(demoOf(production.projectId));
    await untilStatus(page, 'This page requires a sandbox project.');
    expect(browser.pageErrors).toEqual([]);
  });

  it.each([
    ['a phone', { viewport: { width: 360, height: 740 } }],
    ['a wide screen in dark mode', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ] satisfies [string, BrowserContextOptions][])('fits %s', async (_name, context) => {
    const { browser, page } = await openDemo(context);
    await page.getByLabel('Sandbox key').fill(project.key);
    await page.getByRole('button', { name: 'Show scores' }).click();
    await page.locator('#scores').getByText('Reason codes').waitFor();
    for (const group of await page.locator('#groups summary').all()) await group.click();
    const sizes = '[document.documentElement.scrollWidth, document.documentElement.clientWidth]';
    const [content, window] = await page.evaluate<[number, number]>(sizes);
    expect(content).toBe(window);
    expectClean(browser);
  });
});
