import { DECISIONS, type Decision, decideByScore, type Thresholds } from '../decisions/decide.ts';
import type { VerificationKind } from '../model/verification-kind.ts';
import { RISK_FLAGS, type RiskFlag } from '../signals/evidence/risk-flags.ts';
import { invalidSimulation } from './errors.ts';
import { FAILURES, type Failure } from './failure.ts';

/** What a simulated session ends with. */
export const SIMULATIONS = ['success', ...FAILURES] as const;

/** As asked for; what is not given is undefined or null. */
export type SimulationInput = {
  readonly simulate?: string | null | undefined;
  readonly decision?: string | null | undefined;
  readonly riskScore?: string | number | null | undefined;
  readonly riskFlags?: readonly string[] | null | undefined;
};

/** As stored with the session. */
export type Simulation = {
  readonly simulate: (typeof SIMULATIONS)[number];
  readonly decision: Decision | null;
  readonly riskScore: number | null;
  readonly riskFlags: readonly RiskFlag[] | null;
};

export type SimulatedOutcome =
  | { readonly failure: Failure }
  | {
      readonly failure: null;
      readonly decision: Decision;
      readonly riskScore: number;
      readonly riskFlags: readonly RiskFlag[];
    };

/** How long after its opening a simulated session ends. */
export const SIMULATED_SECONDS = 3;

const DEFAULT_SCORES: Readonly<Record<Decision, number>> = { Real: 0.1, Suspicious: 0.5, Fake: 0.9 };
const DEFAULT_FLAGS: Readonly<Record<VerificationKind, readonly RiskFlag[]>> = {
  id: ['likely_fake_id', 'low_id_face_match_score'],
  face: ['repeat_face'],
};

/** Checks what was asked for; null when nothing was. Throws `verification.invalid_simulated_session`. */
export function readSimulation(input: SimulationInput, isSandbox: boolean): Simulation | null {
  const given = (value: unknown) => value !== undefined && value !== null && value !== '';
  const details = [input.decision, input.riskScore, input.riskFlags].some(given);
  if (!given(input.simulate) && !details) return null;
  const simulate = SIMULATIONS.find((each) => each === input.simulate);
  if (!isSandbox || !simulate || (details && simulate !== 'success')) throw invalidSimulation('simulate');
  return {
    simulate,
    decision: given(input.decision) ? oneOf(DECISIONS, input.decision!, 'simulateDecision') : null,
    riskScore: given(input.riskScore) ? scoreOf(input.riskScore!) : null,
    riskFlags: given(input.riskFlags) ? flagsOf(input.riskFlags!) : null,
  };
}

function oneOf<T extends string>(values: readonly T[], value: string, field: string): T {
  const found = values.find((each) => each === value);
  if (!found) throw invalidSimulation(field);
  return found;
}

function scoreOf(value: string | number): number {
  // Number() takes '', ' 1' and '0x1', which are none.
  const isNumber = typeof value === 'number' || /^-?\d*\.?\d+(e-?\d+)?$/i.test(value);
  const score = isNumber ? Number(value) : Number.NaN;
  if (!(score >= 0 && score <= 1)) throw invalidSimulation('simulateRiskScore');
  return score;
}

function flagsOf(flags: readonly string[]): RiskFlag[] {
  return [...new Set(flags.map((flag) => oneOf(RISK_FLAGS, flag.trim(), 'simulateRiskFlags')))];
}

/** What a simulated session of a kind ends with: the values as they were sent, or their defaults. */
export function outcomeOf(
  { simulate, decision, riskScore, riskFlags }: Simulation,
  kind: VerificationKind,
  thresholds: Thresholds,
): SimulatedOutcome {
  if (simulate !== 'success') return { failure: simulate };
  if (decision === null && riskScore === null) {
    return { failure: null, decision: 'Fake', riskScore: 0.9, riskFlags: riskFlags ?? DEFAULT_FLAGS[kind] };
  }
  return {
    failure: null,
    decision: decision ?? decideByScore(riskScore!, thresholds),
    riskScore: riskScore ?? DEFAULT_SCORES[decision!],
    riskFlags: riskFlags ?? [],
  };
}
