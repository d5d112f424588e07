import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createVisionPool } from '@vouchgraph/vision';
import sharp from 'sharp';
import { PHOTO_LEVELS, type PhotoLevel } from '../test/fixtures/documents/photograph.ts';
import { astronautPhoto } from '../test/fixtures/faces/photo.ts';
import { RESULTS } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { median } from './support/statistics.ts';
import { accuracyTable, modelMs, percent, share, timeTable } from './support/vision/document-tables.ts';
import { type DocumentCase, KINDS, makeCase, measureDocument } from './support/vision/documents.ts';
import { engineTable } from './support/vision/engines.ts';
import { type BenchTable, benchFaces, watchEventLoop } from './support/vision/faces.ts';
import { specimenLines, specimenTable } from './support/vision/specimen-tables.ts';
import { listSpecimens, measureSpecimen, type SpecimenCase } from './support/vision/specimens.ts';

const HELP = `Accuracy and processor time of reading documents and faces.

  npm run bench:vision -- [options]

Without --folder, documents are rendered and photographed by code. The run exits with code 1 when more values are read
wrong than a bar allows; a time never fails it.

  --count N      documents of each kind and level (10; 2 with --quick)
  --quick        2 documents of each kind and level
  --seed N       selects persons and photographs (1)
  --documents    documents only, no faces
  --faces DIR    photographs of people (DIR/person/*.jpg) instead of those of the fixture
  --folder DIR   images of documents instead of rendered ones. DIR/index.csv is optional: columns file, mrz (printed
                 lines of the zone, joined by |) and full (whether the whole document is visible)
  --help         this text

The figures are written to bench/results/vision.json, with --folder to vision-specimens.json.
`;

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    count: { type: 'string' },
    seed: { type: 'string', default: '1' },
    faces: { type: 'string' },
    documents: { type: 'boolean', default: false },
    folder: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const count = Math.max(1, Math.round(Number(values.count ?? (values.quick ? 2 : 10))));
const seed = Math.round(Number(values.seed));
if (!Number.isFinite(count) || !Number.isFinite(seed)) throw new Error('--count and --seed are numbers');

type Bar = { name: string; value: number | null; bar: string; holds: boolean; isTime: boolean };

let loopMs = 0;
const specimens = values.folder ? await readSpecimens(values.folder) : [];
const cases = values.folder ? [] : await readDocuments();
const tables: BenchTable[] = values.folder ? specimenTables(specimens) : documentTables(cases);
if (!values.documents && !values.folder) tables.push(...(await benchFaces({ folder: values.faces })));
for (const { title, header, rows } of tables) {
  console.log(`\n${title}`);
  printTable(header, rows);
}
const bars = values.folder ? specimenBars(specimens) : barsOf(cases);
printTable(
  ['bar', 'measured', 'bar', ''],
  bars.map(({ name, value, bar, holds }) => [
    name,
    value === null ? '' : value.toFixed(3),
    bar,
    holds ? 'OK' : 'MISSED',
  ]),
);
for (const one of cases)
  for (const field of one.wrongAccepts) console.error(`WRONG  ${one.level} ${one.kind}: ${field}`);
for (const { file, score } of specimens)
  for (const field of score?.wrong ?? []) console.error(`WRONG  ${file}: ${field}`);
const machine = describeMachine();
const residentMb = Math.round(process.memoryUsage.rss() / 2 ** 20);
const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
const read = values.folder
  ? `${specimens.length} specimens`
  : `${count} of each kind and level, seed ${seed}`;
console.log(`\n${machine}; ${read}; ${residentMb} MB resident, ${peakMb} MB at most`);
mkdirSync(RESULTS, { recursive: true });
const file = new URL(values.folder ? 'vision-specimens.json' : 'vision.json', RESULTS);
writeFileSync(file, `${JSON.stringify({ machine, count, seed, residentMb, bars, tables }, null, 2)}\n`);
console.log(`written to ${file.pathname}`);
if (bars.some(({ holds, isTime }) => !holds && !isTime)) process.exitCode = 1;

/** One after the other through a pool of one thread, so that times are of one document. */
async function readDocuments(): Promise<DocumentCase[]> {
  const portrait = await sharp(await astronautPhoto())
    .resize(600)
    .jpeg()
    .toBuffer();
  const pool = createVisionPool({ size: 1, onError: (error) => console.error(error.message) });
  const read: DocumentCase[] = [];
  try {
    // The first document includes loading the models.
    await measureDocument(pool, 'passport', 'clean', seed, portrait);
    for (const level of PHOTO_LEVELS) {
      for (const kind of Object.keys(KINDS)) {
        for (let number = 0; number < count; number += 1) {
          const which = seed * 100_000 + read.length;
          read.push(await measureDocument(pool, kind, level, which, portrait));
        }
      }
    }
    // Separate from the times, since watching the event loop keeps a processor busy.
    for (const kind of Object.keys(KINDS)) {
      const { task } = await makeCase(kind, 'mild', seed, portrait);
      const loop = watchEventLoop();
      await pool.readDocument(task);
      loopMs = Math.max(loopMs, loop.stop());
    }
  } finally {
    await pool.close();
  }
  return read;
}

function documentTables(all: readonly DocumentCase[]): BenchTable[] {
  const zones = all.flatMap(({ zone }) => zone ?? []);
  return [accuracyTable(all), timeTable(all), engineTable('Engines on rendered documents', zones)];
}

function specimenTables(all: readonly SpecimenCase[]): BenchTable[] {
  const zones = all.flatMap(({ zone }) => zone ?? []);
  return [specimenLines(all), specimenTable(all), timeTable(all), engineTable('Engines on specimens', zones)];
}

/** One after the other through a pool of one thread, so that processor time is of one image. */
async function readSpecimens(folder: string): Promise<SpecimenCase[]> {
  // A busy machine makes an image slow; only its processor time counts here.
  const pool = createVisionPool({
    size: 1,
    onError: (error) => console.error(error.message),
    taskLimitMs: 600_000,
  });
  const all = listSpecimens(folder);
  const done: SpecimenCase[] = [];
  try {
    // The first image includes loading the models.
    if (all[0]) await measureSpecimen(pool, all[0]);
    for (const specimen of all) {
      done.push(await measureSpecimen(pool, specimen));
      if (done.length % 10 === 0) console.error(`${done.length} of ${all.length} read`);
    }
  } finally {
    await pool.close();
  }
  return done;
}

function specimenBars(all: readonly SpecimenCase[]): Bar[] {
  const wrong = all.flatMap(({ score }) => score?.wrong ?? []).length;
  const cpu = median(all.map(({ cpuMs }) => cpuMs));
  return [
    { name: 'vouched and wrong', value: wrong, bar: '≤ 0', holds: wrong === 0, isTime: false },
    {
      name: 'processor time per image, median, ms',
      value: cpu,
      bar: '≤ 2500',
      holds: cpu <= 2500,
      isTime: true,
    },
  ];
}

function barsOf(all: readonly DocumentCase[]): Bar[] {
  const zones = (level: PhotoLevel) =>
    share(all.filter((one) => one.level === level).map((one) => one.isMrzExact));
  const least = (name: string, value: number | null, part: number): Bar => ({
    name,
    value,
    bar: `≥ ${percent(part)}`,
    holds: (value ?? 0) >= part,
    isTime: false,
  });
  const most = (name: string, value: number, limit: number, isTime: boolean): Bar => ({
    name,
    value,
    bar: `≤ ${limit}`,
    holds: value <= limit,
    isTime,
  });
  return [
    least('machine readable zones exact, clean', zones('clean'), 0.99),
    least('machine readable zones exact, mild', zones('mild'), 0.99),
    least('machine readable zones exact, hard', zones('hard'), 0.6),
    most('wrong accepts', all.flatMap(({ wrongAccepts }) => wrongAccepts).length, 0, false),
    most(
      'photograph to judgment / models alone',
      median(all.map((one) => one.wallMs / modelMs(one))),
      1.3,
      true,
    ),
    most('event loop held while a thread reads, ms of processor time', loopMs, 20, true),
  ];
}
