import { bundlePageScript, writeGenerated } from './bundling.ts';

/*
 * Bundles the script of the REST reference. The same sources give the same bytes.
 */

const code = await bundlePageScript('bundle-pages.ts', 'pages', 'docs.ts');
await writeGenerated('pages', 'docs.js', `/*! Vouchgraph, Apache-2.0. */\n${code}\n`);
