import { expect, test } from 'vitest';
import { canvasOrAudioNoise } from './canvas-or-audio-noise.ts';
import { checksWith, factsWith } from './facts-for-tests.ts';

const evaluate = (raw: Record<string, unknown>) =>
  canvasOrAudioNoise.evaluate(factsWith({ checks: checksWith(raw) }));

test.each([
  [{ canvas_first: 'a1', canvas_second: 'b2' }, 'two renders of a canvas differ'],
  [{ canvas_blank: true }, 'a blank canvas'],
  [{ audio_first: 124.04344, audio_second: 124.04347 }, 'two sums of a sound differ'],
])('%j is noise, which says little', (raw, observed) => {
  expect(evaluate(raw)).toMatchObject({
    group: 'environment',
    observed,
    contributions: { deviceRisk: 0.25 },
  });
});

test('the same twice is none', () => {
  expect(
    evaluate({
      canvas_first: 'a1',
      canvas_second: 'a1',
      canvas_blank: false,
      audio_first: 1.5,
      audio_second: 1.5,
    }),
  ).toBeNull();
});

test('one render alone says nothing, nor do no checks', () => {
  expect(evaluate({ canvas_first: 'a1' })).toBeNull();
  expect(evaluate({ audio_first: 1.5 })).toBeNull();
  expect(canvasOrAudioNoise.evaluate(factsWith())).toBeNull();
});
