import { describe, expect, test } from 'vitest';
import { CHROME_ON_WINDOWS, checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import type { InteractionCounts } from '../evidence/evidence.ts';
import { noHumanInteraction } from './no-human-interaction.ts';

const NOTHING: InteractionCounts = { mouse: 0, click: 0, keyboard: 0, touch: 0, clipboard: 0 };
const CHROME_ON_ANDROID =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36';

const evaluate = (
  interaction: Partial<InteractionCounts> | null,
  raw: Record<string, unknown>,
  userAgent = CHROME_ON_WINDOWS,
) =>
  noHumanInteraction.evaluate(
    factsWith({
      userAgent,
      interaction: interaction && { ...NOTHING, ...interaction },
      checks: checksWith(raw),
    }),
  );

const typing = (mean: number, deviation: number, count = 30) => ({
  key_interval_count: count,
  key_interval_mean_ms: mean,
  key_interval_deviation_ms: deviation,
});

test('a form that was completed without any event was filled by a program', () => {
  const evidence = evaluate({}, { form_completed: true });
  expect(evidence?.group).toBe('behavior');
  expect(evidence?.bot).toBeCloseTo(0.54);
  expect(evidence?.contributions.deviceRisk).toBeCloseTo(0.45);
});

test('a page without a completed form may be read without input events', () => {
  expect(evaluate({}, { form_completed: false })).toBeNull();
  expect(evaluate({}, {})).toBeNull();
});

test('missing and empty counts produce no evidence', () => {
  expect(evaluate(null, { form_completed: true })).toBeNull();
  expect(noHumanInteraction.evaluate(factsWith({ interaction: NOTHING }))).toBeNull();
});

describe('a password manager', () => {
  test('that fills a form submitted by one click is not a bot', () => {
    expect(
      evaluate({ click: 1 }, { form_completed: true, untrusted_events: 14, filled_fields: 2 }),
    ).toBeNull();
    expect(
      evaluate({ keyboard: 1 }, { form_completed: true, pasted_fields: 2, filled_fields: 2 }),
    ).toBeNull();
  });

  test('that pastes a whole form stays far below a flag', () => {
    const evidence = evaluate(
      { mouse: 40, click: 4 },
      { form_completed: true, pasted_fields: 4, filled_fields: 4 },
    );
    expect(evidence?.bot).toBeLessThan(0.2);
  });
});

describe('the rhythm of keys', () => {
  test('is never even when a person types', () => {
    expect(evaluate({ keyboard: 30 }, typing(180, 90))).toBeNull();
    expect(evaluate({ keyboard: 30 }, typing(110, 35))).toBeNull();
  });

  test('is even when a program types', () => {
    expect(evaluate({ keyboard: 30 }, typing(100, 2))?.bot).toBeGreaterThan(0.4);
  });

  test('is even for a held key, which is not automation', () => {
    expect(evaluate({ keyboard: 30 }, typing(33, 1))?.bot).toBeLessThan(0.1);
  });

  test('is faster than any person when a program sends all keys at once', () => {
    expect(evaluate({ keyboard: 30 }, typing(1, 0.8))?.observed).toBe('keys faster than human typing');
  });

  test('is no evidence with few keys, screen keyboards that send whole words, or missing measurements', () => {
    expect(evaluate({ keyboard: 5 }, typing(100, 1, 5))).toBeNull();
    expect(evaluate({ keyboard: 30 }, typing(1, 0), CHROME_ON_ANDROID)).toBeNull();
    expect(evaluate({ keyboard: 30 }, { key_interval_count: 30 })).toBeNull();
    expect(evaluate({ keyboard: 30 }, typing(-5, -5))).toBeNull();
  });
});

test('untrusted events count once they are many and the majority', () => {
  expect(evaluate({ click: 2 }, { untrusted_events: 120 })?.bot).toBeGreaterThan(0.3);
  expect(evaluate({ mouse: 400, click: 5 }, { untrusted_events: 120 })).toBeNull();
});

test('clicks without a mouse are a weak sign on a computer, and no sign on a touch screen', () => {
  const raw = { form_completed: true };
  expect(evaluate({ click: 6 }, raw)?.bot).toBeLessThan(0.2);
  expect(evaluate({ click: 6, mouse: 80 }, raw)).toBeNull();
  expect(evaluate({ click: 6 }, raw, CHROME_ON_ANDROID)).toBeNull();
});

test('several signs together have more confidence than each alone', () => {
  const evidence = evaluate({ keyboard: 30 }, { ...typing(100, 2), untrusted_events: 120 });
  expect(evidence?.confidence).toBeCloseTo(1 - 0.2 * 0.4);
});
