import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addFeed, type NewFeed, removeFeed, reportFeeds } from './feed-commands.ts';

let base = '';
let folder = '';

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), 'vouchgraph-feed-commands-'));
  folder = path.join(base, 'feeds');
});

afterEach(() => rm(base, { recursive: true, force: true }));

async function add(content: string, changes: Partial<NewFeed> = {}) {
  const file = path.join(base, 'list.txt');
  await writeFile(file, content);
  return addFeed(folder, { name: 'exits', kind: 'tor', format: 'cidr', file, ...changes });
}

test('an added list is read, copied and named; the original is no longer needed', async () => {
  const report = await add('192.0.2.1\n2001:db8::/32\nnonsense\n', { as_of: '2026-11-20' });
  expect(report).toMatchObject({
    name: 'exits',
    kind: 'tor',
    format: 'cidr',
    as_of: '2026-11-20',
    confidence: 0.99,
    half_life_days: 180,
    ranges_ipv4: 1,
    ranges_ipv6: 1,
    networks: 0,
    bad_lines: 1,
    bad_line_examples: [{ line: 3, text: 'nonsense' }],
    error: null,
  });
  await rm(path.join(base, 'list.txt'));
  expect(await readdir(folder)).toEqual(['exits.data', 'exits.json']);
  const [reread] = await reportFeeds(folder);
  // Its age weighting depends on the time.
  expect({ ...reread, freshness: 0 }).toEqual({ ...report, freshness: 0 });
});

test.each<[string, string, Partial<NewFeed>, RegExp]>([
  ['a name that leaves the folder', '192.0.2.1\n', { name: '../exits' }, /name/],
  ['content of unknown format', '<html></html>\n', {}, /no line can be read as cidr/],
  ['a table without a column', 'ip\n192.0.2.1\n', { format: 'csv' }, /column/],
  ['an invalid date', '192.0.2.1\n', { as_of: 'yesterday' }, /as_of/],
  ['a missing file', '', { file: '/missing/list.txt' }, /^"list.txt" cannot be read$/],
])('%s is rejected and changes nothing', async (_what, content, changes, reason) => {
  await expect(add(content, changes)).rejects.toThrow(reason);
  await expect(readdir(folder)).rejects.toThrow('ENOENT');
});

test('an existing name is rejected, unless replacement is requested', async () => {
  await add('192.0.2.1\n');
  await expect(add('192.0.2.0/24\n198.51.100.1\n')).rejects.toThrow('--replace');
  expect(await readFile(path.join(folder, 'exits.data'), 'utf8')).toBe('192.0.2.1\n');
  await expect(add('nonsense\n', { replace: true })).rejects.toThrow('no line can be read');
  expect(await readFile(path.join(folder, 'exits.data'), 'utf8')).toBe('192.0.2.1\n');
  await add('192.0.2.0/24\n198.51.100.1\n', { replace: true, kind: 'proxy' });
  expect(await reportFeeds(folder)).toMatchObject([{ name: 'exits', kind: 'proxy', ranges_ipv4: 2 }]);
});

test('a removed list leaves no file', async () => {
  await add('192.0.2.1\n');
  await removeFeed(folder, 'exits');
  expect(await readdir(folder)).toEqual([]);
  await expect(removeFeed(folder, 'exits')).rejects.toThrow('Feed not found: "exits"');
});

test('removal stays inside the folder and includes an invalid manifest', async () => {
  await add('192.0.2.1\n');
  await writeFile(path.join(base, 'outside.json'), '{}');
  await expect(removeFeed(folder, '../outside')).rejects.toThrow('Feed not found');
  expect(await readdir(base)).toContain('outside.json');
  await writeFile(path.join(folder, 'bad.json'), '{"name":"bad","path":"../outside.json"}');
  await removeFeed(folder, 'bad');
  expect(await readdir(base)).toContain('outside.json');
  expect(await readdir(folder)).toEqual(['exits.data', 'exits.json']);
});

test('data of two feeds remains until the second one is removed', async () => {
  await add('192.0.2.1\n');
  const manifest = { name: 'again', kind: 'vpn', format: 'cidr', path: 'exits.data' };
  await writeFile(path.join(folder, 'again.json'), JSON.stringify(manifest));
  await removeFeed(folder, 'exits');
  expect(await reportFeeds(folder, 'again')).toMatchObject([{ ranges_ipv4: 1, error: null }]);
  await removeFeed(folder, 'again');
  expect(await readdir(folder)).toEqual([]);
});

test('the report contains the remaining weight of a list', async () => {
  const halfYearAgo = new Date(Date.now() - 180 * 86_400_000).toISOString().slice(0, 10);
  await add('192.0.2.1\n', { name: 'half-year', as_of: halfYearAgo });
  await add('192.0.2.1\n', { name: 'undated' });
  await add('192.0.2.1\n', { name: 'ageless', kind: 'allow', as_of: '2001-01-01' });
  const reports = await reportFeeds(folder);
  expect(reports.map(({ name, freshness }) => [name, freshness])).toEqual([
    ['ageless', 1],
    ['half-year', expect.closeTo(0.5, 1)],
    ['undated', 1],
  ]);
});

test('a feed is reported by its name with its problem', async () => {
  await add('192.0.2.1\n');
  await writeFile(path.join(folder, 'broken.json'), 'nonsense');
  expect(await reportFeeds(folder, 'broken')).toMatchObject([
    { name: 'broken', kind: '', freshness: null, ranges_ipv4: 0, error: 'the manifest is not valid JSON' },
  ]);
  await expect(reportFeeds(folder, 'other')).rejects.toThrow('Feed not found: "other"');
});

test('processes that add the same name concurrently leave one complete list and no temporary files', async () => {
  const lists = await Promise.all(
    [1, 2, 3].map(async (number) => {
      const file = path.join(base, `list-${number}.txt`);
      await writeFile(file, `198.51.${number}.7\n`.repeat(10_000 * number));
      return file;
    }),
  );
  const module = new URL('./feed-commands.ts', import.meta.url).href;
  const script = `const { addFeed } = await import(${JSON.stringify(module)});
    const [folder, file] = process.argv.slice(1);
    for (let round = 0; round < 3; round++)
      await addFeed(folder, { name: 'exits', kind: 'tor', format: 'cidr', file, replace: true });`;
  await Promise.all(
    lists.map((file) =>
      promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, folder, file]),
    ),
  );
  expect(await readdir(folder)).toEqual(['exits.data', 'exits.json']);
  const whole = await Promise.all(lists.map((file) => readFile(file, 'utf8')));
  expect(whole).toContain(await readFile(path.join(folder, 'exits.data'), 'utf8'));
  expect(await reportFeeds(folder)).toMatchObject([{ error: null, ranges_ipv4: 1, bad_lines: 0 }]);
});
