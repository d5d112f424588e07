/**
 * Compares the database that the migrations of a commit create with the database of the present ones, by pg_dump:
 *
 *   TEST_DATABASE_URL=postgres://… node tools/migrations/compare.ts COMMIT
 *
 * The server may be of any supported version, and must not be newer than pg_dump. The role needs CREATEDB and CREATEROLE. It prints
 * the lines that differ, and exits 1 when there are any. The order of columns within a table is not compared.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import pg from 'pg';
import { migrate } from '../../src/storage/migrate.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MIGRATIONS = 'prisma/migrations';

/** Lines that pg_dump writes anew each time. */
const CHANGING_LINES = /^(-- Dumped|\\(un)?restrict )/;

/** The dump with the columns and constraints of each table in the order of the alphabet. */
function normalizedDump(dump: string): string {
  const isKept = (line: string) => !CHANGING_LINES.test(line);
  const text = dump.split('\n').filter(isKept).join('\n');
  return text.replace(/^(CREATE TABLE .* \()\n([\s\S]*?)\n\)/gm, (_table, begin: string, body: string) => {
    const columns = body.split('\n').map((line) => line.replace(/,$/, ''));
    return `${begin}\n${columns.sort().join('\n')}\n)`;
  });
}

/** What the migrations of a folder make of an empty database; the database is dropped again. */
async function dumpOf(serverUrl: string, folder: URL): Promise<string> {
  const name = `vouchgraph_compare_${randomBytes(4).toString('hex')}`;
  const admin = new pg.Client({ connectionString: serverUrl });
  await admin.connect();
  await admin.query(`create database ${name} template template0`);
  try {
    const url = new URL(serverUrl);
    url.pathname = `/${name}`;
    await migrate({ connectionString: url.toString(), log: () => {}, folder });
    const dump = execFileSync('pg_dump', ['--schema-only', `--dbname=${url}`], { maxBuffer: 2 ** 26 });
    return normalizedDump(dump.toString());
  } finally {
    await admin.query(`drop database ${name} with (force)`);
    await admin.end();
  }
}

async function main(commit: string | undefined): Promise<number> {
  const serverUrl = process.env.TEST_DATABASE_URL;
  if (!commit || !serverUrl) {
    console.error('usage: TEST_DATABASE_URL=postgres://… node tools/migrations/compare.ts COMMIT');
    return 2;
  }
  const folder = await mkdtemp(join(tmpdir(), 'vouchgraph-compare-'));
  try {
    const archive = execFileSync('git', ['archive', commit, MIGRATIONS], { cwd: ROOT, maxBuffer: 2 ** 26 });
    execFileSync('tar', ['-x', '-C', folder], { input: archive });
    const [before, after] = [join(folder, 'before.sql'), join(folder, 'after.sql')];
    await writeFile(before, await dumpOf(serverUrl, pathToFileURL(join(folder, MIGRATIONS, '/'))));
    await writeFile(after, await dumpOf(serverUrl, pathToFileURL(join(ROOT, MIGRATIONS, '/'))));
    const { status, error } = spawnSync('diff', ['--unified', before, after], { stdio: 'inherit' });
    if (error) throw error;
    if (status === 0) console.log('The two databases are equal.');
    return status ?? 1;
  } finally {
    await rm(folder, { recursive: true });
  }
}

process.exitCode = await main(process.argv[2]);
