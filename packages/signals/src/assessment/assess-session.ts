import { noisyOr, roundScore } from '@vouchgraph/platform/noisy-or';
import { HISTORY_CODES, SIGNAL_CODES } from '../codes/signal-codes.ts';
import { combine, contributionsOf } from '../evidence/combine.ts';
import type { Evidence, HistoryCode, HistoryFacts, SessionFacts, SignalCode } from '../evidence/evidence.ts';
import { perRiskScore, type RiskScoreKey, SESSION_RISK_GROUPS } from '../evidence/risk-scores.ts';
import { FLAG_THRESHOLD, WEIGHTS_VERSION } from '../evidence/weights.ts';
import { type Calibration, calibrated, isApplied } from './calibration.ts';
import { type ReasonDetails, reasonDetails } from './reason-codes.ts';

export type SessionAssessment = {
  /** 0..1, four decimals, exactly 0 without evidence. */
  scores: Record<RiskScoreKey, number>;
  flags: Record<RiskScoreKey, boolean>;
  details: ReasonDetails;
  /** Likelihood of an automated client, 0..1. */
  bot: number;
  /** The ten scores as one number, 0..1. */
  riskSignals: number;
  weightsVersion: string;
  /** Version of the calibration that was applied; null for raw scores. */
  calibrationVersion: number | null;
};

/** Evaluates every code on a session's facts and scores the evidence. The same facts give the same result. */
export function assessSession(facts: SessionFacts): SessionAssessment {
  return assessEvidence(evidenceOfSession(facts));
}

/** Evidence of every code from a session's own facts. */
export function evidenceOfSession(facts: SessionFacts): Evidence[] {
  return SIGNAL_CODES.flatMap((code: SignalCode) => code.evaluate(facts) ?? []);
}

/** Evidence of every code from comparing a session with its history. */
export function evidenceOfHistory(facts: HistoryFacts): Evidence[] {
  return HISTORY_CODES.flatMap((code: HistoryCode) => code.evaluate(facts) ?? []);
}

/**
 * Scores evidence. A calibration maps each raw score by the labels of its project. A score without evidence is exactly
 * 0, and additional evidence never lowers a score.
 */
export function assessEvidence(
  evidence: readonly Evidence[],
  calibration: Calibration | null = null,
): SessionAssessment {
  const raw = perRiskScore((key) =>
    combine(contributionsOf(evidence, ({ contributions }) => contributions[key])),
  );
  const scores = perRiskScore((key) => roundScore(calibrated(calibration, key, raw[key])));
  const bot = combine(contributionsOf(evidence, (each) => each.bot));
  return {
    scores,
    flags: perRiskScore((key) => scores[key] >= FLAG_THRESHOLD),
    details: reasonDetails(evidence),
    bot: roundScore(calibrated(calibration, 'bot', bot)),
    riskSignals: overallRisk(raw, scores, calibration),
    weightsVersion: WEIGHTS_VERSION,
    calibrationVersion: isApplied(calibration) ? calibration.version : null,
  };
}

/** By a separate map if one exists, else from the shown scores. */
function overallRisk(
  raw: Record<RiskScoreKey, number>,
  scores: Record<RiskScoreKey, number>,
  calibration: Calibration | null,
): number {
  const hasMap = isApplied(calibration) && calibration.maps.riskSignals !== undefined;
  return hasMap ? roundScore(calibrated(calibration, 'riskSignals', sessionRisk(raw))) : sessionRisk(scores);
}

/** The scores combined to one number: noisy-or over the causes, each at the largest weight × score inside it. */
function sessionRisk(scores: Record<RiskScoreKey, number>): number {
  const groups = SESSION_RISK_GROUPS.map((group) =>
    Math.max(...group.map(({ key, weight }) => weight * scores[key])),
  );
  return roundScore(noisyOr(groups));
}
