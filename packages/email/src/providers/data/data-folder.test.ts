import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseEmail } from '../../email-address.ts';
import { openEmailProviders } from '../open-email-providers.ts';
import { addEmailData, type NewEmailData, removeEmailData } from './data-commands.ts';

let base = '';
let folder = '';
const closing: (() => Promise<void>)[] = [];
const problems: string[] = [];

beforeEach(() => {
  base = mkdtempSync(path.join(tmpdir(), 'vouchgraph-data-folder-'));
  folder = path.join(base, 'email-data');
  problems.splice(0);
});

afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(base, { recursive: true, force: true });
});

const hex = (text: string, algorithm = 'sha1') => createHash(algorithm).update(text).digest('hex');

function add(name: string, content: string, changes: Partial<NewEmailData> = {}) {
  const file = path.join(base, 'source');
  writeFileSync(file, content);
  return addEmailData(folder, { name, kind: 'breaches', format: 'hashes', file, ...changes });
}

async function open() {
  const providers = await openEmailProviders({
    dataDir: folder,
    everyMs: null,
    onDataProblem: (name, reason) => problems.push(`${name}: ${reason}`),
  });
  closing.push(providers.close);
  const sourcesOf = (address: string) =>
    providers.lookUpOffline(parseEmail(address)).breaches?.map(({ source }) => source) ?? null;
  return { ...providers, sourcesOf };
}

test('an unknown folder has no data; new, changed and removed data is loaded', async () => {
  const providers = await open();
  expect(providers.sourcesOf('a@example.com')).toBeNull();
  expect(problems).toEqual([]);
  add('shop', `${hex('a@example.com')}\n`);
  await providers.reload();
  expect(providers.sourcesOf('a@example.com')).toEqual(['shop']);
  expect(providers.sourcesOf('b@example.com')).toEqual([]);
  add('shop', `${hex('b@example.com', 'sha256')}\n`, { replace: true, breach: 'Shop 2' });
  // The replaced file remains in use until the folder is read again.
  expect(providers.sourcesOf('a@example.com')).toEqual(['shop']);
  await providers.reload();
  expect(providers.sourcesOf('a@example.com')).toEqual([]);
  expect(providers.sourcesOf('b@example.com')).toEqual(['Shop 2']);
  await removeEmailData(folder, 'shop');
  expect(providers.sourcesOf('b@example.com')).toEqual(['Shop 2']);
  await providers.reload();
  expect(providers.sourcesOf('b@example.com')).toBeNull();
  expect(providers.status()).toEqual([]);
});

test('every spelling in lists matches an address: lower case, the mailbox, an international domain', async () => {
  add('plain', `${hex('al.ice+shop@gmail.com')}\n`);
  add('mailbox', `${hex('alice@gmail.com', 'sha256')}\n`);
  add('ascii', `${hex('info@xn--bcher-kva.de')}\n`);
  add('unicode', `${hex('info@bücher.de')}\n`);
  const providers = await open();
  expect(providers.sourcesOf(' Al.Ice+Shop@GMail.com ')).toEqual(['mailbox', 'plain']);
  expect(providers.sourcesOf('alice@gmail.com')).toEqual(['mailbox']);
  expect(providers.sourcesOf('info@BÜCHER.de')).toEqual(['ascii', 'unicode']);
});

test('one breach in two files and under both algorithms is counted once', async () => {
  const [sha1, sha256] = [hex('a@example.com'), hex('a@example.com', 'sha256')];
  add('first', `sha1,sha256,breach,date\n${sha1},${sha256},Shop,2019-01-02\n`, { format: 'csv' });
  add('second', `${sha256}\n${sha1}\n`, { breach: 'SHOP', industry: 'Retail', trust_weight: 1 });
  const providers = await open();
  const { breaches, answered } = providers.lookUpOffline(parseEmail('a@example.com'));
  expect(breaches).toEqual([
    { source: 'SHOP', date: '2019-01-02', trustWeight: 1, country: null, industry: 'Retail' },
  ]);
  expect(answered.map(({ provider }) => provider)).toEqual(['data:first', 'data:second']);
});

test('profiles are read only from profile files and only on request', async () => {
  const row = { sha256: hex('a@example.com', 'sha256'), name: 'Alice', phone: '+4930123456', country: 'DE' };
  add('forum', JSON.stringify({ ...row, url: 'https://forum.example/1', since: '2014-01-01' }), {
    kind: 'profiles',
    format: 'ndjson',
  });
  const providers = await open();
  const email = parseEmail('a@example.com');
  const evidence = await providers.lookUp(email, { breaches: true, profiles: true });
  expect(evidence).toEqual({
    breaches: null,
    profiles: [
      {
        service: 'forum',
        url: 'https://forum.example/1',
        name: 'Alice',
        phones: ['+4930123456'],
        country: 'DE',
        since: '2014-01-01',
      },
    ],
    answered: [{ provider: 'data:forum', looked: ['profiles'] }],
    failed: [],
  });
  expect(await providers.lookUp(email, { breaches: true, profiles: false })).toMatchObject({
    profiles: null,
    answered: [],
  });
});

test('a file that becomes unreadable stays in use in its previous version and is reported once', async () => {
  add('shop', `${hex('a@example.com')}\n`);
  const providers = await open();
  // By rename, not by overwriting: an open file stays complete.
  writeFileSync(path.join(base, 'damaged'), 'nonsense');
  renameSync(path.join(base, 'damaged'), path.join(folder, 'shop.emaildata'));
  await providers.reload();
  await providers.reload();
  expect(providers.sourcesOf('a@example.com')).toEqual(['shop']);
  expect(problems).toEqual(['shop: the file is not an imported file, or is incomplete']);
  expect(providers.status()).toMatchObject([
    {
      name: 'data:shop',
      isAvailable: true,
      problem: 'the file is not an imported file, or is incomplete',
      entries: 1,
    },
  ]);
});

test('a file that is truncated while in use makes only its own provider unknown', async () => {
  // Larger than the cache.
  const lines = Array.from({ length: 200_000 }, (_, index) => hex(`${index}@example.com`));
  add('large', `${lines.join('\n')}\n`);
  add('small', `${hex('1@example.com')}\n`);
  const providers = await open();
  expect(providers.sourcesOf('1@example.com')).toEqual(['large', 'small']);
  truncateSync(path.join(folder, 'large.emaildata'), 100);
  const evidence = providers.lookUpOffline(parseEmail('199999@example.com'));
  expect(evidence).toMatchObject({ breaches: [], failed: ['data:large'] });
});

test('a file that was never readable is an unavailable provider', async () => {
  add('shop', `${hex('a@example.com')}\n`);
  renameSync(path.join(folder, 'shop.emaildata'), path.join(folder, 'other.emaildata'));
  const providers = await open();
  expect(problems).toEqual(['other: the file was imported as "shop"']);
  expect(providers.sourcesOf('a@example.com')).toBeNull();
  expect(providers.status()).toMatchObject([{ name: 'data:other', isAvailable: false, looksInto: [] }]);
});

test.runIf(process.platform === 'linux')('replaced and removed files are closed', async () => {
  const openFiles = () => readdirSync('/proc/self/fd').length;
  add('shop', `${hex('a@example.com')}\n`);
  const providers = await open();
  const before = openFiles();
  for (let round = 0; round < 5; round++) {
    add('shop', `${hex(`${round}@example.com`)}\n`, { replace: true });
    await providers.reload();
  }
  expect(openFiles()).toBe(before);
  await providers.close();
  expect(openFiles()).toBe(before - 1);
});
