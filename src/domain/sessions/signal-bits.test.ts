import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { RISK_SCORE_KEYS, type RiskScoreKey, scoreName } from '../signals/evidence/risk-scores.ts';
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
  expect(signalBits(raised(...RISK_SCORE_KEYS))).toBe(1023);
});

test('every signal has the index of its bit', () => {
  const migration = readFileSync(
    new URL('../../../prisma/migrations/20261127020010_search_indexes/migration.sql', import.meta.url),
    'utf8',
  );
  for (const key of RISK_SCORE_KEYS) {
    const name = scoreName(key);
    const index = new RegExp(`sessions_signal_${name}\\s[^;]* where signals & ${signalBit(name)} <> 0;`);
    expect(migration).toMatch(index);
  }
});
