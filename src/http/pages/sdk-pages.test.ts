import type { IncomingMessage } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { createSdkPages } from './sdk-pages.ts';

const pages = createSdkPages();

async function answerTo(path: string) {
  const answer = await pages.get(path)!({ headers: {} } as IncomingMessage);
  return { ...answer, text: answer.body.toString() };
}

describe('the script', () => {
  test.each(['/sdk.js', '/sdk.mjs'])('%s may be used by pages of any origin, and cached', async (path) => {
    const { status, contentType, headers } = await answerTo(path);
    expect(status).toBe(200);
    expect(contentType).toBe('text/javascript; charset=utf-8');
    expect(headers).toMatchObject({
      'access-control-allow-origin': '*',
      'cross-origin-resource-policy': 'cross-origin',
      'cache-control': 'public, max-age=3600',
      etag: expect.stringMatching(/^"[\w-]{22}"$/),
    });
  });

  test.each(['/sdk.js', '/sdk.mjs'])('%s is at most 30 KB gzipped', async (path) => {
    expect(gzipSync((await answerTo(path)).text).length).toBeLessThanOrEqual(30 * 1024);
  });

  test.each(['/sdk.js', '/sdk.mjs', '/sdk-demo.js'])(
    '%s names no other host, evaluates no text and loads nothing',
    async (path) => {
      const { text } = await answerTo(path);
      expect(text).not.toMatch(/https?:\/\/\w|openfpcdn|XMLHttpRequest|sendBeacon|importScripts/);
      expect(text).not.toMatch(/\beval\(|new Function\(|\bimport\(/);
    },
  );

  test('exports the documented functions as a module', async () => {
    const { text } = await answerTo('/sdk.mjs');
    const exported = /export\{([^}]*)\}/.exec(text)?.[1]?.match(/\w+(?=,|$)/g);
    expect(exported?.sort()).toEqual(['account', 'collected', 'complete', 'init', 'reinitialize', 'session']);
  });
});

describe('the demo page of the script', () => {
  test('runs under a policy without inline scripts and styles, and has none', async () => {
    const { text, contentType, headers } = await answerTo('/sdk-demo');
    expect(contentType).toBe('text/html; charset=utf-8');
    expect(headers?.['content-security-policy']).not.toContain('unsafe');
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=/);
  });

  test('names only files that are served', async () => {
    const { text } = await answerTo('/sdk-demo');
    const named = Array.from(text.matchAll(/(?:src|href)="([\w-]+\.\w+)"/g), ([, file]) => `/${file}`);
    expect(named.sort()).toEqual(['/sdk-demo.css', '/sdk-demo.js', '/sdk.js']);
    for (const path of named) expect((await answerTo(path)).status).toBe(200);
  });
});
