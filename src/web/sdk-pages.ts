import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { HttpAnswer } from '../platform/http.ts';

/*
 * The script that pages include, as it was built (`npm run build:sdk`), and a page that shows it at work.
 */

const JAVASCRIPT = 'text/javascript; charset=utf-8';

/** The script runs on pages of any origin. */
const ANY_ORIGIN = { 'access-control-allow-origin': '*', 'cross-origin-resource-policy': 'cross-origin' };

/** Workers from a Blob, which the script uses, are the one thing more than the other pages are allowed. */
const DEMO_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
  "worker-src blob:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The answers to the script's addresses, by path. */
export function createSdkPages(): Map<string, () => Promise<HttpAnswer>> {
  return new Map([
    ['/sdk.js', asset('generated/sdk.js', JAVASCRIPT, ANY_ORIGIN)],
    ['/sdk.mjs', asset('generated/sdk.mjs', JAVASCRIPT, ANY_ORIGIN)],
    ['/sdk-demo.js', asset('generated/sdk-demo.js', JAVASCRIPT)],
    ['/sdk-demo.css', asset('demo/demo.css', 'text/css; charset=utf-8')],
    ['/sdk-demo', demoPage],
  ]);
}

/** A file of the script's folder, read once. Its entity tag is the hash of what it holds. */
function asset(
  file: string,
  contentType: string,
  headers: Readonly<Record<string, string>> = {},
): () => Promise<HttpAnswer> {
  let answer: Promise<HttpAnswer> | undefined;
  const read = async (): Promise<HttpAnswer> => {
    const body = await readSdkFile(file);
    const tag = createHash('sha256').update(body).digest('base64url').slice(0, 22);
    return {
      status: 200,
      body,
      contentType,
      headers: { 'cache-control': 'public, max-age=3600', etag: `"${tag}"`, ...headers },
    };
  };
  return () => {
    answer ??= read();
    return answer;
  };
}

async function demoPage(): Promise<HttpAnswer> {
  return {
    status: 200,
    body: await readSdkFile('demo/demo.html'),
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': DEMO_POLICY, 'referrer-policy': 'no-referrer' },
  };
}

function readSdkFile(file: string): Promise<Buffer> {
  return readFile(new URL(`sdk/${file}`, import.meta.url));
}
