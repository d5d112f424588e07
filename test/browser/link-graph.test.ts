import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { ROOT, snippetsOf } from '../support/documents.ts';
import { type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { type PlantedNetwork, plantNetwork, secretsIn } from '../support/planted-network.ts';
import { openBrowser } from './support/visits.ts';

/** The command of the document, and its variables. */
const [{ text: COMMAND = '' } = {}] = snippetsOf('examples/link-graph/README.md');
const BACKEND = path.join(ROOT, COMMAND.trim().split(' node ')[1]!);
const VARIABLES = [...COMMAND.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name);

let gateway: Gateway;
let project: TestProject;
let network: PlantedNetwork;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  network = await plantNetwork(project);
});
afterAll(() => gateway.close());

/** Starts the backend of the example for an account; returns the address of its page. */
async function startExample(accountId: string): Promise<string> {
  const env = {
    PATH: process.env.PATH,
    VOUCHGRAPH_URL: gateway.baseUrl,
    VOUCHGRAPH_API_KEY: project.key,
    ACCOUNT_ID: accountId,
    PORT: '0',
  };
  expect(Object.keys(env)).toEqual(expect.arrayContaining(VARIABLES));
  const backend = spawn(process.execPath, [BACKEND], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    backend.kill();
    await once(backend, 'exit');
  });
  const [url] = (await once(createInterface(backend.stdout), 'line')) as [string];
  return url;
}

it('the example page draws the links of its account, and receives no data of another account', async () => {
  const url = await startExample(network.mine);
  const browser = await openBrowser({ mode: 'shell', context: { viewport: { width: 1180, height: 820 } } });
  const page = await browser.open();
  const bodies: Promise<string>[] = [];
  page.on('response', (response) => {
    // A preflight has no body.
    if (response.request().method() !== 'OPTIONS') bodies.push(response.text());
  });
  await page.goto(url);
  await page.waitForSelector('#graph svg');
  if (process.env.LINK_GRAPH_SCREENSHOT) await page.screenshot({ path: process.env.LINK_GRAPH_SCREENSHOT });

  const [, own, between] =
    /^4 other accounts, (\d+) links? of your account, (\d+) links? between others$/.exec(
      (await page.locator('#status').textContent())!,
    )!;
  expect(await page.locator('#links li').count()).toBe(Number(own));
  expect(await page.locator('#graph line').count()).toBe(Number(own) + Number(between));
  expect(await page.locator('#graph .node').count()).toBe(5);
  expect(await page.locator('#graph line').count()).toBeGreaterThanOrEqual(4);
  expect(await page.locator('#graph .depth-0 text').textContent()).toBe('You');
  const links = await page.locator('#links li').allTextContents();
  expect(links.join('\n')).toMatch(/phone \+14…71/);
  expect([browser.pageErrors, browser.consoleErrors]).toEqual([[], []]);

  const received = await Promise.all(bodies);
  const graph = received.find((body) => body.includes('"linkGraph"'));
  expect(JSON.parse(graph!).data.linkGraph.nodes).toHaveLength(5);
  expect(received.length).toBeGreaterThanOrEqual(4);
  expect(secretsIn(received.join('\n'), network.secrets)).toEqual([]);
  expect(secretsIn(await page.content(), network.secrets)).toEqual([]);
  // The same graph contains them for a key.
  const { linkGraph } = await project.graphql(
    `query ($id: ID!) { linkGraph(accountId: $id) { nodes { account { id accountId email metadata } } } }`,
    { id: network.mine },
  );
  expect(secretsIn(JSON.stringify(linkGraph), network.secrets)).toEqual(
    expect.arrayContaining([...network.others, 'Quokka', 'wexley82']),
  );
});
