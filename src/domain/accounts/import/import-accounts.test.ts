import { existsSync, readFileSync } from 'node:fs';
import { appendFile, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { AuthenticateAccount } from '@vouchgraph/decisions/internals/account/account-input';
import { AppError, invalidInput, unavailable } from '@vouchgraph/platform/errors';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { type ImportOptions, importAccounts } from './import-accounts.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-import-'));
});
afterAll(() => rm(folder, { recursive: true }));

/** A file of accounts, a store that keeps the last value of each field, and the options of an import. */
async function setUp(content: string | Buffer, format: ImportOptions['format'] = 'ndjson') {
  files += 1;
  const file = path.join(folder, `${files}.${format}`);
  await writeFile(file, content);
  const stored = new Map<string, AuthenticateAccount>();
  const write = async (input: AuthenticateAccount) => {
    await new Promise(setImmediate);
    stored.set(input.id, { ...stored.get(input.id), ...input });
  };
  const options = {
    file,
    format,
    progressFile: `${file}.progress`,
    problemsFile: `${file}.problems`,
    write,
  } satisfies ImportOptions;
  const problems = async () => {
    const text = await readFile(options.problemsFile, 'utf8');
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as { line: number; reason: string });
  };
  return { options, stored, problems };
}

/** 2,000 lines of 700 accounts; every fortieth line is invalid. */
const LINES = Array.from({ length: 2000 }, (_, index) =>
  index % 40 === 7
    ? `{"id":${index}}`
    : JSON.stringify({ id: `a${(index * 13) % 700}`, username: `u${index}` }),
);
const CONTENT = `${LINES.join('\n')}\n`;
const TOTALS = { imported: 1950, rejected: 50, repeated: 1250, state: 'finished' };

describe('an import', () => {
  it('writes the accounts, the last line of each account wins, and lists invalid lines with their reasons', async () => {
    const lines = [
      Buffer.from('{"id":"a","email":"one@example.com","first_name":"Ada"}\n'),
      Buffer.from('{"id":"b","email":"\xe9"}\n', 'latin1'),
      Buffer.from(`{"id":"c","email":"${'x'.repeat(70_000)}"}\n`),
      Buffer.from('id=d\n\n{"id":"e","phone":5}\n'),
      Buffer.from('{"id":"a","email":"two@example.com"}\n{"id":"f"}'),
    ];
    const { options, stored, problems } = await setUp(Buffer.concat(lines));
    expect(await importAccounts(options)).toEqual({
      imported: 3,
      rejected: 4,
      repeated: 1,
      state: 'finished',
    });
    expect([...stored.values()].sort((one, other) => one.id.localeCompare(other.id))).toEqual([
      { id: 'a', email: 'two@example.com', firstName: 'Ada' },
      { id: 'f' },
    ]);
    expect(await problems()).toEqual([
      { line: 2, reason: 'not UTF-8' },
      { line: 3, reason: 'longer than 65,536 bytes' },
      { line: 4, reason: 'not valid JSON' },
      { line: 6, reason: 'phone: must be text' },
    ]);
  });

  it('of CSV accepts quotes and line ends in fields', async () => {
    const { options, stored } = await setUp('id,first_name,metadata\na,"A ""B""\nC","{""n"":1}"\n', 'csv');
    expect(await importAccounts(options)).toMatchObject({ imported: 1, state: 'finished' });
    expect(stored.get('a')).toEqual({ id: 'a', firstName: 'A "B"\nC', metadata: { n: 1 } });
  });

  it('lists lines that the store rejects', async () => {
    const { options, problems } = await setUp('{"id":"a"}\n{"id":"b"}\n');
    const write = async ({ id }: AuthenticateAccount) => {
      if (id === 'a') throw invalidInput('account.lists: at most one');
    };
    expect(await importAccounts({ ...options, write })).toMatchObject({ imported: 1, rejected: 1 });
    expect(await problems()).toEqual([{ line: 1, reason: 'account.lists: at most one' }]);
  });

  it('writes lines concurrently, but never two of one account', async () => {
    const { options, stored } = await setUp(CONTENT);
    const running = new Set<string>();
    let most = 0;
    const write = async (input: AuthenticateAccount) => {
      expect(running.has(input.id)).toBe(false);
      running.add(input.id);
      most = Math.max(most, running.size);
      await options.write(input);
      running.delete(input.id);
    };
    expect(await importAccounts({ ...options, write, concurrency: 5 })).toEqual(TOTALS);
    expect(most).toBe(5);
    expect(stored).toEqual(expectedAccounts());
  });

  it('reports its progress and its completion', async () => {
    const { options } = await setUp(`${CONTENT}\n\n`);
    const reports: unknown[] = [];
    await importAccounts({ ...options, onProgress: (progress) => reports.push(progress) });
    const bytes = Buffer.byteLength(CONTENT) + 2;
    expect(reports.at(-1)).toEqual({ bytes, totalBytes: bytes, imported: 1950, rejected: 50 });
  });

  it('saves its progress every second', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { options } = await setUp(CONTENT);
    let writes = 0;
    const write = async (input: AuthenticateAccount) => {
      writes += 1;
      if (writes === 500) vi.advanceTimersByTime(999);
      if (writes === 1000) expect(existsSync(options.progressFile)).toBe(false);
      if (writes === 1000) vi.advanceTimersByTime(1);
      // The lines before have been written and counted.
      if (writes === 1500) expect(await importedOf(options.progressFile)).toBeGreaterThan(900);
      await options.write(input);
    };
    expect(await importAccounts({ ...options, write })).toEqual(TOTALS);
    expect(await importedOf(options.progressFile)).toBe(TOTALS.imported);
  });

  it('never saves a rejected line as done that is not in the problems file', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const { options } = await setUp(CONTENT);
    let writes = 0;
    // A save is due while many lines wait, of which some complete while the save waits for the disk.
    const write = async (input: AuthenticateAccount) => {
      writes += 1;
      if (writes % 30 === 0) vi.advanceTimersByTime(1000);
      await options.write(input);
    };
    const missing: number[] = [];
    const onProgress = () => {
      const listed = readFileSync(options.problemsFile, 'utf8').split('\n').length - 1;
      const { rejected } = JSON.parse(readFileSync(options.progressFile, 'utf8'));
      missing.push(rejected - listed);
    };
    expect(await importAccounts({ ...options, write, onProgress })).toEqual(TOTALS);
    expect(missing.length).toBeGreaterThan(20);
    expect(new Set(missing)).toEqual(new Set([0]));
  });

  it('does not overwrite the accounts with its progress or problems', async () => {
    const { options } = await setUp(CONTENT);
    for (const wrong of [{ progressFile: options.file }, { problemsFile: options.file }]) {
      await expect(importAccounts({ ...options, ...wrong })).rejects.toThrow('must differ');
    }
    expect(await readFile(options.file, 'utf8')).toBe(CONTENT);
  });

  it('names a file that cannot be read', async () => {
    const { options } = await setUp('');
    const missing = importAccounts({ ...options, file: `${options.file}.missing` });
    await expect(missing).rejects.toThrow('.ndjson.missing" cannot be read (ENOENT)');
  });
});

const importedOf = async (file: string): Promise<number> => JSON.parse(await readFile(file, 'utf8')).imported;

function expectedAccounts(): Map<string, AuthenticateAccount> {
  const accounts = LINES.map((line) => JSON.parse(line) as AuthenticateAccount);
  return new Map(accounts.filter(({ id }) => typeof id === 'string').map((account) => [account.id, account]));
}

describe('a continued import', () => {
  it.each([1, 2, 64, 999, 1949])(
    'has the same result as one run after a write that failed at %i',
    async (after) => {
      const { options, stored, problems } = await setUp(CONTENT);
      let left = after;
      const failing = async (input: AuthenticateAccount) => {
        left -= 1;
        if (left < 0) throw unavailable();
        await options.write(input);
      };
      await expect(importAccounts({ ...options, write: failing })).rejects.toThrow('unavailable');
      let again = 0;
      const counting = (input: AuthenticateAccount) => {
        again += 1;
        return options.write(input);
      };
      expect(await importAccounts({ ...options, write: counting })).toEqual(TOTALS);
      expect(stored).toEqual(expectedAccounts());
      // Only lines after the first incomplete line are written again.
      expect(again).toBeLessThanOrEqual(1950 - after + 64);
      const lines = (await problems()).map(({ line }) => line);
      expect(lines).toEqual(Array.from({ length: 50 }, (_, index) => index * 40 + 8));
    },
  );

  it('lists no invalid line twice after a crash, even when one was partially written', async () => {
    const { options, problems } = await setUp(CONTENT);
    let left = 1000;
    const failing = async () => {
      left -= 1;
      if (left < 0) throw new Error('gone');
    };
    await expect(importAccounts({ ...options, write: failing })).rejects.toThrow('gone');
    const before = (await problems()).length;
    await appendFile(options.problemsFile, '{"line":1999,"reason":"later"}\n{"line":20');
    await importAccounts(options);
    expect(before).toBeGreaterThan(10);
    expect(new Set((await problems()).map(({ line }) => line)).size).toBe(50);
    expect(await problems()).toHaveLength(50);
  });

  it('keeps the columns of CSV', async () => {
    const rows = Array.from({ length: 500 }, (_, index) => `a${index},"one\n${index}"`);
    const { options, stored } = await setUp(['id,username', ...rows].join('\r\n'), 'csv');
    const write = async (input: AuthenticateAccount) => {
      if (input.id === 'a300') throw new Error('gone');
      await options.write(input);
    };
    await expect(importAccounts({ ...options, write })).rejects.toThrow('gone');
    expect(await importAccounts(options)).toMatchObject({ imported: 500, rejected: 0 });
    expect(stored.get('a499')).toEqual({ id: 'a499', username: 'one\n499' });
    expect(stored.size).toBe(500);
  });

  it('completes running writes after an abort, starts no further ones, and continues at the next run', async () => {
    const { options, stored } = await setUp(CONTENT);
    const controller = new AbortController();
    let started = 0;
    const write = async (input: AuthenticateAccount) => {
      started += 1;
      if (started === 100) controller.abort();
      await options.write(input);
    };
    const stopped = await importAccounts({ ...options, write, signal: controller.signal });
    expect(stopped.state).toBe('stopped');
    expect(started).toBe(100);
    expect(await importAccounts(options)).toEqual(TOTALS);
    expect(stored).toEqual(expectedAccounts());
  });

  it('writes nothing when the signal is already aborted', async () => {
    const { options, stored } = await setUp(CONTENT);
    const totals = await importAccounts({ ...options, signal: AbortSignal.abort() });
    expect([totals.state, stored.size]).toEqual(['stopped', 0]);
  });

  it('reports finished_before after completion and writes nothing', async () => {
    const { options, stored } = await setUp(CONTENT);
    await importAccounts(options);
    stored.clear();
    expect(await importAccounts(options)).toEqual({ ...TOTALS, state: 'finished_before' });
    expect(stored.size).toBe(0);
    expect(await importAccounts({ ...options, restart: true })).toEqual(TOTALS);
    expect(stored.size).toBe(700);
  });
});

describe('progress of another import is rejected', () => {
  it.each([
    ['a file that grew', (file: string) => appendFile(file, '{"id":"new"}\n')],
    ['a file with a changed modification time', (file: string) => utimes(file, 1, 1)],
  ])('%s', async (_, change) => {
    const { options } = await setUp(CONTENT);
    await importAccounts(options);
    await change(options.file);
    await expect(importAccounts(options)).rejects.toThrow(/another file, or of this one before.*--restart/);
    expect(await importAccounts({ ...options, restart: true })).toMatchObject({ state: 'finished' });
  });

  it('of another project or format, or in an invalid progress file', async () => {
    const { options } = await setUp('id\na\n', 'csv');
    await importAccounts({ ...options, target: 'one' });
    await expect(importAccounts({ ...options, target: 'two' })).rejects.toThrow('another project. --restart');
    await expect(importAccounts({ ...options, target: 'one', format: 'ndjson' })).rejects.toThrow(
      'as csv. --restart',
    );
    await writeFile(options.progressFile, '{}');
    await expect(importAccounts(options)).rejects.toThrow(/not the progress of an import.*--restart/);
  });

  it('an import does not complete when the file changes while it is read', async () => {
    const { options } = await setUp(CONTENT);
    const write = (input: AuthenticateAccount) =>
      appendFile(options.file, '\n').then(() => options.write(input));
    await expect(importAccounts({ ...options, write })).rejects.toThrow('changed while it was read');
    await expect(importAccounts(options)).rejects.toThrow('--restart');
  });
});

describe('two concurrent imports', () => {
  it('reject the second one until the first has ended', async () => {
    const { options } = await setUp(CONTENT);
    let second: Promise<unknown> | null = null;
    const write = async () => {
      second ??= importAccounts(options).catch((error: unknown) => error);
      await second;
    };
    await importAccounts({ ...options, write });
    const error = (await second) as unknown as AppError;
    expect(error).toBeInstanceOf(AppError);
    expect(error.message).toMatch(/Another process \(pid \d+\) imports with "\d+\.ndjson\.progress"/);
    expect(await importAccounts(options)).toMatchObject({ state: 'finished_before' });
  });

  it('leave no temporary file', async () => {
    const { options } = await setUp(CONTENT);
    await importAccounts(options);
    expect(existsSync(`${options.progressFile}.${process.pid}.tmp`)).toBe(false);
  });
});
