import { type OperationDefinitionNode, parse } from 'graphql';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { exampleQueries } from '../../src/http/graphql/example-queries.ts';
import { type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import type { TestBrowser } from './support/chromium.ts';
import { openBrowser } from './support/visits.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

async function openGraphiql(): Promise<{
  browser: TestBrowser;
  page: Page;
  answer: ReturnType<Page['locator']>;
}> {
  const browser = await openBrowser();
  const page = await browser.open(`${gateway.baseUrl}/graphql`);
  return { browser, page, answer: page.locator('.graphiql-response') };
}

const postsOf = ({ requests }: TestBrowser) => requests.filter(({ method }) => method === 'POST');

it('GraphiQL greets a reader without a key, and sends nothing', async () => {
  const { browser, answer } = await openGraphiql();
  await answer.getByText('Paste your key').waitFor();
  expect(await answer.innerText()).not.toContain('errors');
  expect([browser.pageErrors, browser.consoleErrors, postsOf(browser)]).toEqual([[], [], []]);
});

it('GraphiQL runs every example in an empty project, with the key in its headers', async () => {
  const { browser, page, answer } = await openGraphiql();
  await answer.getByText('Paste your key').waitFor();
  await page.getByRole('button', { name: 'Headers', exact: true }).click();
  await page.locator('.graphiql-editor-tool .monaco-editor:visible').click();
  // Between the quotes of `{ "x-api-key": "" }`.
  for (const key of ['ControlOrMeta+End', 'ArrowLeft', 'ArrowLeft', 'ArrowLeft'])
    await page.keyboard.press(key);
  await page.keyboard.insertText(project.key);
  for (const { name } of parse(exampleQueries).definitions as OperationDefinitionNode[]) {
    await page.getByRole('button', { name: /Execute query/ }).click();
    const sent = page.waitForResponse((response) => response.request().method() === 'POST');
    await page.getByRole('menuitem', { name: name!.value, exact: true }).click();
    const response = await sent;
    const { data, errors } = (await response.json()) as { data: unknown; errors: unknown };
    expect({ status: response.status(), data, errors }).toEqual({
      status: 200,
      data: expect.any(Object),
      errors: undefined,
    });
  }
  expect([browser.pageErrors, browser.consoleErrors]).toEqual([[], []]);
});
