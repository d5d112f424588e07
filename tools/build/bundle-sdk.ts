import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type InlineConfig } from 'vite';
import { assertDeclared, licensesOf, ROOT, writeGenerated } from './bundling.ts';

/*
 * Bundles the collector of sessions and its demo page. The same sources give the same bytes.
 */

const SOURCES = new URL('../../clients/sdk/', import.meta.url);
const MAX_GZIP_BYTES = 30 * 1024;

type Bundle = { file: string; entry: string; format: 'iife' | 'es'; isLimited: boolean };

const BUNDLES: readonly Bundle[] = [
  { file: 'sdk.js', entry: 'browser-entry.ts', format: 'iife', isLimited: true },
  { file: 'sdk.mjs', entry: 'module-entry.ts', format: 'es', isLimited: true },
  { file: 'sdk-demo.js', entry: 'demo/demo.ts', format: 'iife', isLimited: false },
];

const version = await packageVersion();
const BANNER = `/*! Vouchgraph SDK ${version}, Apache-2.0. Includes FingerprintJS and BotD, (c) FingerprintJS, Inc, MIT: see LICENSES.txt. */`;

async function buildBundle({ file, entry, format, isLimited }: Bundle): Promise<void> {
  const code = await bundleOf(entry, format);
  refuseForeignHosts(file, code);
  const gzipBytes = gzipSync(code, { level: 9 }).length;
  if (isLimited && gzipBytes > MAX_GZIP_BYTES) {
    throw new Error(`${file} is larger than ${MAX_GZIP_BYTES} bytes gzipped`);
  }
  await writeGenerated('sdk', file, code);
}

async function bundleOf(entry: string, format: Bundle['format']): Promise<string> {
  const result = await build(configOf(entry, format));
  const [built] = Array.isArray(result) ? result : [result];
  const output = built && 'output' in built ? built.output : [];
  if (output.length !== 1) throw new Error(`${entry}: ${output.length} files instead of one`);
  assertDeclared('bundle-sdk.ts', output[0]!.moduleIds);
  return `${BANNER}\n${output[0]!.code.trimEnd()}\n`;
}

function configOf(entry: string, format: Bundle['format']): InlineConfig {
  return {
    configFile: false,
    logLevel: 'warn',
    root: fileURLToPath(SOURCES),
    define: { SDK_VERSION: JSON.stringify(version) },
    build: {
      write: false,
      target: 'es2020',
      minify: true,
      copyPublicDir: false,
      rolldownOptions: {
        input: fileURLToPath(new URL(entry, SOURCES)),
        preserveEntrySignatures: 'strict',
        output: { format, codeSplitting: false },
      },
    },
  };
}

/** The script speaks to the service alone: whatever names another host has slipped in with a dependency. */
function refuseForeignHosts(file: string, code: string): void {
  const found = /https?:\/\/[\w.-]+|openfpcdn|XMLHttpRequest|sendBeacon/.exec(code);
  if (found) throw new Error(`${file} names ${found[0]}`);
}

/** What makes the folder a package of its own. */
async function writePackage(): Promise<void> {
  const manifest = {
    name: 'vouchgraph-sdk',
    version,
    description: 'Collects a session of a page for Vouchgraph.',
    license: 'Apache-2.0',
    type: 'module',
    sideEffects: false,
    exports: { '.': { types: './sdk.d.ts', default: './sdk.mjs' } },
    files: ['sdk.mjs', 'sdk.d.ts', 'sdk.js', 'LICENSES.txt'],
  };
  await writeGenerated('sdk', 'package.json', `${JSON.stringify(manifest, null, 2)}\n`);
  await writeGenerated('sdk', 'sdk.d.ts', await readFile(new URL('sdk.d.ts', SOURCES), 'utf8'));
}

async function packageVersion(): Promise<string> {
  const text = await readFile(`${ROOT}package.json`, 'utf8');
  return (JSON.parse(text) as { version: string }).version;
}

await Promise.all(BUNDLES.map(buildBundle));
await writePackage();
const licenses = await licensesOf(['@fingerprintjs/fingerprintjs', '@fingerprintjs/botd']);
await writeGenerated('sdk', 'LICENSES.txt', licenses);
