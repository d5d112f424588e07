import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { canvasOrAudioNoise } from './canvas-or-audio-noise.ts';

const evaluate = (raw: Record<string, unknown>) =>
  canvasOrAudioNoise.evaluate(factsWith({ checks: checksWith(raw) }));

test.each([
  [{ canvas_first: 'a1', canvas_second: 'b2' }, 'two renders of one image differ'],
  [{ canvas_blank: true }, 'the image is empty'],
  [{ audio_first: 124.04344, audio_second: 124.04347 }, 'two renders of one sound differ'],
])('%j is noise with little weight', (raw, observed) => {
  expect(evaluate(raw)).toMatchObject({
    group: 'environment',
    observed,
    contributions: { deviceRisk: 0.25 },
  });
});

test('several signs are reported together and count once', () => {
  const evidence = evaluate({ canvas_first: 'a1', canvas_second: 'b2', audio_first: 1, audio_second: 2 });
  expect(evidence?.observed).toBe('two renders of one image differ; two renders of one sound differ');
  expect(evidence?.contributions).toEqual({ deviceRisk: 0.25 });
});

test('a difference in the last digit of a sum is rounding', () => {
  expect(evaluate({ audio_first: 124.0434427, audio_second: 124.0434428 })).toBeNull();
});

test('two equal renders are not noise', () => {
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

test('a single render and missing checks produce no evidence', () => {
  expect(evaluate({ canvas_first: 'a1' })).toBeNull();
  expect(evaluate({ audio_first: 1.5 })).toBeNull();
  expect(canvasOrAudioNoise.evaluate(factsWith())).toBeNull();
});
