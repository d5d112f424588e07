import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { HttpAnswer } from '@vouchgraph/platform/http';
import { jsonAnswer } from '@vouchgraph/platform/http';
import { createStaticFile, type StaticFile } from '@vouchgraph/platform/static-file';
import { createCaptureAssets } from '../capture/page-routes.ts';
import { createConsoleFiles } from '../console/console-files.ts';
import { createGraphiqlFiles } from '../graphiql/graphiql-files.ts';
import { openApiDocument } from '../rest/openapi/openapi.ts';
import { createSdkPages } from './sdk-pages.ts';

/** Pages that need no key: the reference of the REST interface, its document, scripts, and a way to them. */
export type PublicPages = { find(path: string): StaticFile | undefined };

const ASSETS: Readonly<Record<string, string>> = {
  'swagger-ui.css': 'text/css; charset=utf-8',
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
};

/** `baseUrl`: public URL of the gateway, as in openapi.json. */
export function createPages(baseUrl: () => string): PublicPages {
  // The page's files are part of the package, so that nothing is fetched from elsewhere.
  const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
  const pages = new Map<string, StaticFile>([
    ...createSdkPages(),
    ...createCaptureAssets(),
    ...createGraphiqlFiles(),
    ['/', createStaticFile(async () => htmlAnswer(WELCOME))],
    ['/docs', createStaticFile(async () => htmlAnswer(DOCS))],
    [
      '/docs/start.js',
      createStaticFile(async () => ({
        status: 200,
        body: await readFile(new URL('../../../clients/pages/generated/docs.js', import.meta.url)),
        contentType: 'text/javascript; charset=utf-8',
      })),
    ],
    [
      '/openapi.json',
      createStaticFile(async () =>
        jsonAnswer(200, openApiDocument(baseUrl()), { 'access-control-allow-origin': '*' }),
      ),
    ],
  ]);
  for (const [file, contentType] of Object.entries(ASSETS)) {
    const asset = async () => ({
      status: 200,
      body: await readFile(path.join(folder, file)),
      contentType,
      headers: { 'cache-control': 'public, max-age=86400' },
    });
    pages.set(`/docs/${file}`, createStaticFile(asset));
  }
  const findConsoleFile = createConsoleFiles();
  return { find: (requested) => pages.get(requested) ?? findConsoleFile(requested) };
}

function htmlAnswer(body: string): HttpAnswer {
  return {
    status: 200,
    body,
    contentType: 'text/html; charset=utf-8',
    headers: {
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; frame-ancestors 'none'",
    },
  };
}

const HEAD = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="data:,">`;

const DOCS = `${HEAD}
<title>Vouchgraph REST reference</title>
<link rel="stylesheet" href="/docs/swagger-ui.css">
<style>body { margin: 0 } .swagger-ui .topbar { display: none }</style>
</head>
<body>
<div id="reference"></div>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>`;

const WELCOME = `${HEAD}
<title>Vouchgraph</title>
<style>
body { font: 1.05rem/1.6 system-ui, sans-serif; max-width: 38rem; margin: 12vh auto; padding: 0 1.5rem; color: #1c2330; background: #fff }
h1 { margin-bottom: 0 } p { margin: .4rem 0 1.6rem } a { color: #1450c8 } li { margin: .5rem 0 }
@media (prefers-color-scheme: dark) { body { color: #e8ecf4; background: #12151c } a { color: #8db4ff } }
</style>
</head>
<body>
<main>
<h1>Vouchgraph</h1>
<p>Is an account real, which other accounts belong to the same person, and why.</p>
<ul>
<li><a href="/console">Console</a>: sign in as an operator</li>
<li><a href="/docs">REST reference</a>: the operations of <a href="/openapi.json">openapi.json</a></li>
<li><a href="/graphql">GraphiQL</a>: run queries, with examples</li>
<li><a href="/sdk-demo">Browser script demo</a>: the collected data and the resulting scores</li>
<li><a href="/readyz">Readiness</a>: state of the service and its data sources</li>
</ul>
<p>IP geolocation by <a href="https://db-ip.com">DB-IP</a>.</p>
</main>
</body>
</html>`;
