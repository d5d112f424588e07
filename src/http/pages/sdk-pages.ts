import { readFile } from 'node:fs/promises';
import { createStaticFile, type StaticFile } from '@vouchgraph/platform/static-file';

/*
 * The script that pages include, as it was built (`npm run build`), and a page that shows it at work.
 */

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** The script runs on pages of any origin. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

const ONE_HOUR = { 'cache-control': 'public, max-age=3600' };

/** Workers from a Blob, which the script uses, are the one thing more than the other pages are allowed. */
const DEMO_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The answers to the script's addresses, by path. */
export function createSdkPages(): Map<string, StaticFile> {
  return new Map([
    ['/sdk.js', asset('generated/sdk.js', JAVASCRIPT, { ...ONE_HOUR, ...ANY_ORIGIN })],
    ['/sdk.mjs', asset('generated/sdk.mjs', JAVASCRIPT, { ...ONE_HOUR, ...ANY_ORIGIN })],
    ['/sdk-demo.js', asset('generated/sdk-demo.js', JAVASCRIPT, ONE_HOUR)],
    ['/sdk-demo.css', asset('demo/demo.css', 'text/css; charset=utf-8', ONE_HOUR)],
    [
      '/sdk-demo',
      asset('demo/demo.html', 'text/html; charset=utf-8', {
        'content-security-policy': DEMO_POLICY,
        'referrer-policy': 'no-referrer',
      }),
    ],
  ]);
}

/** A file of the script's folder. */
function asset(file: string, contentType: string, headers: Readonly<Record<string, string>>): StaticFile {
  return createStaticFile(async () => ({ status: 200, body: await readSdkFile(file), contentType, headers }));
}

function readSdkFile(file: string): Promise<Buffer> {
  return readFile(new URL(`../../../clients/sdk/${file}`, import.meta.url));
}
