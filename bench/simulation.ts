import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { findChromium, startBrowser } from '../test/browser/support/chromium.ts';
import { readOptions } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { spreadOf } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Simulated checks, one after the other: time from the request of the page to the result, as read by a server, and
 * to the redirect, as followed by a Chromium at rest. Both are due after 3 seconds and never before. Without a
 * Chromium the redirect is omitted. A time never fails the run, except one below 3 seconds.
 *
 *   --quick  3 checks of each instead of 10
 */
const options = readOptions();
const CHECKS = options.quick ? 3 : 10;
const DUE_MS = 3000;
/** Polling of the result starts here, at this interval. */
const LOOK_FROM_MS = 2850;
const LOOK_MS = 20;

type Site = { readonly url: string; nextVisit(): Promise<number>; close(): void };
type Made = { session_id: string; session_url: string };

/** A return page that records when it is requested. */
async function startSite(): Promise<Site> {
  let arrived: (at: number) => void = () => {};
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/back')) arrived(performance.now());
    response.setHeader('content-type', 'text/html').end('<!doctype html><title>Back</title>');
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/back`,
    nextVisit: () => new Promise((resolve) => (arrived = resolve)),
    close: () => server.close(),
  };
}

async function create(base: string, key: string, redirectUrl: string): Promise<Made> {
  const query = new URLSearchParams({ id: 'true', simulate: 'success', redirect_url: redirectUrl });
  const answer = await fetch(`${base}/liveness/session?${query}`, { headers: { 'x-api-key': key } });
  if (!answer.ok) throw new Error(`a session was answered with ${answer.status}`);
  return (await answer.json()) as Made;
}

/** Milliseconds from the request for the page until verify-id answers with a result. */
async function resultAfter(base: string, key: string, made: Made): Promise<number> {
  const startedAt = performance.now();
  await (await fetch(made.session_url)).text();
  await delay(LOOK_FROM_MS - (performance.now() - startedAt));
  for (;;) {
    const answer = await fetch(`${base}/liveness/verify-id`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: made.session_id }),
    });
    const body = (await answer.json()) as { error?: string };
    if (answer.ok) return performance.now() - startedAt;
    if (body.error !== 'session_not_complete') throw new Error(`a result was answered with ${body.error}`);
    await delay(LOOK_MS);
  }
}

function isChromiumInstalled(): boolean {
  try {
    return findChromium() !== '';
  } catch (error) {
    console.log(`The redirect is not measured: ${(error as Error).message}`);
    return false;
  }
}

const results: number[] = [];
const redirects: number[] = [];
await withWorkbench(options, async (bench) => {
  const key = await bench.createSandboxKey();
  const gateway = await bench.startGateway();
  const base = gateway.url.origin;
  const site = await startSite();
  try {
    // The first check loads data that the others share.
    await resultAfter(base, key, await create(base, key, site.url));
    for (let count = 0; count < CHECKS; count += 1)
      results.push(await resultAfter(base, key, await create(base, key, site.url)));
    if (!isChromiumInstalled()) return;
    const browser = await startBrowser({ mode: 'window' });
    try {
      const page = await browser.open(`${site.url}#empty`);
      for (let count = -1; count < CHECKS; count += 1) {
        const { session_url } = await create(base, key, site.url);
        const visit = site.nextVisit();
        const startedAt = performance.now();
        await page.goto(session_url);
        const redirectMs = (await visit) - startedAt;
        if (count >= 0) redirects.push(redirectMs);
        await page.waitForURL(`${site.url}*`);
      }
    } finally {
      await browser.close();
    }
  } finally {
    site.close();
  }
});

const rows = [
  ['page requested to result', results],
  ['page requested to redirect', redirects],
] as const;
printTable(
  ['milliseconds', 'checks', 'median', 'min', 'max'],
  rows.map(([name, values]) => {
    const { median, min, max } = spreadOf(values);
    return [name, String(values.length), ...[median, min, max].map((value) => value.toFixed(0))];
  }),
);
console.log(describeMachine());
if ([...results, ...redirects].some((value) => value < DUE_MS)) {
  console.error(`A result or a redirect came before ${DUE_MS} ms`);
  process.exitCode = 1;
}
