import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../shared/languages.ts';

const MAX_GZIP_BYTES = 200 * 1024;
const GENERATED = new URL('generated/', import.meta.url);

/** Files of a module and the modules that it imports, as Vite lists them. */
type Part = { file: string; imports?: string[] };

const manifest: Readonly<Record<string, Part>> = JSON.parse(
  readFileSync(new URL('manifest.json', GENERATED), 'utf8'),
);

/** Modules that a page loads besides the entry and the texts. */
const PAGES = {
  'sign-in': ['sign-in/sign-in-page.tsx'],
  invitation: ['invitation/invitation-page.tsx'],
  home: ['app/signed-in-layout.tsx', 'app/project-chooser.tsx', 'home/home-page.tsx'],
  people: ['app/signed-in-layout.tsx', 'app/project-chooser.tsx', 'people/people-page.tsx'],
  account: ['app/signed-in-layout.tsx', 'app/project-chooser.tsx', 'account/account-page.tsx'],
};

function filesOf(modules: readonly string[], seen = new Set<string>()): Set<string> {
  for (const module of modules) {
    const part = manifest[module];
    if (part === undefined) throw new Error(`${module} is not in manifest.json`);
    if (seen.has(part.file)) continue;
    seen.add(part.file);
    filesOf(part.imports ?? [], seen);
  }
  return seen;
}

const gzipBytes = (file: string) => gzipSync(readFileSync(new URL(file, GENERATED)), { level: 9 }).length;

const indexHtml = readFileSync(new URL('index.html', GENERATED), 'utf8');
/** Files that the document names: script, modules and style. */
const namedFiles = [...indexHtml.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, file]) => file!);

/** Bytes of a first visit, gzipped: the document, its files, and those of the page. */
function firstLoadBytes(page: keyof typeof PAGES, language: string): number {
  const modules = filesOf(['index.html', `texts/${language}.ts`, ...PAGES[page]]);
  const files = new Set(['index.html', ...namedFiles, ...modules]);
  return [...files].reduce((sum, file) => sum + gzipBytes(file), 0);
}

describe('the first load of the console', () => {
  it.each(Object.keys(PAGES) as (keyof typeof PAGES)[])('is at most 200 KB gzipped: %s', (page) => {
    for (const language of Object.keys(LANGUAGES))
      expect(firstLoadBytes(page, language), language).toBeLessThanOrEqual(MAX_GZIP_BYTES);
  });

  it('contains the style', () => {
    expect(namedFiles).toContainEqual(expect.stringMatching(/\.css$/));
  });
});
