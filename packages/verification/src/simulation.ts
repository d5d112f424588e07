import {
  type Decision,
  decideByScore,
  decisionShape,
  type Thresholds,
  type VerificationKind,
} from '@vouchgraph/decisions';
import { betweenText } from '@vouchgraph/platform/wording';
import { RISK_FLAGS, type RiskFlag } from '@vouchgraph/signals';
import { z } from 'zod';
import { invalidSimulation } from './errors.ts';
import { FAILURES, type Failure } from './failure.ts';

/** Outcomes of a simulated session. */
export const SIMULATIONS = ['success', ...FAILURES] as const;
export const simulationShape = z.enum(SIMULATIONS);
export const riskFlagShape = z.enum(RISK_FLAGS);

/** Fields of the input of a verification session that simulate its outcome. */
export const simulationFields = {
  simulate: simulationShape
    .nullish()
    .describe('Simulated outcome. Sandbox projects only. No simulation by default.'),
  simulateDecision: decisionShape
    .nullish()
    .describe(
      'Decision of the simulated result. Requires simulate: SUCCESS. Determined by the score by default.',
    ),
  simulateRiskScore: z
    .number()
    .nullish()
    .describe(
      'Risk score of the simulated result, 0 to 1. Requires simulate: SUCCESS. Determined by the decision by default.',
    ),
  simulateRiskFlags: z
    .array(riskFlagShape)
    .nullish()
    .describe('Risk flags of the simulated result. Requires simulate: SUCCESS.'),
};
export type SimulationInput = z.output<z.ZodObject<typeof simulationFields>>;

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

/** The simulation of an input; null without one. Throws `verification.invalid_simulated_session`. */
export function readSimulation(
  { simulate, simulateDecision, simulateRiskScore, simulateRiskFlags }: SimulationInput,
  isSandbox: boolean,
): Simulation | null {
  const hasDetails = [simulateDecision, simulateRiskScore, simulateRiskFlags].some((each) => each != null);
  if (!simulate && !hasDetails) return null;
  if (!isSandbox) throw invalidSimulation('simulate', 'requires a sandbox project');
  if (!simulate || (hasDetails && simulate !== 'success'))
    throw invalidSimulation(
      'simulate',
      'must be success if a simulated decision, risk score or risk flags are sent',
    );
  if (simulateRiskScore != null && !(simulateRiskScore >= 0 && simulateRiskScore <= 1))
    throw invalidSimulation('simulateRiskScore', betweenText(0, 1));
  return {
    simulate,
    decision: simulateDecision ?? null,
    riskScore: simulateRiskScore ?? null,
    riskFlags: simulateRiskFlags ? [...new Set(simulateRiskFlags)] : null,
  };
}

/** Outcome of a simulated session of a kind: the sent values, or their defaults. */
export function simulatedOutcomeOf(
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
