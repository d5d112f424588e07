import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { addEmailData, listEmailData, type NewEmailData, removeEmailData } from './data-commands.ts';

let base = '';
let folder = '';

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'vouchgraph-data-commands-'));
  folder = path.join(base, 'email-data');
});

afterEach(() => rmSync(base, { recursive: true, force: true }));

const hex = (text: string) => createHash('sha1').update(text).digest('hex');
const ONE = `${hex('a@example.com')}\n`;

function add(content: string, changes: Partial<NewEmailData> = {}) {
  const file = path.join(base, 'list.txt');
  writeFileSync(file, content);
  return addEmailData(folder, { name: 'shop', kind: 'breaches', format: 'hashes', file, ...changes });
}

test('an import reads, sorts and names a file; the original is no longer needed', async () => {
  const report = add(`${ONE}${hex('b')}:3\n${ONE}nonsense\n`, { as_of: '2026-11-20', country: 'DE' });
  expect(report).toMatchObject({
    name: 'shop',
    kind: 'breaches',
    format: 'hashes',
    as_of: '2026-11-20',
    breach: 'shop',
    trust_weight: 0.7,
    country: 'DE',
    rows: 3,
    sha1_hashes: 2,
    sha256_hashes: 0,
    bad_lines: 1,
    examples: [{ line: 4, reason: 'must be a SHA-1 or SHA-256 digest in hexadecimal digits' }],
    error: null,
  });
  rmSync(path.join(base, 'list.txt'));
  expect(readdirSync(folder)).toEqual(['shop.emaildata']);
  expect(await listEmailData(folder)).toEqual([report]);
  // It can contain names and phones: other users of the machine cannot read it.
  expect(statSync(path.join(folder, 'shop.emaildata')).mode & 0o777).toBe(0o600);
});

test.each<[string, string, Partial<NewEmailData>, RegExp]>([
  ['a name that leaves the folder', ONE, { name: '../shop' }, /^name: must be/],
  ['content of unknown format', '<html></html>\n', {}, /"list.txt": no line can be read as hashes/],
  ['a table without digests', 'email\nx\n', { format: 'csv' }, /hash, sha1 or sha256/],
  ['a date that does not exist', ONE, { breach_date: '2026-02-30' }, /^breach_date: must be a date/],
  ['an invalid weight', ONE, { trust_weight: Number.NaN }, /^trust_weight: must be/],
  ['an invalid country', ONE, { country: 'UK' }, /^country: must be/],
  ['an option of the other kind', ONE, { service: 'forum' }, /^service: only for profiles/],
  ['a breach name for profiles', ONE, { kind: 'profiles', breach: 'x' }, /^breach: only for breaches/],
  ['ranges of profiles', ONE, { kind: 'profiles', format: 'ranges' }, /only breaches/],
  ['a file that does not exist', '', { file: '/missing/list.txt' }, /^"list.txt" cannot be read \(ENOENT\)$/],
  ['a folder without range files', '', { file: tmpdir() }, /only ranges/],
])('%s is rejected and changes nothing', (_what, content, changes, reason) => {
  expect(() => add(content, changes)).toThrow(reason);
  expect(existsSync(folder)).toBe(false);
});

test('an existing name is rejected, unless replacement is requested', async () => {
  add(ONE);
  expect(() => add(`${ONE}${hex('b')}\n`)).toThrow('--replace');
  expect(() => add('nonsense\n', { replace: true })).toThrow('no line can be read');
  expect(await listEmailData(folder)).toMatchObject([{ rows: 1 }]);
  add(`${ONE}${hex('b')}\n`, { replace: true, breach: 'Shop' });
  expect(await listEmailData(folder)).toMatchObject([{ rows: 2, breach: 'Shop' }]);
  expect(readdirSync(folder)).toEqual(['shop.emaildata']);
});

test('removed data is deleted completely, and only inside the folder', async () => {
  add(ONE);
  writeFileSync(path.join(base, 'outside.emaildata'), '');
  await expect(removeEmailData(folder, '../outside')).rejects.toThrow('Email data not found');
  await removeEmailData(folder, 'shop');
  expect(readdirSync(folder)).toEqual([]);
  await expect(removeEmailData(folder, 'shop')).rejects.toThrow('Email data not found: "shop"');
  expect(readdirSync(base)).toContain('outside.emaildata');
});

test('each file is listed by its name with its problem', async () => {
  expect(await listEmailData(folder)).toEqual([]);
  add(ONE);
  writeFileSync(path.join(folder, 'broken.emaildata'), 'nonsense');
  expect(await listEmailData(folder, 'broken')).toMatchObject([
    { name: 'broken', kind: '', error: 'the file is not an imported file, or is incomplete' },
  ]);
  await expect(listEmailData(folder, 'other')).rejects.toThrow('Email data not found: "other"');
});

test('leftovers of a killed import are removed a day later', () => {
  mkdirSync(path.join(folder, '.import-old'), { recursive: true });
  writeFileSync(path.join(folder, '.import-old', 'sha1'), 'x');
  mkdirSync(path.join(folder, '.import-new'));
  utimesSync(path.join(folder, '.import-old'), new Date(), new Date(Date.now() - 25 * 3_600_000));
  add(ONE);
  expect(readdirSync(folder)).toEqual(['.import-new', 'shop.emaildata']);
});

test('a killed import changes nothing and does not block the next one', async () => {
  add(ONE);
  const file = path.join(base, 'large.txt');
  writeFileSync(file, Array.from({ length: 400_000 }, (_, index) => `${hex(`${index}`)}\n`).join(''));
  const module = new URL('./data-commands.ts', import.meta.url).href;
  const script = `const { addEmailData } = await import(${JSON.stringify(module)});
    const [folder, file] = process.argv.slice(1);
    // Killed while it reads: nothing that could clean up runs.
    const onProgress = () => process.kill(process.pid, 'SIGKILL');
    addEmailData(folder, { name: 'shop', kind: 'breaches', format: 'hashes', file, replace: true, onProgress });`;
  const run = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, folder, file]);
  await expect(run).rejects.toMatchObject({ signal: 'SIGKILL' });
  expect(readdirSync(folder).some((name) => name.startsWith('.import-'))).toBe(true);
  expect(await listEmailData(folder)).toMatchObject([{ rows: 1, error: null }]);
  addEmailData(folder, { name: 'shop', kind: 'breaches', format: 'hashes', file, replace: true });
  expect(await listEmailData(folder)).toMatchObject([{ rows: 400_000 }]);
});

test('processes that add the same name concurrently leave one complete file and no temporary ones', async () => {
  const lists = [1, 2, 3].map((number) => {
    const file = path.join(base, `list-${number}.txt`);
    const lines = Array.from({ length: 10_000 * number }, (_, index) => hex(`${number} ${index}`));
    writeFileSync(file, `${lines.join('\n')}\n`);
    return file;
  });
  const module = new URL('./data-commands.ts', import.meta.url).href;
  const run = (file: string, replace: boolean) => {
    const script = `const { addEmailData } = await import(${JSON.stringify(module)});
      const [folder, file] = process.argv.slice(1);
      addEmailData(folder, { name: 'shop', kind: 'breaches', format: 'hashes', file, replace: ${replace} });`;
    return promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, folder, file]);
  };
  const first = await Promise.allSettled(lists.map((file) => run(file, false)));
  expect(first.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  expect(readdirSync(folder)).toEqual(['shop.emaildata']);
  await Promise.all(lists.map((file) => run(file, true)));
  expect(readdirSync(folder)).toEqual(['shop.emaildata']);
  const [report] = await listEmailData(folder);
  expect([10_000, 20_000, 30_000]).toContain(report!.rows);
  expect(report!.sha1_hashes).toBe(report!.rows);
});
