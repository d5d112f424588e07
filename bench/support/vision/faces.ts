import { createVisionPool, type FaceReading, type FaceTask, faceDistance } from '@vouchgraph/vision';
import { decodeUpright, type RgbImage, toGray } from '@vouchgraph/vision/image-check';
import { faceDescriptor } from '@vouchgraph/vision/internals/faces/describe-face';
import { locateFaces } from '@vouchgraph/vision/internals/faces/locate-faces';
import { readFaces } from '@vouchgraph/vision/internals/faces/read-faces';
import { RECAPTURE_LIMITS, recaptureScore } from '@vouchgraph/vision/internals/recapture';
import { challengeTask, headFrames } from '../../../test/fixtures/faces/challenge.ts';
import { blurred, noisy } from '../../../test/fixtures/faces/effects.ts';
import { flatTurn } from '../../../test/fixtures/faces/flat-turn.ts';
import { cameraFrame, toJpeg } from '../../../test/fixtures/faces/photo.ts';
import { photographedPrint, photographedScreen } from '../../../test/fixtures/faces/recapture.ts';
import { turnedHead } from '../../../test/fixtures/faces/turned-head.ts';
import { median } from '../statistics.ts';
import { type PersonPhoto, readPeople } from './face-people.ts';

/** A table for `printTable`, and its name. */
export type BenchTable = { title: string; header: string[]; rows: string[][] };

const LIMITS = [0.24, 0.28, 0.3, 0.32, 0.34, 0.36, 0.385, 0.42];
const YAWS = [15, 25, 35];
/** Portraits for rendered heads and simulated recaptures. */
const MAX_FRAMES = 6;
const TIMED_READINGS = 5;

/**
 * Results of face reading on photos of people (`folder`: a folder for each person), on heads and prints
 * rendered from them, and on simulated screens and prints.
 */
export async function benchFaces({ folder }: { folder?: string } = {}): Promise<BenchTable[]> {
  const people = await readPeople(folder);
  const frames = await cameraFrames(people);
  return [
    await benchPairs(people),
    await benchTurns(frames),
    await benchRecapture(frames),
    ...(await benchTime(frames[0]!)),
  ];
}

/** One frame for each of the first people. */
async function cameraFrames(people: readonly PersonPhoto[]): Promise<RgbImage[]> {
  const first = people.filter(
    ({ person }, at) => people.findIndex((other) => other.person === person) === at,
  );
  return Promise.all(first.slice(0, MAX_FRAMES).map(({ photo }) => cameraFrame(photo)));
}

async function benchPairs(people: readonly PersonPhoto[]): Promise<BenchTable> {
  const described: { person: string; descriptor: Float32Array }[] = [];
  for (const { person, photo } of people) {
    const image = await decodeUpright(photo, 1000);
    const [face] = image ? await locateFaces(image) : [];
    if (image && face) described.push({ person, descriptor: await faceDescriptor(image, face.square) });
  }
  const [genuine, impostor]: [number[], number[]] = [[], []];
  for (const [at, a] of described.entries())
    for (const b of described.slice(at + 1))
      (a.person === b.person ? genuine : impostor).push(faceDistance(a.descriptor, b.descriptor));
  const missed = people.length - described.length;
  return {
    title: `faces: ${people.length} photos (${missed} without a face), ${genuine.length} pairs of one person, ${impostor.length} of two`,
    header: ['distance below', 'false matches', 'FMR', 'false non-matches', 'FNMR'],
    rows: LIMITS.map((limit) => {
      const falseMatches = impostor.filter((distance) => distance < limit).length;
      const falseNonMatches = genuine.filter((distance) => !(distance < limit)).length;
      return [
        limit.toFixed(2),
        `${falseMatches} of ${impostor.length}`,
        share(falseMatches, impostor.length),
        `${falseNonMatches} of ${genuine.length}`,
        share(falseNonMatches, genuine.length),
      ];
    }),
  };
}

async function benchTurns(frames: readonly RgbImage[]): Promise<BenchTable> {
  const kinds = [
    { name: 'head', turn: turnedHead },
    { name: 'print', turn: async (image: RgbImage, yaw: number) => flatTurn(image, yaw) },
  ];
  const rows: string[][] = [];
  for (const { name, turn } of kinds)
    for (const yaw of YAWS) {
      const readings: FaceReading[] = [];
      for (const image of frames)
        for (const sign of [1, -1])
          readings.push(await readTurn(image, await turn(image, sign * yaw), sign === 1 ? 'left' : 'right'));
      const results = readings.map(({ challenge }) => challenge[0]!);
      rows.push([
        `${name} turned by ${yaw}°`,
        `${readings.filter(({ problem }) => problem === null).length} of ${readings.length}`,
        range(results.map(({ asymmetryChange }) => asymmetryChange && Math.abs(asymmetryChange))),
        range(results.map(({ planarResidual }) => planarResidual)),
      ]);
    }
  return {
    title: `liveness: turns rendered from ${frames.length} portraits (simulated)`,
    header: ['case', 'passed', 'asymmetry change', 'residual %'],
    rows,
  };
}

async function readTurn(image: RgbImage, turned: RgbImage, step: 'left' | 'right'): Promise<FaceReading> {
  const [center, turn] = [await toJpeg(image), await toJpeg(turned)];
  return readFaces(challengeTask({ center, left: turn, right: turn }, [step]));
}

async function benchRecapture(frames: readonly RgbImage[]): Promise<BenchTable> {
  const views = [0.35, 0.62, 0.93, 1.3].map((pitch) => ({ pitch, tilt: 4 }));
  const each = (make: (image: RgbImage) => RgbImage[] | Promise<RgbImage[]>) => make;
  const cases = {
    'as taken': each((image) => [image, noisy(image, 8)]),
    'screen in focus': each((image) => views.map((view) => photographedScreen(image, view))),
    'print in focus': each((image) => views.map((view) => photographedPrint(image, view))),
    'screen, soft': each((image) =>
      Promise.all(views.map((view) => blurred(photographedScreen(image, view), 1.2))),
    ),
    'print, soft': each((image) =>
      Promise.all(views.map((view) => blurred(photographedPrint(image, view), 1.2))),
    ),
  };
  const rows: string[][] = [];
  for (const [name, make] of Object.entries(cases)) {
    const scores: number[] = [];
    for (const image of frames)
      for (const changed of await make(image)) {
        const seen = (await decodeUpright(await toJpeg(changed, 80), 4000))!;
        scores.push(recaptureScore(toGray(seen), seen.width, seen.height)!);
      }
    const flagged = scores.filter((score) => score >= RECAPTURE_LIMITS.face).length;
    rows.push([name, `${flagged} of ${scores.length}`, range(scores)]);
  }
  return { title: 'recapture (simulated)', header: ['case', 'flagged', 'score'], rows };
}

/** Through the pool, as in the gateway: the first reading loads the networks. */
async function benchTime(image: RgbImage): Promise<BenchTable[]> {
  const head = await headFrames(image);
  const task = challengeTask(head, ['left', 'right']);
  const nine: FaceTask = { ...task, frames: task.frames.flatMap((frame) => [frame, frame, frame]) };
  const before = process.memoryUsage().rss;
  const stretches = watchEventLoop();
  const pool = createVisionPool({
    size: 1,
    onError: (error) => {
      throw error;
    },
  });
  const start = performance.now();
  await pool.readFaces(nine);
  const first = performance.now() - start;
  const readings: { ms: number; timings: Record<string, number> }[] = [];
  for (let count = 0; count < TIMED_READINGS; count++) {
    const from = performance.now();
    const { timings } = await pool.readFaces(nine);
    readings.push({ ms: performance.now() - from, timings });
  }
  const longest = stretches.stop();
  const grown = process.memoryUsage().rss - before;
  await pool.close();
  const stages = Object.keys(readings[0]!.timings);
  const milliseconds = (of: (reading: (typeof readings)[number]) => number) =>
    median(readings.map(of)).toFixed(0);
  return [
    {
      title: 'time of a reading of nine frames with two turns, by stage (median)',
      header: ['stage', 'ms'],
      rows: [
        ...stages.map((stage) => [stage, milliseconds(({ timings }) => timings[stage] ?? 0)]),
        ['whole, through the pool', milliseconds(({ ms }) => ms)],
        ['the first, which loads the networks', first.toFixed(0)],
      ],
    },
    {
      title: 'the gateway beside it',
      header: ['what', 'value'],
      rows: [
        ['longest that its event loop is held, ms of processor time', longest.toFixed(1)],
        ['memory that one thread takes, MB', (grown / 2 ** 20).toFixed(0)],
      ],
    },
  ];
}

/**
 * The longest turn of the event loop of this thread, in processor time, which other programs on the machine do
 * not affect.
 */
export function watchEventLoop(): { stop: () => number } {
  const now = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [last, longest] = [now(), 0];
  const turn = () => {
    longest = Math.max(longest, now() - last);
    last = now();
    timer = setImmediate(turn);
  };
  let timer = setImmediate(turn);
  return {
    stop: () => {
      clearImmediate(timer);
      return longest;
    },
  };
}

function range(values: readonly (number | null)[]): string {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return 'none';
  return `${Math.min(...known).toFixed(2)} to ${Math.max(...known).toFixed(2)}`;
}

function share(part: number, whole: number): string {
  return whole === 0 ? 'no pairs' : `${((100 * part) / whole).toFixed(2)} %`;
}
