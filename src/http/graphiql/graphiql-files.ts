import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { createStaticFile, type StaticFile } from '@vouchgraph/platform/static-file';

/*
 * GraphiQL: a page of ours with the field of the key (clients/graphiql), and the bundle of
 * @graphql-yoga/render-graphiql as files of their own. Nothing of another host is loaded.
 */

const JAVASCRIPT = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

/**
 * Only files of the gateway run, and requests go to the gateway alone, so that a key in the page stays there. Monaco
 * needs inline styles, and has its fonts and images in the style sheet.
 */
const POLICY =
  "default-src 'none'; script-src 'self'; worker-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src data:; font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** Clients ask each time whether their copy is current. */
const REVALIDATE = { 'cache-control': 'no-cache' };

const PAGE_HEADERS = {
  ...REVALIDATE,
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Exports of the package's bundle: 9 MB of text. */
type Bundle = Readonly<Record<'js' | 'css' | 'editorWorkerService' | 'jsonWorker' | 'graphqlWorker', string>>;

/** The page for trying queries; it holds nothing of any project. */
export function createGraphiqlPage(): StaticFile {
  return ownFile('page.html', 'text/html; charset=utf-8', PAGE_HEADERS);
}

/** The files of the page, by path. */
export function createGraphiqlFiles(): [string, StaticFile][] {
  return [
    ['/graphiql/page.js', ownFile('generated/page.js', JAVASCRIPT, REVALIDATE)],
    ['/graphiql/page.css', ownFile('page.css', CSS, REVALIDATE)],
    ['/graphiql/app.js', bundleFile('js', JAVASCRIPT)],
    ['/graphiql/app.css', bundleFile('css', CSS)],
    ['/graphiql/editor-worker.js', bundleFile('editorWorkerService', JAVASCRIPT)],
    ['/graphiql/json-worker.js', bundleFile('jsonWorker', JAVASCRIPT)],
    ['/graphiql/graphql-worker.js', bundleFile('graphqlWorker', JAVASCRIPT)],
  ];
}

function ownFile(file: string, contentType: string, headers: Readonly<Record<string, string>>): StaticFile {
  const url = new URL(`../../../clients/graphiql/${file}`, import.meta.url);
  return createStaticFile(async () => ({ status: 200, body: await readFile(url), contentType, headers }));
}

function bundleFile(part: keyof Bundle, contentType: string): StaticFile {
  return createStaticFile(async () => ({
    status: 200,
    body: (await loadBundle())[part],
    contentType,
    headers: REVALIDATE,
  }));
}

/** Loaded with the first request: the package exports only a page with its own inline scripts, which the policy refuses. */
async function loadBundle(): Promise<Bundle> {
  const folder = path.dirname(
    createRequire(import.meta.url).resolve('@graphql-yoga/render-graphiql/package.json'),
  );
  return (await import(pathToFileURL(path.join(folder, 'esm', 'graphiql.js')).href)) as Bundle;
}
