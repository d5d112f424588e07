import { faceDistance } from '@vouchgraph/vision';
import { searchDistance } from '@vouchgraph/vision/face-thresholds';
import { FaceIndex } from '@vouchgraph/vision/internals/faces/face-index';
import { seededRandom } from '../test/fixtures/documents/random.ts';
import { readOptions } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { median } from './support/statistics.ts';

/*
 * The search for one face among all of a project: how long it takes, and for how long it holds up the event loop. Every
 * answer is compared with a plain comparison of all faces. A wrong one fails the run; a time never does.
 *
 *   --size N    faces (100,000; 2,000 with --quick)
 *   --rounds N  searches, ten for each (8; 2 with --quick)
 */
const options = readOptions();
const { size } = options;
const searches = options.rounds * 10;
const random = seededRandom(1);
const limit = searchDistance('standard', size);

/** About the distance between faces of different people. */
const someFace = () => Float32Array.from({ length: 128 }, () => (random() - 0.5) * 0.26);
/** Another image of the same person. */
const again = (face: Float32Array) => face.map((value) => value + (random() - 0.5) * 0.06);

/**
 * Delay of other work: the longest turn of the event loop while the work runs, in milliseconds of processor
 * time of this thread, so that other programs of the machine have no effect.
 */
async function watched<T>(work: () => Promise<T>): Promise<{ value: T; ms: number; longestMs: number }> {
  await pause();
  let [isOver, longestMs, last] = [false, 0, threadMs()];
  const turn = () => {
    const now = threadMs();
    longestMs = Math.max(longestMs, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const startedAt = performance.now();
  const value = await work();
  const ms = performance.now() - startedAt;
  isOver = true;
  await pause();
  return { value, ms, longestMs };
}
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

const faces = Array.from({ length: size }, someFace);
const index = new FaceIndex();
const PAGE = 1000;
const filling = await watched(async () => {
  for (const [at, face] of faces.entries()) {
    index.set(`face ${at}`, face);
    if (at % PAGE === PAGE - 1) await pause();
  }
});

let mistakes = 0;
const results: { ms: number; longestMs: number }[] = [];
for (let round = 0; round < searches; round += 1) {
  const wanted = again(faces[Math.floor(random() * size)]!);
  const found = await watched(() => index.search(wanted, limit, 2000));
  const near = faces.flatMap((face, at) => (faceDistance(face, wanted) < limit ? [`face ${at}`] : []));
  const ids = found.value.map(({ templateId }) => templateId).sort();
  if (near.length === 0 || ids.join() !== near.sort().join()) mistakes += 1;
  results.push(found);
}
const row = (name: string, runs: readonly { ms: number; longestMs: number }[]) => [
  name,
  median(runs.map(({ ms }) => ms)).toFixed(1),
  Math.max(...runs.map(({ ms }) => ms)).toFixed(1),
  Math.max(...runs.map(({ longestMs }) => longestMs)).toFixed(1),
];
printTable(
  ['', 'median ms', 'longest ms', 'longest turn CPU ms'],
  [row(`${searches} searches of ${size} faces`, results), row(`adding them, ${PAGE} a turn`, [filling])],
);
console.log(`\n${describeMachine()}`);
if (mistakes > 0) {
  console.error(`WRONG  ${mistakes} searches did not find what a comparison with every face finds`);
  process.exitCode = 1;
}
