import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build, type InlineConfig } from 'vite';
import { assertDeclared, licensesOf, writeGenerated } from './bundling.ts';

/*
 * Bundles the script and the style of the hosted page. The same sources give the same bytes.
 */

const SOURCES = new URL('../../clients/capture/', import.meta.url);
/** Of everything that the page loads, gzipped. */
const MAX_GZIP_BYTES = 150 * 1024;

/** Packages that end up in the script, whose terms go with it. */
const BUNDLED = ['preact', 'uqr', '@fingerprintjs/fingerprintjs', '@fingerprintjs/botd'];

const BANNER =
  '/*! Vouchgraph, Apache-2.0. Includes Preact, uqr, FingerprintJS and BotD, MIT: see LICENSES.txt. */';

async function bundle(entry: string): Promise<{ script: string; style: string }> {
  const result = await build(configOf(entry));
  const [built] = Array.isArray(result) ? result : [result];
  const output = built && 'output' in built ? built.output : [];
  const script = output.find((part) => part.type === 'chunk');
  const style = output.find((part) => part.type === 'asset' && part.fileName.endsWith('.css'));
  if (output.length !== 2 || script?.type !== 'chunk' || style?.type !== 'asset') {
    throw new Error(`${entry}: one script and one style were expected`);
  }
  assertDeclared('bundle-capture.ts', script.moduleIds);
  return { script: `${BANNER}\n${script.code.trimEnd()}\n`, style: `${String(style.source).trimEnd()}\n` };
}

function configOf(entry: string): InlineConfig {
  return {
    configFile: false,
    logLevel: 'warn',
    root: fileURLToPath(SOURCES),
    oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    build: {
      write: false,
      target: 'es2020',
      minify: true,
      cssMinify: true,
      copyPublicDir: false,
      modulePreload: false,
      rolldownOptions: {
        input: fileURLToPath(new URL(entry, SOURCES)),
        output: { format: 'es', codeSplitting: false },
      },
    },
  };
}

/** Names of XML vocabularies look like addresses; nothing is ever asked of them. */
const VOCABULARY = /^http:\/\/www\.w3\.org\//;

/** The page speaks to its own service alone: whatever names another host has slipped in with a dependency. */
function refuseForeignHosts(code: string): void {
  const found = (code.match(/https?:\/\/[\w.-]+[^"'`\s]*/g) ?? []).find(
    (address) => !VOCABULARY.test(address),
  );
  if (found) throw new Error(`the page names ${found}`);
}

const { script, style } = await bundle('main.tsx');
refuseForeignHosts(script + style);
const sizes = [script, style].map((text) => gzipSync(text, { level: 9 }).length);
const gzipBytes = sizes.reduce((sum, size) => sum + size, 0);
if (gzipBytes > MAX_GZIP_BYTES) throw new Error(`the page is larger than ${MAX_GZIP_BYTES} bytes gzipped`);
await writeGenerated('capture', 'capture.js', script);
await writeGenerated('capture', 'capture.css', style);
await writeGenerated('capture', 'LICENSES.txt', await licensesOf(BUNDLED));
