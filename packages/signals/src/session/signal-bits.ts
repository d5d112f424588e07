import { RISK_SCORE_KEYS, type RiskScoreKey, scoreName } from '../evidence/risk-scores.ts';

/** Names of the risk signals; the place of each is its bit in `sessions.signals`. */
const SIGNAL_NAMES = RISK_SCORE_KEYS.map(scoreName);

/** The raised risk signals of a session as bits. */
export function signalBits(raised: Readonly<Record<RiskScoreKey, boolean>>): number {
  return RISK_SCORE_KEYS.reduce((bits, key, place) => (raised[key] ? bits | (1 << place) : bits), 0);
}

/** The bit of a risk signal by its name, as `device_risk`. Throws a RangeError for another name. */
export function signalBit(name: string): number {
  const place = SIGNAL_NAMES.indexOf(name);
  if (place < 0) throw new RangeError(`${name} is no risk signal`);
  return 1 << place;
}
