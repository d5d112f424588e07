import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { send, startGateway } from '../support/gateway.ts';
import { BARE_PROXIES, isInstalled, startBareProxy } from './support/bare-proxies.ts';
import { openBrowser } from './support/visits.ts';

/*
 * The key of the sandbox behind real reverse proxies that were configured with an address alone, so that requests of
 * strangers look like those of a browser on this machine.
 */

/** A gateway as started in a terminal. */
async function startWithLink() {
  let key: string | null = null;
  const gateway = await startGateway({ readSandboxKey: async () => key, showsSandboxLink: true });
  onTestFinished(() => gateway.close());
  const sandbox = await gateway.project();
  key = sandbox.key;
  return { gateway, sandbox, secret: (await gateway.app.sandboxSecret())! };
}

/** Headers of a request as they arrive behind the proxy. */
async function headersBehind(proxy: (typeof BARE_PROXIES)[number]): Promise<IncomingHttpHeaders> {
  let last: IncomingHttpHeaders = {};
  const server = createServer(({ headers }, response) => {
    last = headers;
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const url = await startBareProxy(proxy, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  await fetch(url);
  return last;
}

describe.each(BARE_PROXIES)('behind $program without settings', (proxy) => {
  beforeEach(({ skip }) => {
    if (!isInstalled(proxy)) skip(`${proxy.program} is not installed: tools/install-proxies.sh`);
  });

  it('requests look local to the gateway', async () => {
    const { host, ...headers } = await headersBehind(proxy);
    expect(host).toMatch(/^127\.0\.0\.1:\d+$/);
    expect(Object.keys(headers).filter((name) => /forward|real-ip|^via$/.test(name))).toEqual([]);
  });

  it('no request receives the key of the sandbox without the secret', async () => {
    const { gateway, sandbox, secret } = await startWithLink();
    const url = await startBareProxy(proxy, gateway.baseUrl);
    for (const path of ['/sandbox-key', '/graphiql/key', '/sandbox-proof'])
      for (const body of [{}, { secret: '' }, { secret: 'guess' }, { nonce: 'a'.repeat(32) }])
        for (const origin of [url, gateway.baseUrl, 'http://localhost:4000']) {
          const { text } = await send(url + path, 'POST', body, { origin, 'sec-fetch-site': 'same-origin' });
          expect(text).not.toContain(sandbox.key);
        }
    const browser = await openBrowser();
    const page = await browser.open(`${url}/graphql`);
    await page.locator('.graphiql-query-editor .view-line').first().waitFor();
    expect(await page.getByLabel('API key').inputValue()).toBe('');
    expect(await page.content()).not.toContain(sandbox.key);
    // The operator, who has the secret, receives it through the proxy too.
    expect((await send(`${url}/sandbox-key`, 'POST', { secret })).body.sandbox.key).toBe(sandbox.key);
  });
});
