import type { ChallengeResult, ChallengeStep, FaceProblem } from '../readings.ts';
import { MIN_RECAPTURE_SIDE } from '../recapture.ts';
import { headPose, isWholeFace, type MeshPoint, planarResidual } from './head-pose.ts';

/** Measurements of the faces in one frame. */
export type FrameFacts = {
  step: ChallengeStep;
  width: number;
  height: number;
  /** Meshes of all faces, the largest first. */
  faces: readonly (readonly MeshPoint[])[];
  /** Of the largest face; see faceSharpness. */
  sharpness: number;
};

/** Minimum distance of the eyes in pixels. Below it a descriptor drifts by half of the distance between two people. */
const MIN_EYE_DISTANCE = 20;
/** Corresponds to a blur of a tenth of the eye distance. With more blur the descriptor drifts likewise. */
const MIN_SHARPNESS = 0.045;
/** A face in the background counts from this part of the first one's eye distance on. */
const SECOND_FACE_SHARE = 0.4;
/** Maximum asymmetry of a frontal face. */
const MAX_FRONTAL_ASYMMETRY = 0.45;
/** Rendered heads change by more from a turn of 15 degrees; flat images stay below 0.12. */
const MIN_ASYMMETRY_CHANGE = 0.25;
/** Percent of the eye distance; flat images reach it only when turned by 35 degrees and more. */
const MIN_PLANAR_RESIDUAL = 3;

/** Why a frame shows no face that can be used; null when it does. */
export function frameProblem(frame: FrameFacts): FaceProblem | null {
  const [face, second] = frame.faces;
  if (!face) return 'no_face';
  const { eyeDistance } = headPose(face);
  if (second && headPose(second).eyeDistance >= SECOND_FACE_SHARE * eyeDistance) return 'several_faces';
  if (!isWholeFace(face, frame)) return 'face_cut';
  // A smaller image could not show that it is one of a screen.
  if (Math.min(frame.width, frame.height) < MIN_RECAPTURE_SIDE) return 'face_too_small';
  if (eyeDistance < MIN_EYE_DISTANCE) return 'face_too_small';
  return frame.sharpness < MIN_SHARPNESS ? 'too_blurred' : null;
}

/** The problem of most frames; of equally frequent ones, the first. Null without any problem. */
export function mostCommonProblem(problems: readonly (FaceProblem | null)[]): FaceProblem | null {
  const counts = new Map<FaceProblem, number>();
  for (const problem of problems) if (problem) counts.set(problem, (counts.get(problem) ?? 0) + 1);
  const [first] = [...counts].sort((a, b) => b[1] - a[1]);
  return first?.[0] ?? null;
}

/** The larger, the better the frame serves as the frontal one: sharp, large and looking into the camera. */
export function frontalQuality(frame: FrameFacts): number {
  const { asymmetry, eyeDistance } = headPose(frame.faces[0]!);
  // Over these sizes neither detail nor pixels add information.
  const detail = Math.min(1, frame.sharpness / 0.3) + Math.min(1, eyeDistance / 80);
  return detail - 4 * Math.abs(asymmetry);
}

export function isFrontal(frame: FrameFacts): boolean {
  return Math.abs(headPose(frame.faces[0]!).asymmetry) <= MAX_FRONTAL_ASYMMETRY;
}

/**
 * Whether the head in `turned` is turned as asked, and as a body rather than as an image of one. Left and right are
 * the person's own, in images that are not mirrored.
 */
export function judgeTurn(frontal: FrameFacts, turned: FrameFacts, step: ChallengeStep): ChallengeResult {
  const [from, to] = [frontal.faces[0]!, turned.faces[0]!];
  const asymmetryChange = headPose(to).asymmetry - headPose(from).asymmetry;
  const residual = planarResidual(from, to);
  const direction = step === 'left' ? 1 : -1;
  const isTurned = direction * asymmetryChange >= MIN_ASYMMETRY_CHANGE;
  const isPassed = step !== 'center' && isTurned && residual !== null && residual >= MIN_PLANAR_RESIDUAL;
  return { step, asymmetryChange, planarResidual: residual, isPassed };
}
