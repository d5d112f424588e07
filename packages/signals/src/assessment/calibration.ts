import { z } from 'zod';
import { RISK_SCORE_KEYS, type RiskScoreKey } from '../evidence/risk-scores.ts';
import { WEIGHTS_VERSION } from '../evidence/weights.ts';
import { applyKnots, fitIsotonic, type Knot, type LabeledScore } from './isotonic.ts';

/** Calibrated scores: each risk signal, the bot score, and the combined risk signals. */
export const CALIBRATED_SCORES = [...RISK_SCORE_KEYS, 'bot', 'riskSignals'] as const;
export type CalibratedScore = (typeof CALIBRATED_SCORES)[number];

/** A project's maps from raw to calibrated scores; a score without a map stays as it is. */
export type Calibration = {
  version: number;
  /** ISO 8601. */
  fittedAt: string;
  /** Version of the weights of the raw scores. With other weights the maps are not applied. */
  weightsVersion: string;
  labels: { positive: number; negative: number };
  maps: Partial<Record<CalibratedScore, Knot[]>>;
};

/** The raw scores of a labeled session. */
export type CalibrationSample = {
  scores: Record<RiskScoreKey, number>;
  bot: number;
  riskSignals: number;
  /** 1 for fraud. */
  label: 0 | 1;
};

/** How a score predicts the labels, before and after; measured on samples that its map was not fitted on. */
export type CalibrationReport = {
  score: CalibratedScore;
  /** Samples in which the score was not 0. */
  samples: number;
  /** Mean squared error (Brier), 0..1, smaller is better. */
  brierBefore: number;
  brierAfter: number;
  /** False: too few samples, or no better than the priors; the score stays as it is. */
  kept: boolean;
};

export type CalibrationFit = { calibration: Calibration; report: CalibrationReport[] };

const MIN_LABELS = 200;
const MIN_OF_EACH = 20;
/** More samples hardly improve the maps, and memory must be bounded. */
export const MAX_CALIBRATION_SAMPLES = 100_000;
const MIN_SCORED = 50;
const FOLDS = 5;

/** Fits a project's maps to labeled samples; `problem` is the reason why that is not possible. */
export function fitCalibration(
  samples: readonly CalibrationSample[],
  input: { version: number; fittedAt: Date; weightsVersion: string },
): CalibrationFit | { problem: string } {
  const positive = samples.filter(({ label }) => label === 1).length;
  const negative = samples.length - positive;
  if (samples.length < MIN_LABELS || Math.min(positive, negative) < MIN_OF_EACH) {
    return {
      problem:
        `Calibration needs ${MIN_LABELS} labeled accounts with sessions, at least ${MIN_OF_EACH} of fraud and ` +
        `${MIN_OF_EACH} honest; the project has ${samples.length}, ${positive} of fraud and ${negative} honest`,
    };
  }
  const report = CALIBRATED_SCORES.map((score) => examine(score, samples));
  const maps = Object.fromEntries(
    report.filter(({ kept }) => kept).map(({ score }) => [score, fitIsotonic(pointsOf(score, samples))]),
  ) as Calibration['maps'];
  const { version, fittedAt, weightsVersion } = input;
  return {
    calibration: {
      version,
      fittedAt: fittedAt.toISOString(),
      weightsVersion,
      labels: { positive, negative },
      maps,
    },
    report,
  };
}

function pointsOf(score: CalibratedScore, samples: readonly CalibrationSample[]): LabeledScore[] {
  return samples
    .map((sample) => ({ score: rawScore(sample, score), label: sample.label }))
    .filter((point) => point.score > 0);
}

function rawScore(sample: CalibrationSample, score: CalibratedScore): number {
  return score === 'bot' || score === 'riskSignals' ? sample[score] : sample.scores[score];
}

/** Keeps a map only where it predicts better than the raw score on samples that it has not seen. */
function examine(score: CalibratedScore, samples: readonly CalibrationSample[]): CalibrationReport {
  const points = pointsOf(score, samples);
  const before = brier(points, (raw) => raw);
  if (points.length < MIN_SCORED) {
    return { score, samples: points.length, brierBefore: before, brierAfter: before, kept: false };
  }
  const errors = Array.from({ length: FOLDS }, (_, fold) => {
    const knots = fitIsotonic(points.filter((_point, index) => index % FOLDS !== fold));
    const held = points.filter((_point, index) => index % FOLDS === fold);
    return brier(held, (raw) => applyKnots(knots, raw)) * held.length;
  });
  const after = errors.reduce((sum, error) => sum + error, 0) / points.length;
  return { score, samples: points.length, brierBefore: before, brierAfter: after, kept: after < before };
}

function brier(points: readonly LabeledScore[], predict: (raw: number) => number): number {
  if (points.length === 0) return 0;
  return points.reduce((sum, { score, label }) => sum + (predict(score) - label) ** 2, 0) / points.length;
}

/** The calibrated value of a raw score, 0..1; the raw one without a map for it, or with maps for other weights. */
export function calibrated(calibration: Calibration | null, score: CalibratedScore, raw: number): number {
  const knots = isApplied(calibration) ? calibration.maps[score] : undefined;
  return knots ? applyKnots(knots, raw) : raw;
}

/** Whether the maps were fitted on scores of the current weights. */
export function isApplied(calibration: Calibration | null): calibration is Calibration {
  return calibration !== null && calibration.weightsVersion === WEIGHTS_VERSION;
}

const share = z.number().min(0).max(1);
const knotsShape = z.array(z.object({ score: share, value: share })).refine((knots) =>
  knots.every(({ score, value }, index) => {
    const before = knots[index - 1];
    return !before || (score >= before.score && value >= before.value);
  }),
);
const calibrationShape = z.object({
  version: z.number().int(),
  fittedAt: z.string(),
  weightsVersion: z.string(),
  labels: z.object({ positive: z.number(), negative: z.number() }),
  maps: z.partialRecord(z.enum(CALIBRATED_SCORES), knotsShape),
});

/** A stored calibration; null for none, and for one whose maps are not monotone. */
export function parseCalibration(stored: unknown): Calibration | null {
  const parsed = calibrationShape.safeParse(stored);
  return parsed.success ? parsed.data : null;
}
