import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type InlineConfig, type Plugin } from 'vite';
import { LANGUAGES } from '../../clients/shared/languages.ts';
import { generateConsoleOperations } from '../../codegen.ts';
import { assertDeclared, licensesOf, packageOf, writeGenerated } from './bundling.ts';
import { stagingFolder } from './staging.ts';

/*
 * Bundles the console: index.html, hashed files in assets/ with one script per page and language, and manifest.json, which lists
 * what a page loads. Also writes the types of its GraphQL documents. The same sources give the same bytes.
 */

const SOURCES = fileURLToPath(new URL('../../clients/console/', import.meta.url));
const OPERATIONS = 'operations/generated/operations.ts';
const OUTPUT = join(stagingFolder(), 'clients/console/generated');

/** Texts of React Aria in a language, such as `…/intl/overlays/de-DE.mjs`. */
const ARIA_TEXTS = /[\\/]intl[\\/]\w+[\\/](\w{2})-\w{2}\.m?js$/;

/** Names of XML vocabularies and addresses in error messages of packages; nothing is asked of them. */
const NAMED_ONLY =
  /^https?:\/\/(www\.w3\.org\/|react\.dev\/errors\/|simplewebauthn\.dev\/docs\/|tanstack\.com\/|localhost\b)/;

// Vite bundles the development version of React under another value, which a test runner sets.
process.env.NODE_ENV = 'production';

const operations = await generateConsoleOperations();
const modules = new Set<string>();
await build(configOf());
assertDeclared('bundle-console.ts', [...modules]);
await refuseForeignHosts();
const packages = new Set([...modules].map(packageOf).filter((name) => name !== null));
await writeGenerated('console', 'LICENSES.txt', await licensesOf([...packages].sort()));
await writeOperations();

function configOf(): InlineConfig {
  return {
    configFile: false,
    logLevel: 'warn',
    root: SOURCES,
    base: '/console/',
    mode: 'production',
    oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
    plugins: [documents(), aloneInOurLanguages(), recordModules()],
    build: {
      outDir: OUTPUT,
      emptyOutDir: true,
      manifest: 'manifest.json',
      target: 'es2022',
      cssCodeSplit: false,
      cssMinify: true,
      assetsInlineLimit: 0,
      copyPublicDir: false,
      modulePreload: { polyfill: false },
      rolldownOptions: {
        // Packages mark modules for servers that render them, which this build does not have.
        onLog: (level, log, report) => log.code === 'MODULE_LEVEL_DIRECTIVE' || report(level, log),
      },
    },
  };
}

/** The typed documents, which are not in the folder of the sources yet. */
function documents(): Plugin {
  const file = join(SOURCES, OPERATIONS).replaceAll('\\', '/');
  return {
    name: 'console-documents',
    enforce: 'pre',
    resolveId: (source) => (source.endsWith(`/${OPERATIONS}`) ? file : null),
    load: (id) => (id === file ? operations : null),
  };
}

/** React Aria has its texts in 34 languages: only those of the console are bundled. */
function aloneInOurLanguages(): Plugin {
  return {
    name: 'console-languages',
    load(id) {
      const language = ARIA_TEXTS.exec(id)?.[1];
      return language === undefined || language in LANGUAGES ? null : 'export default {};';
    },
  };
}

function recordModules(): Plugin {
  return {
    name: 'console-modules',
    generateBundle(_options, bundle) {
      for (const part of Object.values(bundle))
        if (part.type === 'chunk') for (const id of part.moduleIds) modules.add(id);
    },
  };
}

/** The console speaks to its own service alone: whatever names another host has slipped in with a dependency. */
async function refuseForeignHosts(): Promise<void> {
  const folder = join(OUTPUT, 'assets');
  for (const file of await readdir(folder)) {
    const code = await readFile(join(folder, file), 'utf8');
    const found = (code.match(/https?:\/\/[\w.-]+[^"'`\s]*/g) ?? []).find((each) => !NAMED_ONLY.test(each));
    if (found) throw new Error(`${file} names ${found}`);
  }
}

async function writeOperations(): Promise<void> {
  const folder = join(stagingFolder(), 'clients/console/operations/generated');
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, 'operations.ts'), operations);
}
