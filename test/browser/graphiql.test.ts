import { type OperationDefinitionNode, parse } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { EXAMPLE_TABS } from '../../clients/graphiql/examples.ts';
import { type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { leave, type TestBrowser } from './support/chromium.ts';
import { openBrowser } from './support/visits.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

/** A gateway as started in a terminal, with its sandbox project and the links that it prints, which work once. */
type Started = { gateway: Gateway; sandbox: TestProject; linkTo(path: string): string };

/** Starts such a gateway on its own database, because a production project anywhere ends the links; it closes with the test. */
async function startWithLink(settings: Record<string, string> = {}): Promise<Started> {
  let key: string | null = null;
  const started = await startGateway({ readSandboxKey: async () => key, showsSandboxLink: true, settings });
  onTestFinished(() => started.close());
  const sandbox = await started.project();
  key = sandbox.key;
  const secret = await started.app.sandboxSecret();
  return { gateway: started, sandbox, linkTo: (path) => `${started.baseUrl}${path}#secret=${secret}` };
}

/** The page as opened by a new browser: by the link of a gateway, or without a key. */
async function openGraphiql(
  started: Started | null,
  { width = 1280, args = [] as string[], baseUrl = gateway.baseUrl } = {},
): Promise<{ browser: TestBrowser; page: Page }> {
  const browser = await openBrowser({ mode: 'shell', args, context: { viewport: { width, height: 800 } } });
  await browser.context.addInitScript(RECORD_VIOLATIONS);
  const page = await browser.open(started?.linkTo('/graphql') ?? `${baseUrl}/graphql`);
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  return { browser, page };
}

const tab = (page: Page, name: string) =>
  page.locator('.graphiql-tab-button').getByText(name, { exact: true });
const activeTab = (page: Page) => page.locator('.graphiql-tab-active');
const run = (page: Page) => page.locator('.graphiql-execute-button');

/** The response to the executed operation: the last request of the page that is not from the key bar. */
async function resultOf(page: Page, name: string, start: () => Promise<void>) {
  const answered = page.waitForResponse(
    (response) => response.request().postDataJSON()?.operationName === name,
  );
  await start();
  return (await answered).json();
}

/** Browser storage that outlives the page. */
const storedText = (page: Page) =>
  page.evaluate<string>('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])');

/** Violations of the page's policy, also by its workers, which the console shows as errors. */
const RECORD_VIOLATIONS = `self.violations = [];
addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) =>
  self.violations.push(violatedDirective + ' ' + blockedURI));`;
const violationsOf = (page: Page) => page.evaluate<string[]>('self.violations');

const complaintsOf = ({ pageErrors, consoleErrors }: TestBrowser) => [...pageErrors, ...consoleErrors];

it('shows data of every example within the first minute on an empty sandbox, and stores the key for its tab alone', async () => {
  const started = await startWithLink();
  const { sandbox } = started;
  const { browser, page } = await openGraphiql(started);
  const answer = page.locator('.graphiql-response');
  await page.getByRole('status').getByText('sandbox project').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe(sandbox.key);
  expect(await answer.innerText()).not.toContain('error');

  for (const [index, { query }] of EXAMPLE_TABS.entries()) {
    const definitions = parse(query).definitions as OperationDefinitionNode[];
    const operations = definitions.filter(({ operation }) => operation !== 'subscription');
    for (const { name } of operations) {
      // By its position: the title of a tab is its last operation.
      await page.locator('.graphiql-tab-button').nth(index).click();
      // The button has a menu once GraphiQL parsed the document of the tab.
      if (operations.length > 1) await page.locator('.graphiql-execute-button[aria-haspopup]').waitFor();
      const { data, errors } = await resultOf(page, name!.value, async () => {
        await run(page).click();
        if (operations.length > 1)
          await page.getByRole('menuitem', { name: name!.value, exact: true }).click();
      });
      expect({ operation: name!.value, data, errors }).toEqual({
        operation: name!.value,
        data: expect.any(Object),
        errors: undefined,
      });
      await answer.getByText('"data"').first().waitFor();
    }
  }

  // A subscription shows data after an event.
  await tab(page, 'Watch').click();
  await page.locator('.graphiql-execute-button:not([aria-haspopup])').waitFor();
  await run(page).click();
  await page.getByRole('button', { name: 'Stop query' }).waitFor();
  const { app } = started.gateway;
  await expect.poll(() => app.realtimeCounts().subscribers).toBeGreaterThan(0);
  await page.getByRole('button', { name: 'Sample visit' }).click();
  await answer
    .getByText(/sample-\d+/)
    .first()
    .waitFor();
  await run(page).click();

  // The layout and the tabs are stored some time after a change.
  await expect.poll(() => storedText(page)).toContain('vouchgraph:graphiql:tabState');
  expect(await page.evaluate<string>('JSON.stringify([{ ...localStorage }, document.cookie])')).not.toContain(
    sandbox.key,
  );
  const { origin } = new URL(page.url());
  expect(page.url()).toBe(`${origin}/graphql`);
  expect(browser.requests.filter(({ url }) => url.includes('secret='))).toEqual([]);
  expect(await violationsOf(page)).toEqual([]);
  expect(complaintsOf(browser)).toEqual([]);
  expect(browser.requests.filter(({ url }) => url.includes(sandbox.key))).toEqual([]);
  expect(new Set(browser.requests.map(({ host }) => host))).toEqual(new Set([new URL(origin).host]));
});

it.each([1280, 400])('has tabs, responses and the documentation in a window of %d pixels', async (width) => {
  const { browser, page } = await openGraphiql(await startWithLink(), { width });
  await page.getByRole('status').getByText('sandbox project').waitFor();
  // The first click on a tab already selects it, in any order.
  for (const name of ['TestRule', 'Watch', 'Authenticate', 'CreateRule', 'Accounts']) {
    await tab(page, name).click();
    await activeTab(page).getByText(name, { exact: true }).waitFor();
  }
  const { data } = await resultOf(page, 'Accounts', () => run(page).click());
  expect(data.accounts.edges).toEqual([]);
  await page.locator('.graphiql-response').getByText('"edges"').waitFor();
  expect((await page.locator('.graphiql-response').boundingBox())!.width).toBeGreaterThan(200);

  await page.getByRole('button', { name: 'Show Documentation Explorer' }).click();
  const docs = page.locator('.graphiql-plugin');
  await docs.getByRole('link', { name: 'Mutation', exact: true }).click();
  await docs.getByRole('link', { name: 'authenticateSession', exact: true }).click();
  await docs.getByText('AuthenticateSessionInput').first().waitFor();
  expect(complaintsOf(browser)).toEqual([]);
});

it('works by another name than loopback, without a key in the field', async () => {
  const sandbox = await gateway.project();
  const { port } = new URL(gateway.baseUrl);
  const { browser, page } = await openGraphiql(null, {
    baseUrl: `http://gateway.example:${port}`,
    args: ['--host-resolver-rules=MAP gateway.example 127.0.0.1, MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
  });
  await page.locator('#key:focus').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe('');
  // Samples need no features that browsers restrict to HTTPS and loopback.
  const field = page.getByLabel('API key');
  await field.fill(sandbox.key);
  await field.press('Enter');
  await page.getByRole('button', { name: 'Sample visit' }).click();
  await page
    .getByRole('status')
    .getByText(/sample-\d+ was authenticated/)
    .waitFor();
  const complaints = complaintsOf(browser).filter((text) => !text.includes('Cross-Origin-Opener-Policy'));
  expect(complaints).toEqual([]);
});

it('waits for a key without an error, and shows the project of the entered key', async () => {
  const { browser, page } = await openGraphiql(null);
  const answer = page.locator('.graphiql-response');
  const operations = () =>
    browser.requests.filter(({ url, method }) => method === 'POST' && url.endsWith('/graphql'));
  expect(await answer.innerText()).toBe('');
  expect(operations()).toEqual([]);
  await run(page).click();
  await answer.getByText('Enter an API key above').waitFor();
  expect(operations()).toEqual([]);

  const project = await gateway.project();
  const field = page.getByLabel('API key');
  await field.fill(project.key);
  await field.press('Enter');
  await page.getByRole('status').getByText('sandbox project').waitFor();
  const { errors } = await resultOf(page, 'Accounts', () => run(page).click());
  expect(errors).toBeUndefined();
  expect(await storedText(page)).not.toContain(project.key);
  expect(complaintsOf(browser)).toEqual([]);
});

it('shows why a key is rejected, and accepts the next one', async () => {
  const { page } = await openGraphiql(null);
  const field = page.getByLabel('API key');
  await field.fill('vg_test_unknown');
  await field.press('Enter');
  await page.getByRole('status').getByText('Unauthorized').waitFor();
  const production = await gateway.project({ environment: 'production', role: 'server' });
  await field.fill(production.key);
  await field.press('Enter');
  await page.getByRole('status').getByText('production project').waitFor();
  // Simulated sessions exist in sandbox projects alone.
  expect(await page.getByRole('button', { name: 'Sample visit' }).isHidden()).toBe(true);
});

it('keeps tabs over a reload without headers', async () => {
  const { page } = await openGraphiql(null);
  await page.getByRole('button', { name: 'Headers', exact: true }).click();
  await page.locator('.graphiql-editor-tool .monaco-editor:visible').click();
  await page.keyboard.insertText('{ "x-api-key": "vg_test_typed" }');
  await tab(page, 'Watch').click();
  await expect.poll(() => storedText(page)).toMatch(/activeTabIndex[\\":]+2/);
  await page.reload();
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  expect(await activeTab(page).innerText()).toContain('Watch');
  expect(await storedText(page)).not.toContain('vg_test_');
  // GraphiQL may store the tabs once more before the page is left.
  await page.evaluate(`{
    const stored = { ...localStorage };
    document.getElementById('examples').click();
    Object.assign(localStorage, stored);
  }`);
  await activeTab(page).getByText('Accounts', { exact: true }).waitFor();
});

it('is filled in by a link once, and then in the other pages of the tab', async () => {
  const { gateway: started, sandbox, linkTo } = await startWithLink();
  const url = started.baseUrl;
  const browser = await openBrowser({ mode: 'shell' });
  const pages = await Promise.all([browser.open(linkTo('/graphql')), browser.open(linkTo('/graphql'))]);
  // Two tabs post the secret at the same time.
  await Promise.all(
    pages.map((page) =>
      page
        .getByRole('status')
        .getByText(/sandbox project|used before/)
        .waitFor(),
    ),
  );
  const keys = await Promise.all(pages.map((page) => page.getByLabel('API key').inputValue()));
  expect(keys.toSorted()).toEqual(['', sandbox.key]);
  const page = pages[keys.indexOf(sandbox.key)]!;

  await page.reload();
  await page.getByRole('status').getByText('sandbox project').waitFor();
  await page.goto(`${url}/sdk-demo`);
  const projectId = page.getByLabel('Public id of a sandbox project');
  await expect.poll(() => projectId.inputValue()).toBe(sandbox.projectId);
  await page.getByRole('button', { name: 'Start' }).click();
  await expect.poll(() => page.getByLabel('Sandbox key').inputValue()).toBe(sandbox.key);

  // The reference is opened by another name of the same machine: requests go to the name in the address.
  await page.goto(`${url}/docs`);
  await page.locator('.opblock-get').first().waitFor();
  expect(complaintsOf(browser)).toEqual([]);
  expect(await executedStatus(page)).toBe(400);
  const other = await browser.open(`${url.replace('127.0.0.1', 'localhost')}/docs`);
  expect(await executedStatus(other)).toBe(401);
});

it('is not kept when the gateway rejects it', async () => {
  const started = await startWithLink();
  const { sandbox } = started;
  const { page } = await openGraphiql(started);
  await page.getByRole('status').getByText('sandbox project').waitFor();
  expect(await storedText(page)).toContain(sandbox.key);
  await started.gateway.app.projects.revokeKey(sandbox.projectId, sandbox.keyId);
  const isRejected = async () => (await sandbox.rest('GET', '/list')).status;
  await expect.poll(isRejected).toBe(401);
  await expect
    .poll(async () => {
      await page.reload();
      await page.getByRole('status').getByText(/\S/).waitFor();
      return page.getByRole('status').innerText();
    })
    .toContain('Unauthorized');
  expect(await storedText(page)).not.toContain(sandbox.key);
});

it('is kept when the gateway rejects a request for another reason than the key', async () => {
  const started = await startWithLink({ RATE_LIMIT_PER_MINUTE: '20' });
  const { sandbox } = started;
  const { page } = await openGraphiql(started);
  await page.getByRole('status').getByText('sandbox project').waitFor();
  const status = async () => (await sandbox.rest('GET', '/list')).status;
  while ((await status()) !== 429);
  await page.reload();
  await page.getByRole('status').getByText('Too Many Requests').waitFor();
  expect(await storedText(page)).toContain(sandbox.key);
});

it('is filled in by a link also where the browser stores nothing', async () => {
  const started = await startWithLink();
  const browser = await openBrowser({ mode: 'shell' });
  await browser.context.addInitScript(
    `Storage.prototype.setItem = () => { throw new DOMException('No storage', 'QuotaExceededError'); };`,
  );
  const page = await browser.open(started.linkTo('/graphql'));
  await page.getByRole('status').getByText('sandbox project').waitFor();
  expect(await page.getByLabel('API key').inputValue()).toBe(started.sandbox.key);
  // The link was used, and nothing stored its key.
  await leave(page);
  const next = await browser.open(started.linkTo('/graphql'));
  await next.getByRole('status').getByText('sandbox.json').waitFor();
});

/** The status of GET /account/{account_id} for an unknown account, as the page of Swagger UI executes and shows it. */
async function executedStatus(page: Page): Promise<number> {
  const operation = page
    .locator('.opblock-get')
    .filter({ has: page.locator('[data-path="/account/{account_id}"]') });
  await operation.locator('.opblock-summary-control').click();
  await operation.getByPlaceholder('account_id').fill('nobody');
  await operation.getByRole('button', { name: 'Execute' }).click();
  return Number(
    await operation.locator('.live-responses-table .response .response-col_status').first().innerText(),
  );
}
