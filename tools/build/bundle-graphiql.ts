import { bundlePageScript, licensesOf, writeGenerated } from './bundling.ts';

/*
 * Bundles the script of GraphiQL's page. The same sources give the same bytes.
 */

const BANNER = '/*! Vouchgraph, Apache-2.0. Includes graphql-ws, MIT: see LICENSES.txt. */';

const code = await bundlePageScript('bundle-graphiql.ts', 'graphiql', 'main.ts');
await writeGenerated('graphiql', 'page.js', `${BANNER}\n${code}\n`);
await writeGenerated('graphiql', 'LICENSES.txt', await licensesOf(['graphql-ws']));
