import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { createStaticFile, type StaticFile } from '@vouchgraph/platform/static-file';

/*
 * The console of operators: the files that `npm run build` makes of clients/console. Every path below /console without a file is a
 * page of the console, which its router shows.
 */

const GENERATED = new URL('../../../clients/console/generated/', import.meta.url);
const ROOT = '/console';
const ASSETS = `${ROOT}/assets/`;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
};

/** Only files of the gateway run and style the page, and no script can turn text into markup or code. */
const POLICY = [
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
].join('; ');

const PAGE_HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Another content has another name. */
const ASSET_HEADERS = {
  'cache-control': 'public, max-age=31536000, immutable',
  'cross-origin-resource-policy': 'same-origin',
};

/** Finds the page or file of the console at a path; undefined outside of the console, and for unknown files. */
export function createConsoleFiles(): (path: string) => StaticFile | undefined {
  const page = builtFile('index.html', 'text/html; charset=utf-8', PAGE_HEADERS);
  let assets: ReadonlyMap<string, StaticFile> | undefined;
  return (path) => {
    if (path.startsWith(ASSETS)) {
      assets ??= listAssets();
      return assets.get(path);
    }
    return path === ROOT || path.startsWith(`${ROOT}/`) ? page : undefined;
  };
}

function listAssets(): Map<string, StaticFile> {
  const names = readdirSync(new URL('assets/', GENERATED));
  return new Map(
    names.map((name) => {
      const contentType = CONTENT_TYPES[extname(name)] ?? 'application/octet-stream';
      return [ASSETS + name, builtFile(`assets/${name}`, contentType, ASSET_HEADERS)];
    }),
  );
}

function builtFile(file: string, contentType: string, headers: Readonly<Record<string, string>>): StaticFile {
  const url = new URL(file, GENERATED);
  return createStaticFile(async () => ({ status: 200, body: await readFile(url), contentType, headers }));
}
