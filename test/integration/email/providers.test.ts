import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Writable } from 'node:stream';
import { promisify } from 'node:util';
import { addEmailData } from '@vouchgraph/email/data-commands';
import { createLogger } from '@vouchgraph/platform/logger';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { HIBP_KEY, startProviderServer } from '../../support/email/provider-server.ts';
import { startGateway } from '../../support/gateway.ts';

const COMMAND = new URL('../../../bin/vouchgraph.mjs', import.meta.url).pathname;
const HASH = createHash('sha1').update('alice@example.com').digest('hex');

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-email-data-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(words: string[], settings: Record<string, string> = {}) {
  const env = { ...process.env, DATA_DIR: folder, ...settings };
  const done = await promisify(execFile)(process.execPath, [COMMAND, ...words], { env }).then(
    ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
    ({ code, stdout, stderr }) => ({ code: Number(code), stdout: String(stdout), stderr: String(stderr) }),
  );
  return done;
}

async function source(name: string, content: string): Promise<string> {
  const file = path.join(folder, name);
  await writeFile(file, content);
  return file;
}

it('a file is imported, listed and removed on the command line', async () => {
  const file = await source('shop.txt', `${HASH}:3\nalice@example.com\n${HASH}:1\n`);
  const words = ['email', 'data', 'add', 'shop', file, '--kind', 'breaches', '--format', 'hashes'];
  const added = await run([...words, '--as-of', '2026-11-20', '--json']);
  expect(JSON.parse(added.stdout)).toMatchObject({
    name: 'shop',
    as_of: '2026-11-20',
    rows: 2,
    sha1_hashes: 1,
    bad_lines: 1,
    examples: [{ line: 2 }],
  });
  expect(added.stdout).not.toContain('alice');

  const [again, listed] = await Promise.all([run(words), run(['email', 'data', 'list'])]);
  expect(again).toMatchObject({
    code: 1,
    stderr: 'vouchgraph: Email data "shop" already exists: --replace replaces it\n',
  });
  expect(listed.stdout).toContain(
    'shop: breaches (hashes), as of 2026-11-20; 2 rows, 1 SHA-1 hash, 1 bad line',
  );
  expect(listed.stdout).toContain('line 2: is an email address');

  expect(await run(['email', 'data', 'remove', 'shop'])).toMatchObject({ code: 0 });
  const [empty, missing] = await Promise.all([
    run(['email', 'data', 'list']),
    run(['email', 'data', 'remove', 'shop']),
  ]);
  expect(empty.stdout).toBe('No email data yet.\n');
  expect(missing).toMatchObject({ code: 1, stderr: 'vouchgraph: Email data not found: "shop"\n' });
});

it('doctor lists the providers without calling them', async () => {
  const file = await source('examined.txt', `${HASH}\nnonsense\n`);
  const dataDir = path.join(folder, 'examined');
  addEmailData(dataDir, { name: 'shop', kind: 'breaches', format: 'hashes', file });
  const examined = await run(['doctor'], { HIBP_API_KEY: HIBP_KEY, EMAIL_DATA_DIR: dataDir });
  expect(examined.stdout).toMatch(/ok +email data:shop +1 hash of breaches, 1 bad line/);
  expect(examined.stdout).toMatch(/ok +email hibp +HIBP_API_KEY is set; at most 10 requests per minute/);
  expect(examined.stdout).toMatch(/off +email gravatar +GRAVATAR_API_KEY is not set; affects email profiles/);
  expect(examined.stdout + examined.stderr).not.toContain(HIBP_KEY);
});

it.each([
  [['--kind', 'lists', '--format', 'hashes'], 'Allowed choices are breaches, profiles', 2],
  [['--kind', 'breaches'], "required option '-f, --format <format>' not specified", 2],
  [
    ['--kind', 'breaches', '--format', 'hashes', '--trust-weight', '2'],
    '--trust-weight: must be between 0 and 1',
    2,
  ],
  [['--kind', 'breaches', '--format', 'hashes', '--as-of', 'today'], '--as-of: must be a date', 2],
])('the options %j are rejected', async (options, reason, code) => {
  const file = await source('refused.txt', `${HASH}\n`);
  const dataDir = path.join(folder, 'refused');
  const done = await run(['email', 'data', 'add', 'refused', file, ...options], { EMAIL_DATA_DIR: dataDir });
  expect(done.code).toBe(code);
  expect(done.stderr).toContain(reason);
  expect(existsSync(dataDir)).toBe(false);
});

it('an invalid file is named, with exit code 1', async () => {
  const dataDir = path.join(folder, 'broken');
  await mkdir(dataDir);
  await writeFile(path.join(dataDir, 'shop.emaildata'), 'nonsense');
  const listed = await run(['email', 'data', 'list'], { EMAIL_DATA_DIR: dataDir });
  expect(listed).toMatchObject({ code: 1, stdout: expect.stringContaining('shop: CANNOT BE READ') });
});

it('readiness names providers and their state, without keys', async () => {
  const emailData = path.join(folder, 'of-a-gateway');
  const file = await source('ready.txt', `${HASH}\n`);
  addEmailData(emailData, { name: 'shop', kind: 'breaches', format: 'hashes', as_of: '2026-11-20', file });
  await writeFile(path.join(emailData, 'damaged.emaildata'), 'nonsense');
  const server = await startProviderServer();
  const lines: string[] = [];
  const log = createLogger(
    'warn',
    new Writable({
      write(chunk, _encoding, done) {
        lines.push(String(chunk));
        done();
      },
    }) as never,
  );
  const gateway = await startGateway({
    log,
    settings: { EMAIL_DATA_DIR: emailData, HIBP_API_KEY: HIBP_KEY, HIBP_URL: server.url },
  });
  onTestFinished(async () => {
    await gateway.close();
    await server.close();
  });
  const ready = await fetch(`${gateway.baseUrl}/readyz`);
  const text = await ready.text();
  const offline = { isOnline: false, breaker: null };
  expect(JSON.parse(text).emailProviders).toEqual([
    {
      ...offline,
      name: 'data:damaged',
      looksInto: [],
      isAvailable: false,
      problem: 'the file is not an imported file, or is incomplete',
      asOf: null,
      entries: 0,
    },
    {
      ...offline,
      name: 'data:shop',
      looksInto: ['breaches'],
      isAvailable: true,
      problem: null,
      asOf: '2026-11-20',
      entries: 1,
    },
    {
      name: 'hibp',
      looksInto: ['breaches'],
      isOnline: true,
      isAvailable: true,
      breaker: 'closed',
      problem: null,
      asOf: null,
      entries: null,
    },
  ]);
  expect(text).not.toContain(HIBP_KEY);
  expect(lines.filter((line) => line.includes('imported email data'))).toEqual([
    expect.stringContaining('"data":"damaged"'),
  ]);
  // Starting and examining send no request.
  expect(server.paths).toEqual([]);
});

it('a key that cannot be a header is rejected without quoting it', async () => {
  const done = await run(['doctor'], { HIBP_API_KEY: 'secret\nkey' });
  expect(done.code).toBe(1);
  expect(done.stderr).toContain(
    'HIBP_API_KEY: must be at most 512 printable ASCII characters without spaces',
  );
  expect(done.stderr).not.toContain('secret');
});
