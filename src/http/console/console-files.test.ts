import { readdirSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { describe, expect, it } from 'vitest';
import { createConsoleFiles } from './console-files.ts';

const find = createConsoleFiles();
const assets = readdirSync(new URL('../../../clients/console/generated/assets/', import.meta.url));

async function answerTo(path: string, headers: Record<string, string> = {}) {
  const answer = await find(path)!({ headers } as unknown as IncomingMessage);
  return { ...answer, text: answer.body.toString() };
}

describe('the console', () => {
  it.each(['/console', '/console/', '/console/sign-in', '/console/account', '/console/unknown/page'])(
    'has its page at %s',
    async (path) => {
      const { status, contentType, headers, text } = await answerTo(path);
      expect([status, contentType]).toEqual([200, 'text/html; charset=utf-8']);
      expect(text).toContain('<div id="console">');
      expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' });
    },
  );

  it('has a policy without inline code, frames and markup from text', async () => {
    const { headers, text } = await answerTo('/console');
    const policy = String(headers?.['content-security-policy']).split('; ');
    expect(policy).toEqual([
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "img-src 'self' data: blob:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
      "require-trusted-types-for 'script'",
      "trusted-types 'none'",
    ]);
    expect(text).not.toMatch(/<script(?![^>]*\ssrc=)|<style|\sstyle=|\son\w+=/);
  });

  it('lets browsers keep files with a hash in their name', async () => {
    expect(assets).toContainEqual(expect.stringMatching(/\.css$/));
    for (const name of assets) {
      expect(name).toMatch(/-[\w-]{8}\.(js|css)$/);
      const { headers, contentType } = await answerTo(`/console/assets/${name}`);
      expect(headers).toMatchObject({ 'cache-control': 'public, max-age=31536000, immutable' });
      expect(contentType).toBe(`text/${name.endsWith('.css') ? 'css' : 'javascript'}; charset=utf-8`);
    }
  });

  it('loads its script and style from files that exist', async () => {
    const { text } = await answerTo('/console');
    const loaded = [...text.matchAll(/(?:src|href)="(\/[^"]+)"/g)].map(([, path]) => path!);
    expect(loaded.length).toBeGreaterThanOrEqual(2);
    for (const path of loaded) expect(find(path), path).toBeDefined();
  });

  it.each([
    '/console/assets/',
    '/console/assets/old-AAAAAAAA.js',
    '/console/assets/../index.html',
    '/consoles',
    '/',
  ])('has nothing at %s', (path) => {
    expect(find(path)).toBeUndefined();
  });
});
