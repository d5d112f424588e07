import { mkdirSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { startBrowser } from '../test/browser/support/chromium.ts';
import { hostPage, startSite } from '../test/browser/support/host-page.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { printTable } from './support/report.ts';
import { median, quantile } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Collection time of the script before it opens a session, by its own measure, and the time that a page waits for
 * the session id: in a Chromium with a fresh profile for each load, against a gateway on the same machine.
 *
 * The bar is for a browser at rest that was started long before. One that has just started is still busy; its
 * figures are shown beside it.
 */
const BAR_MS = 300;
/** The startup work of a browser is complete by then. */
const REST_MS = 3000;

type Load = { collectedMs: number; sessionMs: number };

const options = readOptions();
const atRest: Load[] = [];
const justStarted: Load[] = [];
await withWorkbench(options, async (bench) => {
  const gateway = await bench.startGateway();
  const site = await startSite({
    pages: {
      '/': hostPage({ gatewayUrl: '', attributes: { project: bench.project.projectId } }),
      '/empty': '<!doctype html><title>Empty</title>',
    },
    gatewayUrl: gateway.url.toString(),
  });
  try {
    // The first browser of all waits for the disk.
    await load(site.url, 0);
    for (let count = options.quick ? 3 : 10; count > 0; count -= 1) {
      atRest.push(await load(site.url, REST_MS));
      justStarted.push(await load(site.url, 0));
    }
  } finally {
    await site.close();
  }
});
await report();

/** One visit: a fresh profile, a page, a session. */
async function load(url: string, restMs: number): Promise<Load> {
  const browser = await startBrowser({ mode: 'window', hidesAutomation: true });
  try {
    const page = await browser.open(`${url}/empty`);
    await setTimeout(restMs);
    await page.goto(url);
    // From the request of the page, where performance.now() starts.
    return await page.evaluate(`Vouchgraph.session().then(({ error }) => {
      if (error) throw new Error(error);
      return { sessionMs: Math.round(performance.now()), collectedMs: Vouchgraph.collected().milliseconds };
    })`);
  } finally {
    await browser.close();
  }
}

async function report(): Promise<void> {
  const script = await readFile(new URL('../clients/sdk/generated/sdk.js', import.meta.url));
  const rows = [
    ['collection', atRest.map(({ collectedMs }) => collectedMs)],
    ['page asked for to session', atRest.map(({ sessionMs }) => sessionMs)],
    ['collection, browser just started', justStarted.map(({ collectedMs }) => collectedMs)],
    ['page asked for to session, just started', justStarted.map(({ sessionMs }) => sessionMs)],
  ] as const;
  const figures = rows.map(([name, values]) => {
    const sorted = values.toSorted((a, b) => a - b);
    return {
      name,
      median: median(sorted),
      p95: quantile(sorted, 0.95),
      min: sorted[0]!,
      max: sorted.at(-1)!,
    };
  });
  printTable(
    ['milliseconds', 'median', 'p95', 'min', 'max'],
    figures.map((each) => [each.name, ...[each.median, each.p95, each.min, each.max].map(String)]),
  );
  const gzipped = gzipSync(script).length;
  console.log(`\n${atRest.length} loads each; sdk.js ${script.length} bytes, ${gzipped} gzipped`);
  mkdirSync(RESULTS, { recursive: true });
  const results = { name: 'sdk', figures, bytes: script.length, gzippedBytes: gzipped, barMs: BAR_MS };
  writeFileSync(new URL('sdk.json', RESULTS), JSON.stringify(results, null, 2));
  if (figures[0]!.median > BAR_MS) {
    console.error(`The median of the collection is above ${BAR_MS} ms`);
    process.exitCode = 1;
  }
}
