import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type FeedFolder, openFeedFolder } from './feed-folder.ts';

let folder = '';
let opened: FeedFolder;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-feeds-'));
  opened = await openFeedFolder(folder);
});

afterEach(async () => {
  opened.close();
  await rm(folder, { recursive: true, force: true });
});

/** Writes a file as operators should: complete, by renaming. */
async function put(name: string, content: string): Promise<void> {
  const temporary = path.join(folder, `.${name.replaceAll('/', '-')}.new`);
  await writeFile(temporary, content);
  await rename(temporary, path.join(folder, name));
}

async function putManifest(name: string, changes: Record<string, unknown> = {}): Promise<void> {
  const manifest = { name, kind: 'vpn', format: 'cidr', path: `${name}.data`, ...changes };
  await put(`${name}.json`, JSON.stringify(manifest));
}

async function mount(name: string, data: string, changes: Record<string, unknown> = {}): Promise<void> {
  await put(`${name}.data`, data);
  await putManifest(name, changes);
  await opened.reload();
}

/** Names of the feeds that contain the address. */
function listing(ip: string): string[] {
  return opened.feeds().flatMap(({ feed }) => feed?.match(parseIp(ip)!, ip, null)?.feed ?? []);
}

function errorOf(name: string): string | null | undefined {
  return opened.feeds().find((feed) => feed.name === name)?.error;
}

test('an empty or missing folder has no feeds', async () => {
  expect(opened.feeds()).toEqual([]);
  const missing = await openFeedFolder(path.join(folder, 'missing'));
  expect(missing.feeds()).toEqual([]);
  await mkdir(path.join(folder, 'missing'));
  await writeFile(path.join(folder, 'missing', 'readme.txt'), 'not a manifest');
  await missing.reload();
  expect(missing.feeds()).toEqual([]);
});

test('new, changed and removed lists are loaded', async () => {
  await mount('one', '192.0.2.1\n');
  await mount('two', '192.0.2.0/24\n', { kind: 'tor', path: 'two.data' });
  expect(listing('192.0.2.1')).toEqual(['one', 'two']);
  await put('one.data', '198.51.100.1\n');
  expect(listing('192.0.2.1')).toEqual(['one', 'two']);
  await opened.reload();
  expect(listing('192.0.2.1')).toEqual(['two']);
  expect(listing('198.51.100.1')).toEqual(['one']);
  await rm(path.join(folder, 'two.json'));
  await opened.reload();
  expect(opened.feeds().map(({ name, error }) => [name, error])).toEqual([['one', null]]);
});

test('a changed manifest is loaded even when its data did not change', async () => {
  await mount('one', '192.0.2.1\n');
  await putManifest('one', { confidence: 0.25 });
  await opened.reload();
  expect(opened.feeds()[0]?.feed?.match(parseIp('192.0.2.1')!, '192.0.2.1', null)?.confidence).toBe(0.25);
});

test('unchanged files are not read again, and changes create a new array', async () => {
  await mount('one', '192.0.2.1\n');
  await mount('two', '192.0.2.1\n');
  const before = opened.feeds();
  const [one, two] = before;
  await opened.reload();
  expect(opened.feeds()).toBe(before);
  await put('two.data', '192.0.2.2\n');
  await opened.reload();
  expect(opened.feeds()).not.toBe(before);
  expect(before).toEqual([one, two]);
  expect(opened.feeds()[0]).toBe(one);
  expect(opened.feeds()[1]).not.toBe(two);
});

test.each([
  ['its data has another format', 'one.data', '<html>Too many requests</html>\n', /no line can be read/],
  ['most lines are invalid', 'one.data', '192.0.2.9\nx\ny\n', /2 of 3 lines cannot be read \(line 2: "x"\)/],
  ['its data is empty', 'one.data', '', /no line can be read as cidr/],
  ['the manifest is invalid', 'one.json', '{"name": "one", ', /the manifest is not valid JSON/],
  [
    'the manifest names a path outside the folder',
    'one.json',
    manifestText({ path: '../x' }),
    /inside FEEDS_DIR/,
  ],
  ['the manifest has another name', 'one.json', manifestText({ name: 'other' }), /has another name: "other"/],
])(
  'the previous list remains while %s, with the reason, until the file is repaired',
  async (_what, file, content, reason) => {
    await mount('one', '192.0.2.1\n');
    await put(file, content);
    await opened.reload();
    expect(errorOf('one')).toMatch(reason);
    expect(listing('192.0.2.1')).toEqual(['one']);
    const broken = opened.feeds();
    await opened.reload();
    expect(opened.feeds()).toBe(broken);
    await mount('one', '192.0.2.2\n');
    expect(errorOf('one')).toBeNull();
    expect(listing('192.0.2.1')).toEqual([]);
    expect(listing('192.0.2.2')).toEqual(['one']);
  },
);

function manifestText(changes: Record<string, unknown>): string {
  return JSON.stringify({ name: 'one', kind: 'vpn', format: 'cidr', path: 'one.data', ...changes });
}

test('a feed without its data file is shown without a list and without the path of the folder', async () => {
  await putManifest('one');
  await opened.reload();
  expect(opened.feeds()).toMatchObject([{ name: 'one', feed: null, error: 'its data file does not exist' }]);
  await put('one.data', '192.0.2.1\n');
  await opened.reload();
  expect(errorOf('one')).toBeNull();
  await rm(path.join(folder, 'one.data'));
  await opened.reload();
  expect(errorOf('one')).toBe('its data file does not exist');
  expect(listing('192.0.2.1')).toEqual(['one']);
});

test('data that is a folder has a reason without its path', async () => {
  await mkdir(path.join(folder, 'one.data'));
  await putManifest('one');
  await opened.reload();
  expect(errorOf('one')).toBe('its files cannot be read (EISDIR)');
});

test('one invalid feed does not affect others', async () => {
  await mount('broken', 'nonsense\n');
  await mount('good', '192.0.2.1\n');
  expect(opened.feeds().map(({ name, error }) => [name, error === null])).toEqual([
    ['broken', false],
    ['good', true],
  ]);
  expect(listing('192.0.2.1')).toEqual(['good']);
});

test('some invalid lines are counted and shown, and the rest of the list is used', async () => {
  await mount('one', '192.0.2.1\nnonsense\n192.0.2.2\n');
  expect(errorOf('one')).toBeNull();
  expect(opened.feeds()[0]?.feed).toMatchObject({
    entries: { ipv4: 1, ipv6: 0, asns: 0, nodes: 0 },
    badLines: { count: 1, examples: [{ line: 2, text: 'nonsense' }] },
  });
});

test('an unreadable feed is reported once, and again when it changes', async () => {
  const problems: string[] = [];
  opened = await openFeedFolder(folder, { onProblem: (feed, reason) => problems.push(`${feed}: ${reason}`) });
  await mount('one', '192.0.2.1\n');
  await put('one.data', 'nonsense\n');
  await opened.reload();
  await opened.reload();
  expect(problems).toEqual([expect.stringMatching(/^one: no line can be read/)]);
  await rm(path.join(folder, 'one.data'));
  await opened.reload();
  expect(problems[1]).toBe('one: its data file does not exist');
});

test('a file above the limit is rejected and the previous list remains', async () => {
  opened = await openFeedFolder(folder, { maxBytes: 1024 });
  await mount('one', '192.0.2.1\n');
  expect(errorOf('one')).toBeNull();
  await put('one.data', '192.0.2.2\n'.repeat(200));
  await opened.reload();
  expect(errorOf('one')).toMatch(/^larger than [\d.]+ MB$/);
  expect(listing('192.0.2.1')).toEqual(['one']);
});

test('a change between two concurrent reloads is not missed', async () => {
  await mount('one', '192.0.2.1\n');
  const first = opened.reload();
  await put('one.data', '192.0.2.2\n');
  const [second, third] = [opened.reload(), opened.reload()];
  await Promise.all([first, second, third]);
  expect(listing('192.0.2.2')).toEqual(['one']);
});

test('a watched folder needs no reload', async () => {
  const watching = await openFeedFolder(folder, { everyMs: 5 });
  await put('one.data', '192.0.2.1\n');
  await putManifest('one');
  await expect.poll(() => watching.feeds().map(({ name }) => name)).toEqual(['one']);
  watching.close();
});

/** Enough ranges to be parsed in another process. */
const MANY = Array.from({ length: 60_000 }, (_, index) => `198.18.${index >> 8}.${index & 255}`).join('\n');

test('a long list is read and rejected like a short one', async () => {
  await mount('long', `192.0.2.1\nnonsense\n${MANY}\n`);
  expect(errorOf('long')).toBeNull();
  expect(opened.feeds()[0]?.feed).toMatchObject({ badLines: { count: 1 }, entries: { ipv6: 0 } });
  expect(listing('192.0.2.1')).toEqual(['long']);
  expect(listing('198.18.1.44')).toEqual(['long']);
  expect(listing('192.0.2.2')).toEqual([]);
  await put('long.data', MANY.replaceAll('.', ' '));
  await opened.reload();
  expect(errorOf('long')).toMatch(/no line can be read as cidr \(line 1: "198 18 0 0"\)/);
  expect(listing('192.0.2.1')).toEqual(['long']);
});

test('a long table and a long list of networks keep the values of each entry', async () => {
  const rows = MANY.split('\n').map((ip) => `${ip},Example VPN`);
  await mount('table', ['network,provider', ...rows].join('\n'), {
    format: 'csv',
    column: 'network',
    provider_column: 'provider',
  });
  const networks = Array.from({ length: 60_000 }, (_, index) => `AS${64_512 + index} # Example ${index}`);
  await mount('networks', networks.join('\n'), { format: 'asn' });
  const matchesOf = (ip: string, asn: number | null) =>
    opened.feeds().flatMap(({ feed }) => feed?.match(parseIp(ip)!, ip, asn) ?? []);
  expect(matchesOf('198.18.1.44', null)).toMatchObject([{ feed: 'table', provider: 'Example VPN' }]);
  expect(matchesOf('192.0.2.1', 64_515)).toMatchObject([{ feed: 'networks', provider: 'Example 3' }]);
});

test('a missing folder keeps its lists, with the reason, until it returns', async () => {
  await mount('one', '192.0.2.1\n');
  const elsewhere = `${folder}-elsewhere`;
  await rename(folder, elsewhere);
  await opened.reload();
  expect(opened.error()).toBe('it cannot be read (ENOENT)');
  expect(listing('192.0.2.1')).toEqual(['one']);
  await rename(elsewhere, folder);
  await opened.reload();
  expect(opened.error()).toBeNull();
  expect(listing('192.0.2.1')).toEqual(['one']);
});

test('a path that is not a folder is reported', async () => {
  await put('file', 'text');
  const wrong = await openFeedFolder(path.join(folder, 'file'));
  expect(wrong.error()).toBe('it cannot be read (ENOTDIR)');
  expect(wrong.feeds()).toEqual([]);
});
