import { decodeGrayAround, decodeUpright, MAX_PIXELS, type RgbImage } from '../image-check.ts';
import type { ChallengeResult, FaceProblem, FaceReading, FaceTask } from '../readings.ts';
import { recaptureScore } from '../recapture.ts';
import { createStopwatch, type Stopwatch } from '../stopwatch.ts';
import { cropPortrait } from './crop-portrait.ts';
import { type DescribedFace, describeFace, faceDescriptor } from './describe-face.ts';
import { type Box, detectFaces, sharedArea } from './detect-faces.ts';
import { faceDistance, isSameFace } from './face-distance.ts';
import { findMeshes, squareOfMesh } from './face-mesh.ts';
import { verificationDistance } from './face-thresholds.ts';
import { boundsOf } from './head-pose.ts';
import { judgeChallenge, type TurnEvidence } from './judge-challenge.ts';
import {
  type FrameFacts,
  frameProblem,
  frontalQuality,
  isFrontal,
  mostCommonProblem,
} from './judge-frames.ts';
import type { Square } from './sample-image.ts';
import { faceSharpness } from './sharpness.ts';

/** Maximum number that a page sends. Further frames of other clients are ignored, since one task delays all waiting ones. */
const MAX_FRAMES = 24;
/** Pixels of the longer side in which faces are looked for. */
const MAX_SIDE = 800;
/**
 * Largest distance of a frontal and a turned view of one person. Heads of 23 portraits rendered with turns of 15, 27 and 35
 * degrees reach up to 0.36, and a turned view of another person is as near in 1 % of 3,000 pairs. The margin above 0.36 is
 * for real heads, which change more than rendered ones.
 */
const SAME_TURNED_FACE_DISTANCE = 0.415;
/** From this score on the second detector's further faces count, and from this part of the first one's width. */
const SURE_SCORE = 0.6;
const SECOND_FACE_SHARE = 0.4;
/** Boxes that share this part of the smaller one are the same face. */
const SAME_FACE_OVERLAP = 0.3;
/** Frames without a face that the slower detector searches as well. */
const MAX_SECOND_TRIES = 3;

type Frame = { image: RgbImage; facts: FrameFacts; problem: FaceProblem | null };

const NOTHING = {
  descriptor: null,
  ageYears: null,
  bestFrame: null,
  portrait: null,
  recaptureScore: null,
} as const;

/** Reading of the frames: descriptor, age, and whether it is one person and one head that turned as requested. */
export async function readFaces(given: FaceTask): Promise<FaceReading> {
  const task = { ...given, frames: given.frames.slice(0, MAX_FRAMES) };
  const watch = createStopwatch();
  const frames = await readFrames(task, watch);
  const none = (problem: FaceProblem): FaceReading => ({
    ...NOTHING,
    problem,
    challenge: task.challenge.map(unanswered),
    timings: watch.timings,
  });
  if (!frames) return none('not_an_image');
  if (frames.some(({ problem }) => problem === 'several_faces')) return none('several_faces');
  const best = bestFrontal(frames, task);
  if (best === null) {
    const asked = frontalCandidates(frames, task);
    return none(mostCommonProblem(asked.map((index) => frames[index]!.problem)) ?? 'no_face');
  }
  if (await watch.time('detect', () => showsAnotherFace(frames[best]!))) return none('several_faces');
  return describe(task, frames, best, watch);
}

/** Whether the second detector is sure of a face beside the frame's own that is not much smaller. */
async function showsAnotherFace(frame: Frame): Promise<boolean> {
  const own = boxOf(frame);
  const found = await detectFaces(frame.image);
  return found.some(
    ({ box, score }) =>
      score >= SURE_SCORE &&
      box.width >= SECOND_FACE_SHARE * own.width &&
      sharedArea(box, own) < SAME_FACE_OVERLAP,
  );
}

async function describe(
  task: FaceTask,
  frames: readonly Frame[],
  best: number,
  watch: Stopwatch,
): Promise<FaceReading> {
  const { image } = frames[best]!;
  const box = boxOf(frames[best]!);
  const face = await watch.time('describe', () => describeFace(image, squareOf(frames[best]!)));
  const turns = judgeChallenge(
    frames.map(({ facts }) => facts),
    frames.map(({ problem }) => problem === null),
    best,
    task.challenge,
    task.anyOrder,
  );
  const isOnePerson = await watch.time('compare', () => isSamePerson(task, frames, best, face, turns));
  const score = await watch.time('recapture', () => recaptureOf(task.frames[best]!.bytes, image, box));
  const portrait = await watch.time('portrait', () => cropPortrait(image, box));
  return {
    problem: isOnePerson ? challengeProblem(task, frames, best, turns) : 'different_faces',
    descriptor: face.descriptor,
    ageYears: face.ageYears,
    bestFrame: best,
    portrait,
    recaptureScore: score,
    challenge: turns.map(({ result }) => result),
    timings: watch.timings,
  };
}

async function readFrames(task: FaceTask, watch: Stopwatch): Promise<Frame[] | null> {
  const frames: Frame[] = [];
  let secondTries = MAX_SECOND_TRIES;
  for (const { bytes, step } of task.frames) {
    const image = await watch.time('decode', () => decodeUpright(bytes, MAX_SIDE, MAX_PIXELS.face));
    if (!image) return null;
    const { width, height } = image;
    const secondTry = secondTries > 0;
    const faces = (await watch.time('mesh', () => findMeshes(image, { secondTry }))).map(
      ({ points }) => points,
    );
    if (faces.length === 0) secondTries--;
    const sharpness = faces[0] ? faceSharpness(image, boundsOf(faces[0])) : 0;
    const facts: FrameFacts = { step, width, height, faces, sharpness };
    frames.push({ image, facts, problem: frameProblem(facts) });
  }
  return frames;
}

/** Candidates for the frontal frame: those taken before the turns, or any when order does not count. */
function frontalCandidates(frames: readonly Frame[], { challenge, anyOrder }: FaceTask): number[] {
  const all = [...frames.keys()];
  return anyOrder || challenge.length === 0 ? all : all.filter((at) => frames[at]!.facts.step === 'center');
}

function bestFrontal(frames: readonly Frame[], task: FaceTask): number | null {
  const quality = (index: number) => frontalQuality(frames[index]!.facts);
  const usable = frontalCandidates(frames, task).filter((index) => frames[index]!.problem === null);
  return usable.sort((a, b) => quality(b) - quality(a))[0] ?? null;
}

/** Every look into the camera matches the face strictly, and each turn in one of the frames that prove it. */
async function isSamePerson(
  task: FaceTask,
  frames: readonly Frame[],
  best: number,
  face: DescribedFace,
  turns: readonly TurnEvidence[],
): Promise<boolean> {
  const isSame = async (index: number, limit = verificationDistance('standard')) => {
    const frame = frames[index]!;
    const descriptor = await faceDescriptor(frame.image, squareOf(frame));
    return isSameFace(faceDistance(face.descriptor, descriptor), limit);
  };
  for (const index of frontalCandidates(frames, task)) {
    const isLook = index !== best && frames[index]!.problem === null && isFrontal(frames[index]!.facts);
    if (isLook && !(await isSame(index))) return false;
  }
  for (const { proofs } of turns) {
    let hasSame = proofs.length === 0;
    for (const index of proofs) hasSame ||= await isSame(index, SAME_TURNED_FACE_DISTANCE);
    if (!hasSame) return false;
  }
  return true;
}

/** Reason why a turn was not proven: the problem of all its frames, or else that the head did not turn as requested. */
function challengeProblem(
  task: FaceTask,
  frames: readonly Frame[],
  best: number,
  turns: readonly TurnEvidence[],
): FaceProblem | null {
  if (turns.length === 0) return null;
  if (!isFrontal(frames[best]!.facts)) return 'challenge_failed';
  const failed = turns.find(({ result }) => !result.isPassed);
  if (!failed) return null;
  const shown = frames.filter(({ facts }) => facts.step === failed.result.step);
  const areAllBad = !task.anyOrder && shown.length > 0 && shown.every(({ problem }) => problem !== null);
  return (areAllBad && mostCommonProblem(shown.map(({ problem }) => problem))) || 'challenge_failed';
}

/** At the image's own size around the face, since a grid of pixels does not survive being made smaller. */
async function recaptureOf(
  bytes: Uint8Array,
  { width, height }: RgbImage,
  box: { x: number; y: number; width: number; height: number },
): Promise<number | null> {
  const middle = { x: (box.x + box.width / 2) / width, y: (box.y + box.height / 2) / height };
  const part = await decodeGrayAround(bytes, middle);
  return part && recaptureScore(part.data, part.width, part.height);
}

function boxOf({ facts }: Frame): Box {
  return boundsOf(facts.faces[0]!);
}

function squareOf({ facts }: Frame): Square {
  return squareOfMesh(facts.faces[0]!);
}

function unanswered(step: ChallengeResult['step']): ChallengeResult {
  return { step, asymmetryChange: null, planarResidual: null, isPassed: false };
}
