import { describe, expect, it } from 'vitest';
import type { ChallengeStep } from '../readings.ts';
import type { MeshPoint } from './head-pose.ts';
import { judgeChallenge } from './judge-challenge.ts';
import { type FrameFacts, frameProblem, mostCommonProblem } from './judge-frames.ts';

/** A frame whose face is a curved sheet of points, turned by degrees to the person's own left. */
function frame(step: ChallengeStep, yaw: number, { size = 100, x = 320, isFlat = false } = {}): FrameFacts {
  const angle = (yaw * Math.PI) / 180;
  const at = (u: number, v: number): MeshPoint => {
    const near = isFlat ? 0 : 1 - u * u - 0.3 * v * v;
    return [
      x + size * (u * Math.cos(angle) + near * Math.sin(angle)),
      240 + size * v,
      -size * near * Math.cos(angle),
    ];
  };
  const points = Array.from({ length: 468 }, (_, index) =>
    at(2 * ((index * 0.618) % 1) - 1, 2 * ((index * 0.414) % 1) - 1),
  );
  const named: Record<number, MeshPoint> = {
    1: at(0, 0.1),
    234: at(-1, 0),
    454: at(1, 0),
    10: at(0, -1),
    152: at(0, 1),
    33: at(-0.6, -0.3),
    133: at(-0.25, -0.3),
    362: at(0.25, -0.3),
    263: at(0.6, -0.3),
  };
  for (const [index, point] of Object.entries(named)) points[Number(index)] = point;
  return { step, width: 640, height: 480, faces: [points], sharpness: 0.3 };
}

const judge = (frames: FrameFacts[], challenge: ChallengeStep[], anyOrder = false) =>
  judgeChallenge(
    frames,
    frames.map(() => true),
    0,
    challenge,
    anyOrder,
  );
const passed = (...call: Parameters<typeof judge>) => judge(...call).map(({ result }) => result.isPassed);

describe('judgeChallenge', () => {
  const center = frame('center', 0);

  it('accepts turns in the requested order', () => {
    const frames = [center, frame('left', 5), frame('left', 28), frame('right', -10), frame('right', -28)];
    const judged = judge(frames, ['left', 'right']);
    expect(judged.map(({ result }) => result.isPassed)).toEqual([true, true]);
    expect(judged.map(({ proofs }) => proofs)).toEqual([[2], [4]]);
  });

  it('accepts a repeated turn with a look into the camera between them', () => {
    const frames = [center, frame('left', 28), frame('right', -28), center, frame('left', 28)];
    expect(passed(frames, ['left', 'right', 'left'])).toEqual([true, true, true]);
    expect(passed([center, frame('left', 28), center, frame('left', 28)], ['left', 'left'])).toEqual([
      true,
      true,
    ]);
  });

  it.each<[string, FrameFacts[], ChallengeStep[]]>([
    ['to the other side', [frame('left', -28), frame('right', 28)], ['left', 'right']],
    ['too small', [frame('left', 4), frame('right', -4)], ['left', 'right']],
    [
      'of a flat image',
      [frame('left', 28, { isFlat: true }), frame('right', -28, { isFlat: true })],
      ['left', 'right'],
    ],
    ['in another order', [frame('right', -28), frame('left', 28)], ['left', 'right']],
    ['one too many', [frame('left', 28), frame('right', -28), frame('left', 28)], ['left', 'right']],
    ['without frames', [], ['left', 'right']],
  ])('rejects turns %s', (_, turns, challenge) => {
    expect(passed([center, ...turns], challenge)).toEqual([false, false]);
  });

  it('accepts turns at any time when the order does not count', () => {
    const frames = [center, frame('left', -28), frame('right', 0), frame('right', 28)];
    expect(passed(frames, ['left', 'right'])).toEqual([false, false]);
    expect(passed(frames, ['left', 'right'], true)).toEqual([true, true]);
  });

  it('ignores unusable frames', () => {
    const frames = [center, frame('left', 28)];
    const [turn] = judgeChallenge(frames, [true, false], 0, ['left'], false);
    expect(turn).toEqual({
      result: { step: 'left', asymmetryChange: null, planarResidual: null, isPassed: false },
      proofs: [],
    });
  });
});

describe('frameProblem', () => {
  const plain = frame('center', 0);

  it.each([
    ['no face', { ...plain, faces: [] }, 'no_face'],
    ['a face', plain, null],
    [
      'two faces',
      { ...plain, faces: [...plain.faces, ...frame('center', 0, { size: 50 }).faces] },
      'several_faces',
    ],
    [
      'a small face behind',
      { ...plain, faces: [...plain.faces, ...frame('center', 0, { size: 30 }).faces] },
      null,
    ],
    ['a face at the edge', frame('center', 0, { x: 60 }), 'face_cut'],
    ['a small face', frame('center', 0, { size: 20 }), 'face_too_small'],
    ['a blurred face', { ...plain, sharpness: 0.02 }, 'too_blurred'],
  ])('of %s', (_, facts, problem) => expect(frameProblem(facts)).toBe(problem));
});

describe('mostCommonProblem', () => {
  it('counts problems and returns the first of equally frequent ones', () => {
    expect(mostCommonProblem(['no_face', 'face_cut', null, 'face_cut'])).toBe('face_cut');
    expect(mostCommonProblem(['no_face', 'face_cut'])).toBe('no_face');
    expect(mostCommonProblem([null])).toBeNull();
  });
});
