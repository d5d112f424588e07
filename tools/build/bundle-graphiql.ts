import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { assertDeclared, licensesOf, writeGenerated } from './bundling.ts';

/*
 * Bundles the script of GraphiQL's page. The same sources give the same bytes.
 */

const SOURCES = new URL('../../clients/graphiql/', import.meta.url);
const BANNER = '/*! Vouchgraph, Apache-2.0. Includes graphql-ws, MIT: see LICENSES.txt. */';

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
      input: fileURLToPath(new URL('main.ts', SOURCES)),
      output: { format: 'iife', codeSplitting: false },
    },
  },
});
const [built] = Array.isArray(result) ? result : [result];
const output = built && 'output' in built ? built.output : [];
if (output.length !== 1) throw new Error(`main.ts: ${output.length} files instead of one`);
assertDeclared('bundle-graphiql.ts', output[0]!.moduleIds);
await writeGenerated('graphiql', 'page.js', `${BANNER}\n${output[0]!.code.trimEnd()}\n`);
await writeGenerated('graphiql', 'LICENSES.txt', await licensesOf(['graphql-ws']));
