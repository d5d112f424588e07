import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  combineSignals,
  EMAIL_SIGNALS,
  type EmailRiskSignal,
  type EmailSignal,
  type EmailTrustSignal,
} from './email-weights.ts';

const namesOf = (wanted: 'risk' | 'trust') =>
  Object.entries(EMAIL_SIGNALS)
    .filter(([, { side }]) => side === wanted)
    .map(([name]) => name);
const RISKS = namesOf('risk') as EmailRiskSignal[];
const TRUSTS = namesOf('trust') as EmailTrustSignal[];

const scoreEmail = (risks: readonly EmailSignal[], trusts: readonly EmailSignal[]) =>
  combineSignals([...risks, ...trusts].map((name) => EMAIL_SIGNALS[name]));

const evidence = fc.record({ risks: fc.subarray(RISKS), trusts: fc.subarray(TRUSTS) });

test('every signal has a weight within its range and a description', () => {
  for (const { weight, description } of Object.values(EMAIL_SIGNALS)) {
    expect(weight).toBeGreaterThan(0);
    expect(weight).toBeLessThan(1);
    expect(description).toMatch(/^[A-Z][^|]+\.$/);
  }
});

test('no evidence scores exactly 0', () => {
  expect(scoreEmail([], [])).toBe(0);
});

test('a greater age weighs more', () => {
  const scores = ([1, 2, 5, 10] as const).map((years) =>
    scoreEmail([], [`email_age_greater_than_${years}_years`]),
  );
  expect(scores).toEqual(scores.toSorted((one, other) => other - one));
  expect(new Set(scores).size).toBe(4);
});

test('the score stays within −1 and 1', () => {
  fc.assert(
    fc.property(evidence, ({ risks, trusts }) => {
      expect(Math.abs(scoreEmail(risks, trusts))).toBeLessThanOrEqual(1);
    }),
  );
});

test('one more risk signal never lowers the score', () => {
  fc.assert(
    fc.property(evidence, fc.constantFrom(...RISKS), ({ risks, trusts }, added) => {
      fc.pre(!risks.includes(added));
      expect(scoreEmail([...risks, added], trusts)).toBeGreaterThanOrEqual(scoreEmail(risks, trusts));
    }),
  );
});

test('one more trust signal never raises the score', () => {
  fc.assert(
    fc.property(evidence, fc.constantFrom(...TRUSTS), ({ risks, trusts }, added) => {
      fc.pre(!trusts.includes(added));
      expect(scoreEmail(risks, [...trusts, added])).toBeLessThanOrEqual(scoreEmail(risks, trusts));
    }),
  );
});
