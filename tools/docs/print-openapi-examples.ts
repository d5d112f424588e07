/*
 * Writes the examples of openapi.json from the recorded answers of REST: `npm run generate:docs`.
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { EMAIL_IMPORT_PATHS } from '../../src/http/rest/openapi/email-import-openapi.ts';
import { ROUTES } from '../../src/http/rest/routes/routes.ts';

const RECORDINGS = new URL('../../test/integration/rest/rest-bytes/recordings/', import.meta.url);
const FILE = new URL('../../src/http/rest/openapi/openapi-examples.json', import.meta.url);
/** Errors that depend on the operation. */
const OF_OPERATION = new Set(['400', '409']);
/** Preferred over the first recorded answer. */
const TITLE = 'everything known';

type Entry = { title: string; status: string; value: unknown };

const templates = [
  ...ROUTES.map(({ method, path, operation }) => ({ method, path, operation })),
  ...Object.entries(EMAIL_IMPORT_PATHS).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation: (operation as { operationId: string }).operationId,
    })),
  ),
];
const fileOf = (method: string, path: string) =>
  `${`${method} ${path}`
    .replace(/[/{} ]+/g, '-')
    .replace(/-$/, '')
    .toLowerCase()}.txt`;

/** Values in the place of those that differ from run to run. */
const STAND_INS: Readonly<Record<string, (count: number) => string>> = {
  uuid: (count) => `01975a8e-3b18-7c11-9d0e-5f2a8c${count.toString(16).padStart(6, '0')}`,
  device: () => '4jefSTSukAgn3EYLVW0IFp',
  media: (count) => `/media/01975a8e-3b18-7c11-9d0e-5f2a8d${count.toString(16).padStart(6, '0')}?token=…`,
  cursor: () => 'WzFd.QsdZ3-gF0_AD',
  'session token': () => 'vgs_…',
  'link secret': () => 'vgv_…',
  'browser token': () => '…',
};

/** Recorded requests try unusual names and values, which distract in an example. */
function plain(key: string, value: unknown): unknown {
  if (value === 'same everything') return 'ada-2';
  if (key === 'metadata' && value !== null && typeof value === 'object' && 'Nested' in value)
    return { plan: (value as { plan?: unknown }).plan };
  return value;
}

function bodyValue(body: string): unknown {
  const text = body
    .split('\n')
    .map((line) => line.trimStart())
    .join('')
    .replace(
      /<([a-z ]+) (\d+)>/g,
      (whole, kind: string, count: string) => STAND_INS[kind]?.(Number(count)) ?? whole,
    );
  return /^[{[]/.test(text) ? JSON.parse(text, plain) : undefined;
}

function entriesOf(recording: string): Entry[] {
  return recording
    .split(/^=== /m)
    .slice(1)
    .map((entry) => {
      const [title] = entry.split('\n', 1);
      const [, status = '', body = ''] = /\n--- (\d{3})[^\n]*\n([\s\S]*)$/.exec(entry) ?? [];
      return { title: title!, status, value: bodyValue(body.trimEnd()) };
    });
}

function examplesOf(entries: readonly Entry[]): Record<string, Record<string, unknown>> {
  const examples: Record<string, Record<string, unknown>> = {};
  const answered = entries.filter(({ status, value }) => status === '200' && value !== undefined);
  const answer = answered.find(({ title }) => title === TITLE) ?? answered[0];
  if (answer) examples['200'] = { [answer.title]: answer.value };
  for (const { status, value } of entries) {
    if (!OF_OPERATION.has(status)) continue;
    examples[status] ??= {};
    examples[status]![(value as { code: string }).code] ??= value;
  }
  return examples;
}

/** One error of each status that means the same for all operations. */
const shared: Record<string, unknown> = {};
const names = new Set(readdirSync(RECORDINGS));
const all = templates.flatMap(({ method, path, operation }) => {
  const name = fileOf(method, path);
  if (!names.has(name)) throw new Error(`No recording of ${method} ${path}`);
  const entries = entriesOf(readFileSync(new URL(name, RECORDINGS), 'utf8'));
  for (const { status, value } of entries) if (/^[45]/.test(status)) shared[status] ??= value;
  return [[operation, examplesOf(entries)] as const];
});
const examples = { shared, operations: Object.fromEntries(all) };
writeFileSync(FILE, `${JSON.stringify(examples, null, 2)}\n`);
