import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { assertDeclared, writeGenerated } from './bundling.ts';

/*
 * Bundles the script of the REST reference. The same sources give the same bytes.
 */

const SOURCES = new URL('../../clients/pages/', import.meta.url);

const result = await build({
  configFile: false,
  logLevel: 'warn',
  root: fileURLToPath(SOURCES),
  build: {
    write: false,
    target: 'es2022',
    minify: true,
    copyPublicDir: false,
    modulePreload: false,
    rolldownOptions: {
      input: fileURLToPath(new URL('docs.ts', SOURCES)),
      output: { format: 'iife', codeSplitting: false },
    },
  },
});
const [built] = Array.isArray(result) ? result : [result];
const output = built && 'output' in built ? built.output : [];
if (output.length !== 1) throw new Error(`docs.ts: ${output.length} files instead of one`);
assertDeclared('bundle-pages.ts', output[0]!.moduleIds);
await writeGenerated('pages', 'docs.js', `/*! Vouchgraph, Apache-2.0. */\n${output[0]!.code.trimEnd()}\n`);
