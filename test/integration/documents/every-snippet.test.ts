import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { optionsOfAttributes, readSettings } from '../../../clients/sdk/options.ts';
import { openApiDocument } from '../../../src/http/rest/openapi/openapi.ts';
import { DOCUMENTS, ROOT, readDocument, type Snippet, snippetsOf } from '../../support/documents.ts';

/** Suites that read their snippets from the document. */
const SUITES: readonly (readonly [file: string, languages: RegExp, suite: string])[] = [
  ['docs/rules.md', /^(rule|json|text)$/, 'src/domain/rules/docs-rules.test.ts'],
  [
    'docs/email-providers.md',
    /^\w+ (breaches|profiles)$/,
    'packages/email/src/providers/data/documented-examples.test.ts',
  ],
  ['docs/webhooks.md', /^(python|go)$/, 'packages/events/src/webhooks/verifiers.test.ts'],
  ['docs/webhooks.md', /^ts$/, 'packages/events/src/webhooks/signature.test.ts'],
  ['ARCHITECTURE.md', /^$/, 'tools/docs/print-layers.ts'],
  // Recorded events, which `npm run check:generated` compares.
  ['docs/events.md', /^json$/, 'tools/docs/print-event-docs.ts'],
];

/** Languages that the suites of this folder run. */
const RUN_HERE = /^(sh|graphql)$/;

/** A suite reads the snippet from the document, whose path it names, or has the same text. */
function problemOfSuite(suite: string, { file, text }: Snippet): string | null {
  const suitePath = path.join(ROOT, suite);
  if (!existsSync(suitePath)) return `${suite} does not exist`;
  const code = readFileSync(suitePath, 'utf8');
  return code.includes(file) || code.includes(text.trim()) ? null : `${suite} does not name ${file}`;
}

function problemOf(snippet: Snippet): string | null {
  const { note, language, file, line } = snippet;
  const where = `${file}:${line}`;
  const [, suite] = /^run by (\S+)$/.exec(note) ?? [];
  const problem = suite ? problemOfSuite(suite, snippet) : null;
  if (suite) return problem && `${where}: ${problem}`;
  const [, reason] = /^not run: (.*)$/.exec(note) ?? [];
  if (reason !== undefined) return reason.length >= 15 ? null : `${where}: the reason is missing`;
  if (RUN_HERE.test(language) || note === 'answer') return null;
  if (SUITES.some(([of, languages]) => of === file && languages.test(language))) return null;
  return `${where}: no test runs this snippet (${language || 'no language'}), and no note says why`;
}

describe('each snippet of the documents', () => {
  it('is run by a test, or has a note with the reason', () => {
    const snippets = DOCUMENTS.flatMap(snippetsOf);
    expect(snippets.length).toBeGreaterThan(100);
    expect(snippets.map(problemOf).filter((problem) => problem !== null)).toEqual([]);
  });

  it('is not accepted as run by a suite that does not name the document', () => {
    const snippet = { ...snippetsOf('README.md')[0]!, note: 'run by vitest.config.ts' };
    expect(problemOf(snippet)).toMatch(/vitest\.config\.ts does not name README\.md$/);
  });

  it.each(SUITES)('%s is read by the suite for %s', (file, _languages, suite) => {
    expect(readFileSync(path.join(ROOT, suite), 'utf8')).toContain(path.basename(file));
  });

  it('has an opening and a closing fence', () => {
    for (const file of DOCUMENTS) {
      const fences = readDocument(file).match(/^ *```/gm) ?? [];
      expect([file, fences.length % 2]).toEqual([file, 0]);
    }
  });
});

/** The anchor that GitHub gives to a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-');
}

function brokenLinksOf(file: string): string[] {
  const prose = readDocument(file).replace(/^```[\s\S]*?^```$/gm, '');
  const links = [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!);
  return links.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [relative = '', anchor] = target.split('#');
    const page = relative === '' ? file : path.join(path.dirname(file), relative);
    if (!existsSync(path.join(ROOT, page))) return true;
    if (anchor === undefined) return false;
    const headings = readDocument(page).matchAll(/^#+ (.*)$/gm);
    return ![...headings].some(([, heading]) => anchorOf(heading!) === anchor);
  });
}

describe('links of the documents', () => {
  it.each(DOCUMENTS)('of %s lead to a file and a heading', (file) => {
    expect(brokenLinksOf(file)).toEqual([]);
  });

  it('lead from the index to every document', () => {
    const index = readDocument('docs/README.md');
    const missing = DOCUMENTS.filter((file) => file.startsWith('docs/') && file !== 'docs/README.md').filter(
      (file) => !index.includes(`](${path.basename(file)})`),
    );
    expect(missing).toEqual([]);
  });
});

it('docs/configuration.md names every environment variable, and no other', () => {
  const settings = [
    ...readFileSync(path.join(ROOT, 'src/config.ts'), 'utf8').matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm),
  ];
  const rows = readDocument('docs/configuration.md').matchAll(/^\| (`[A-Z][^|]*) \|/gm);
  const documented = [...rows].flatMap(([, names]) => [...names!.matchAll(/`([A-Z0-9_]+)`/g)]);
  expect(documented.map(([, name]) => name).sort()).toEqual(settings.map(([, name]) => name).sort());
});

describe('docs/pages.md', () => {
  const rows = [...readDocument('docs/pages.md').matchAll(/^\| `(\w+)` \| (?:`data-([\w-]+)`)? ?\| \S/gm)];

  it('names every option of the script, with its attribute', () => {
    const attributes = rows.filter(([, , attribute]) => attribute !== undefined);
    expect(rows.map(([, option]) => option)).toEqual([
      ...Object.keys(readSettings({ projectId: 'p', baseUrl: 'https://id.example.com' }, '')!),
    ]);
    const read: string[] = [];
    const options = optionsOfAttributes((name) => {
      read.push(name);
      return null;
    });
    expect(attributes.map(([, option]) => option)).toEqual(Object.keys(options));
    expect(attributes.map(([, , attribute]) => attribute).sort()).toEqual(read.sort());
  });

  it('names every key of the response of POST /session', () => {
    const { schemas } = openApiDocument('').components;
    const { properties } = schemas.OpenedSession as { properties: object };
    const [, names = ''] = /→ \{([\w, ]+)\}/.exec(readDocument('docs/pages.md')) ?? [];
    expect(names.split(', ')).toEqual(Object.keys(properties));
  });
});
