import type { ChallengeResult, ChallengeStep } from '../readings.ts';
import { type FrameFacts, judgeTurn } from './judge-frames.ts';

/** Evidence of one requested turn: its result, and the frames that prove it, the least turned first. */
export type TurnEvidence = { result: ChallengeResult; proofs: readonly number[] };

/**
 * Whether the frames show the requested turns, compared with the frontal frame. Each turn needs one frame that proves it,
 * from the time in which it was requested; with `anyOrder` from any time. `isUsable`: whether a frame shows one face well
 * enough.
 */
export function judgeChallenge(
  frames: readonly FrameFacts[],
  isUsable: readonly boolean[],
  frontal: number,
  challenge: readonly ChallengeStep[],
  anyOrder: boolean,
): TurnEvidence[] {
  const spans = anyOrder ? null : spansOf(frames.map(({ step }) => step));
  // Frames of other steps, or in another order, prove nothing.
  const isAsAsked =
    anyOrder ||
    isSame(
      spans!.map(({ step }) => step),
      challenge,
    );
  return challenge.map((step, at) => {
    const indices = anyOrder ? [...frames.keys()] : isAsAsked ? spans![at]!.indices : [];
    const turns = indices
      .filter((index) => isUsable[index] && index !== frontal)
      .map((index) => ({ index, result: judgeTurn(frames[frontal]!, frames[index]!, step) }));
    return evidence(step, turns);
  });
}

function evidence(
  step: ChallengeStep,
  turns: readonly { index: number; result: ChallengeResult }[],
): TurnEvidence {
  const passed = turns
    .filter(({ result }) => result.isPassed)
    .sort((a, b) => size(a.result) - size(b.result));
  // The strongest one: of those that pass and, without one, of those that do not.
  const [shown] = (passed.length > 0 ? passed : turns).toSorted((a, b) => size(b.result) - size(a.result));
  const nothing: ChallengeResult = { step, asymmetryChange: null, planarResidual: null, isPassed: false };
  return { result: shown?.result ?? nothing, proofs: passed.map(({ index }) => index) };
}

/** Consecutive frames with the same turn. Frames that look into the camera between them are omitted. */
function spansOf(steps: readonly ChallengeStep[]): { step: ChallengeStep; indices: number[] }[] {
  const spans: { step: ChallengeStep; indices: number[] }[] = [];
  for (const [index, step] of steps.entries()) {
    if (index > 0 && steps[index - 1] === step) spans.at(-1)!.indices.push(index);
    else spans.push({ step, indices: [index] });
  }
  return spans.filter(({ step }) => step !== 'center');
}

function isSame(a: readonly ChallengeStep[], b: readonly ChallengeStep[]): boolean {
  return a.length === b.length && a.every((step, index) => step === b[index]);
}

function size({ asymmetryChange }: ChallengeResult): number {
  return Math.abs(asymmetryChange ?? 0);
}
