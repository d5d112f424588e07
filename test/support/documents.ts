import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** A fenced block of a document, with the note before it. */
export type Snippet = {
  readonly file: string;
  readonly line: number;
  readonly language: string;
  readonly text: string;
  /** Content of the comment before the block, such as `not run: …`; empty without one. */
  readonly note: string;
};

/** Documents for readers of the product, relative to the repository. */
export const DOCUMENTS: readonly string[] = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'examples/link-graph/README.md',
  'prisma/README.md',
  ...globSync('docs/*.md', { cwd: ROOT }).sort(),
  ...globSync('{packages,src}/**/*.md', {
    cwd: ROOT,
    exclude: ['**/node_modules/**', '**/generated/**'],
  }).sort(),
];

const SNIPPET = /(?:^<!-- ([^\n]*?) -->\n)?^```([^\n]*)\n([\s\S]*?)^```$/gm;

export function readDocument(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

export function snippetsOf(file: string): Snippet[] {
  const page = readDocument(file);
  return [...page.matchAll(SNIPPET)].map(({ index, 1: note = '', 2: language = '', 3: text = '' }) => ({
    file,
    line: page.slice(0, index).split('\n').length,
    language,
    text,
    note,
  }));
}

/** Whether another suite runs the snippet, or none does: the note says which or why. */
export function isRunElsewhere({ note }: Snippet): boolean {
  return /^(run by|not run:)/.test(note);
}

/**
 * Compares a documented response with that of a gateway: it has all documented keys, each with a value of the
 * documented type. A text that contains `…` stands for any text. Returns the paths of differences.
 */
export function differencesOf(documented: unknown, actual: unknown, at = ''): string[] {
  if (Array.isArray(documented)) {
    if (!Array.isArray(actual)) return [`${at} is no list`];
    return documented.flatMap((each, index) => differencesOf(each, actual[index], `${at}[${index}]`));
  }
  if (documented !== null && typeof documented === 'object') {
    if (actual === null || typeof actual !== 'object') return [`${at} is no object`];
    return Object.entries(documented).flatMap(([key, value]) =>
      key in actual
        ? differencesOf(value, actual[key as keyof typeof actual], `${at}.${key}`)
        : [`${at}.${key} is missing`],
    );
  }
  if (documented === null || actual === null) return actual === undefined ? [`${at} is missing`] : [];
  return typeof documented === typeof actual ? [] : [`${at} is ${typeof actual}, not ${typeof documented}`];
}
