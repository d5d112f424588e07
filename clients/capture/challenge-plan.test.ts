import { describe, expect, it } from 'vitest';
import { framesOf, planScan, type Step } from './challenge-plan.ts';

const CHALLENGES: Step[][] = [[], ['left'], ['left', 'right'], ['right', 'left'], ['left', 'right', 'left']];

describe('plan of a face scan', () => {
  it.each(CHALLENGES.map((challenge) => [challenge]))(
    'asks for the center, then for %j in order',
    (challenge) => {
      expect(framesOf(planScan(challenge)).map(({ step }) => step)).toEqual(['center', ...challenge]);
    },
  );

  it('captures several images of each step, numbered without a gap', () => {
    const frames = framesOf(planScan(['left', 'right'])).map((step) => step.frames);
    for (const step of frames) expect(step.length).toBeGreaterThanOrEqual(3);
    const all = frames.flat();
    expect(all).toEqual(all.map((_, index) => index));
  });

  it('waits one second between a prompt and its first image', () => {
    const { moments } = planScan(['left', 'right']);
    moments.forEach((moment, index) => {
      const before = moments[index - 1];
      if (moment.kind === 'image' && before?.kind === 'prompt') {
        expect(before.step).toBe(moment.step);
        expect(moment.atMs - before.atMs).toBeGreaterThanOrEqual(1000);
      }
    });
  });

  it('returns the head to the center between two turns', () => {
    const prompts = planScan(['left', 'right']).moments.filter(({ kind }) => kind === 'prompt');
    expect(prompts.map(({ step }) => step)).toEqual(['center', 'left', 'center', 'right']);
  });

  it('has ascending times and takes less than fifteen seconds', () => {
    for (const challenge of CHALLENGES) {
      const { moments, durationMs } = planScan(challenge);
      const times = moments.map(({ atMs }) => atMs);
      expect(times).toEqual([...times].sort((a, b) => a - b));
      expect(durationMs).toBeGreaterThanOrEqual(times[times.length - 1]!);
      expect(durationMs).toBeLessThan(15_000);
    }
  });
});
