import { expect, test } from 'vitest';
import { RISK_SCORE_KEYS, type RiskScoreKey, scoreName } from '../evidence/risk-scores.ts';
import { signalBit, signalBits } from './signal-bits.ts';

const raised = (...keys: RiskScoreKey[]) =>
  Object.fromEntries(RISK_SCORE_KEYS.map((key) => [key, keys.includes(key)])) as Record<
    RiskScoreKey,
    boolean
  >;

test('each raised signal is one bit, and no signal is 0', () => {
  expect(signalBits(raised())).toBe(0);
  for (const key of RISK_SCORE_KEYS) expect(signalBits(raised(key))).toBe(signalBit(scoreName(key)));
  expect(signalBits(raised('deviceRisk', 'tor'))).toBe(1 + 8);
  expect(signalBits(raised(...RISK_SCORE_KEYS))).toBe(2 ** RISK_SCORE_KEYS.length - 1);
});
