import { roundScore } from '@vouchgraph/platform/noisy-or';
import { combine, contributionsOf, counts } from '../evidence/combine.ts';
import type { Evidence, SignalFamily } from '../evidence/evidence.ts';
import { RISK_SCORE_KEYS, scoreName } from '../evidence/risk-scores.ts';

/** One observation behind a reason code. */
export type ReasonObservation = {
  /** Its own contribution to each score, by the score's name on the interfaces (`device_risk`), and to `bot`. */
  contributions: Record<string, number>;
  confidence: number;
  source: string;
  sourceAsOf: string | null;
  observed: string;
};

/** Why a score is raised, as it is shown: a code with everything that was observed for it. */
export type ReasonCode = {
  code: string;
  /** Combined contribution of the observations to each score: the largest of each group, groups by noisy-or. */
  contributions: Record<string, number>;
  /** Highest confidence of an observation. */
  confidence: number;
  /** Sources of the observations, each once, separated by commas. */
  source: string;
  /** Date of the first source that has one. */
  sourceAsOf: string | null;
  /** Distinct observations, separated by semicolons. */
  observed: string;
  /** The observations one by one. */
  observations: ReasonObservation[];
};

export type ReasonDetails = { network: ReasonCode[]; device: ReasonCode[] };

/** Evidence that contributes to a score, and plain facts: each code once, in the order of the evidence. */
export function reasonDetails(evidence: readonly Evidence[]): ReasonDetails {
  return { network: reasonsOf(evidence, 'network'), device: reasonsOf(evidence, 'device') };
}

type Shown = { evidence: Evidence; observation: ReasonObservation };

function reasonsOf(evidence: readonly Evidence[], family: SignalFamily): ReasonCode[] {
  const shown = evidence
    .filter((each) => each.family === family)
    .map((each): Shown => ({ evidence: each, observation: observationOf(each) }))
    .filter(({ evidence: { factual }, observation }) => factual || hasAny(observation.contributions));
  return [...Map.groupBy(shown, (each) => each.evidence.code)].map(([code, found]) =>
    reasonOf(
      code,
      combinedContributions(found),
      found.map(({ observation }) => observation),
    ),
  );
}

function hasAny(contributions: Record<string, number>): boolean {
  return Object.keys(contributions).length > 0;
}

/** What evidence of one code adds to each score, as the score itself combines it. */
function combinedContributions(found: readonly Shown[]): Record<string, number> {
  if (found.length === 1) return found[0]!.observation.contributions;
  const evidence = found.map((each) => each.evidence);
  return contributionsBy((pick) => combine(contributionsOf(evidence, pick)));
}

/** Contribution to each score and to `bot`, of those that contribute. */
function contributionsBy(
  numberOf: (pick: (evidence: Evidence) => number | undefined) => number,
): Record<string, number> {
  const sums: [string, number][] = RISK_SCORE_KEYS.map((key) => [
    scoreName(key),
    numberOf(({ contributions }) => contributions[key]),
  ]);
  sums.push(['bot', numberOf(({ bot }) => bot)]);
  return Object.fromEntries(sums.filter(([, value]) => counts(value)));
}

function observationOf(evidence: Evidence): ReasonObservation {
  const { confidence, source, sourceAsOf, observed } = evidence;
  const contributions = contributionsBy((pick) => roundScore(Math.min(pick(evidence) ?? 0, 1)));
  return { contributions, confidence: roundScore(confidence), source, sourceAsOf, observed };
}

function reasonOf(
  code: string,
  contributions: Record<string, number>,
  observations: ReasonObservation[],
): ReasonCode {
  return {
    code,
    contributions,
    confidence: Math.max(...observations.map(({ confidence }) => confidence)),
    source: listed(
      observations.map(({ source }) => source),
      ', ',
    ),
    sourceAsOf: observations.find(({ sourceAsOf }) => sourceAsOf !== null)?.sourceAsOf ?? null,
    observed: listed(
      observations.map(({ observed }) => observed),
      '; ',
    ),
    observations,
  };
}

function listed(texts: readonly string[], separator: string): string {
  return [...new Set(texts)].join(separator);
}
