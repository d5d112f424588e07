import { execFileSync } from 'node:child_process';
import { hash, randomBytes } from 'node:crypto';
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { parseEmail } from '@vouchgraph/email';
import { addEmailData } from '@vouchgraph/email/data-commands';
import { openEmailProviders } from '@vouchgraph/email/open-email-providers';
import { RESULTS } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { median } from './support/statistics.ts';

/*
 * Cost of an imported file of breaches: memory and time of its import, memory of an open file, and lookups per
 * second of one core, in a small file and in one with millions of rows. Every address is looked up once; half
 * of them are in the file.
 */
const MIN_SMALL_PER_SECOND = 100_000;
const MAX_OPEN_MB = 50;
const SMALL_ROWS = 10_000;
const BLOCK_ROWS = 50_000;
const PASS = 20_000;
const PASSES = 15;

const { values } = parseArgs({
  options: {
    rows: { type: 'string' },
    quick: { type: 'boolean', default: false },
    import: { type: 'string' },
  },
});
const rows = Number(values.rows ?? (values.quick ? 200_000 : 10_000_000));
if (!(rows > 0)) throw new Error(`${JSON.stringify(values.rows)} is not a positive number`);

if (values.import !== undefined) importAlone(values.import);
else await measure();

/** In a separate process: memory that the import leaves is not part of an open file. */
function importAlone(folder: string): void {
  const startedAt = performance.now();
  const file = path.join(folder, 'source.txt');
  addEmailData(path.join(folder, 'data'), { name: 'bench', kind: 'breaches', format: 'hashes', file });
  const seconds = (performance.now() - startedAt) / 1000;
  process.stdout.write(JSON.stringify({ seconds, maxRssMb: process.resourceUsage().maxRSS / 1024 }));
}

async function measure(): Promise<void> {
  // Parsing addresses needs memory of its own, which is not part of the files.
  const empty = await openEmailProviders({ dataDir: '/nonexistent', everyMs: null });
  for (let pass = 0; pass < PASSES; pass++) measurePass(empty, pass, 0);
  const small = await measureFile(SMALL_ROWS);
  const large = await measureFile(rows);
  const mb = (value: number) => `${value.toFixed(0)} MB`;
  const rate = (value: number) => `${(value / 1000).toFixed(0)}k/s`;
  printTable(
    ['rows', 'import', 'import memory', 'file', 'memory of an open file', 'look-ups per core', 'range'],
    [small, large].map((each) => [
      each.rows.toLocaleString('en'),
      `${each.importSeconds.toFixed(1)} s`,
      mb(each.importMaxRssMb),
      mb(each.fileMb),
      mb(each.openMb),
      rate(each.perSecond),
      `${rate(each.slowest)}..${rate(each.fastest)}`,
    ]),
  );
  const machine = describeMachine();
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(
    new URL('email-data.json', RESULTS),
    `${JSON.stringify({ machine, small, large }, null, 2)}\n`,
  );
  if (small.perSecond < MIN_SMALL_PER_SECOND || large.openMb > MAX_OPEN_MB) {
    process.stdout.write(
      `Missed: ≥ ${rate(MIN_SMALL_PER_SECOND)} in a small file, ≤ ${mb(MAX_OPEN_MB)} of an open one.\n`,
    );
  }
}

async function measureFile(count: number) {
  const folder = mkdtempSync(path.join(tmpdir(), 'vouchgraph-bench-email-data-'));
  try {
    writeSource(path.join(folder, 'source.txt'), count);
    const imported = JSON.parse(
      execFileSync(process.execPath, [import.meta.filename, '--import', folder], { encoding: 'utf8' }),
    ) as { seconds: number; maxRssMb: number };
    const dataDir = path.join(folder, 'data');
    const before = residentMb();
    const providers = await openEmailProviders({ dataDir, everyMs: null });
    const rates: number[] = [];
    for (let pass = 0; pass < PASSES; pass++) rates.push(measurePass(providers, pass, count));
    const openMb = Math.max(0, residentMb() - before);
    await providers.close();
    return {
      rows: count,
      importSeconds: imported.seconds,
      importMaxRssMb: imported.maxRssMb,
      fileMb: statSync(path.join(dataDir, 'bench.emaildata')).size / 1024 / 1024,
      openMb,
      perSecond: median(rates),
      slowest: Math.min(...rates),
      fastest: Math.max(...rates),
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Lookups per second of processor time; every second address of the first `listed` is in the file. */
function measurePass(
  providers: Awaited<ReturnType<typeof openEmailProviders>>,
  pass: number,
  count: number,
): number {
  const listed = Math.min(PASS / 2, Math.floor(listedIn(count) / PASSES));
  const emails = Array.from({ length: PASS }, (_, index) =>
    parseEmail(
      addressOf(
        index % 2 === 0 && index / 2 < listed ? pass * listed + index / 2 : 1e9 + pass * PASS + index,
      ),
    ),
  );
  const before = process.threadCpuUsage();
  let found = 0;
  for (const email of emails) found += providers.lookUpOffline(email).breaches?.length ?? 0;
  const { user, system } = process.threadCpuUsage(before);
  // A fast wrong result has no value.
  if (found !== listed) throw new Error(`found ${found} of ${listed} listed addresses`);
  return (PASS / (user + system)) * 1_000_000;
}

/** Number of rows that are digests of addresses; the others are random. */
function listedIn(count: number): number {
  return Math.min(count, (PASS / 2) * PASSES);
}

function addressOf(index: number): string {
  return `person-${index}@example.com`;
}

function writeSource(path: string, count: number): void {
  const file = openSync(path, 'w');
  for (let done = 0; done < count; done += BLOCK_ROWS) {
    const lines: string[] = [];
    for (let index = done; index < Math.min(count, done + BLOCK_ROWS); index++)
      lines.push(index < listedIn(count) ? hash('sha1', addressOf(index)) : randomBytes(20).toString('hex'));
    writeSync(file, `${lines.join('\n')}\n`);
  }
  closeSync(file);
}

function residentMb(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  return process.memoryUsage.rss() / 1024 / 1024;
}
