import { RISK_SCORE_KEYS, type RiskScoreKey } from '@vouchgraph/signals';
import type { RuleOutcome } from '../demands.ts';

/*
 * Averages over an account's sessions with a half-life of 30 days. They are stored as decayed sums relative to the latest
 * session, so that a new session, or a new score of a session, is one addition:
 *
 *   weight = sum of 2^-((asOf - t_i) / 30 d),   sums[k] = sum of the same times score k of session i
 */
const HALF_LIFE_MS = 30 * 86_400_000;

/** The scores of one session: RISK_SCORE_KEYS in order, then `bot`, then the one number for all risk signals. */
export type ScoreVector = readonly number[];
const BOT = RISK_SCORE_KEYS.length;
const RISK = BOT + 1;
const LENGTH = RISK + 1;

export type Aggregates = {
  readonly asOf: number;
  readonly weight: number;
  readonly sums: readonly number[];
  /** Scores of the latest authenticated session. */
  readonly latest: ScoreVector;
  /** Evidence about the account's email at its last change; absent without an email. */
  readonly email?: KnownEmail;
  /** Rule outcomes of the latest session; absent for most accounts. */
  readonly ruleOutcome?: RuleOutcome;
};

export type KnownEmail = {
  /** Time when the address was first seen in the project, on any account, in milliseconds. */
  readonly firstSeen: number;
  /** Number of earlier sightings. */
  readonly sightings: number;
  /** Whether the domain accepts mail, by DNS. */
  readonly mailExchange: 'accepts' | 'none' | 'unknown';
  /** Mail host of a disposable email service; absent for other domains. */
  readonly throwawayHost?: string;
  /** Encrypted findings of providers about the address, in base64; absent without findings. */
  readonly findings?: string;
};

export const NO_AGGREGATES: Aggregates = {
  asOf: 0,
  weight: 0,
  sums: new Array(LENGTH).fill(0),
  latest: new Array(LENGTH).fill(0),
};

/** Scores of a session in the order of stored sums: the risk scores, then those of bots and of all signals. */
export function scoreVector(
  scores: Readonly<Record<RiskScoreKey, number>>,
  bot: number,
  risk: number,
): ScoreVector {
  return [...RISK_SCORE_KEYS.map((key) => scores[key]), bot, risk];
}

/** Parses stored aggregates, from JSON text or an object. Returns NO_AGGREGATES for an account without sessions. */
export function parseAggregates(stored: string | object | undefined): Aggregates {
  if (stored === undefined) throw new Error('the account was read without its aggregates');
  const value: Partial<Aggregates> = typeof stored === 'string' ? JSON.parse(stored) : stored;
  return value.sums ? (value as Aggregates) : NO_AGGREGATES;
}

/** Adds a session, or replaces its earlier scores `replaced`. */
export function addSession(
  aggregates: Aggregates,
  startTime: Date,
  scores: ScoreVector,
  replaced: ScoreVector | null,
): Aggregates {
  const asOf = Math.max(aggregates.asOf, startTime.getTime());
  const aged = aggregates.weight === 0 ? 0 : 2 ** -((asOf - aggregates.asOf) / HALF_LIFE_MS);
  const share = 2 ** -((asOf - startTime.getTime()) / HALF_LIFE_MS);
  return {
    asOf,
    weight: rounded(aggregates.weight * aged + (replaced ? 0 : share)),
    sums: aggregates.sums.map((sum, index) =>
      rounded(sum * aged + share * ((scores[index] ?? 0) - (replaced?.[index] ?? 0))),
    ),
    latest: scores,
  };
}

/**
 * To 8 decimals, which is half of the digits of a number, and which each session stores. The latest session has the share 1, so that
 * an average, which has 4 decimals, differs by at most 1e-8 for each session that it includes.
 */
function rounded(sum: number): number {
  return Math.round(sum * 1e8) / 1e8;
}

function average({ weight, sums }: Aggregates, index: number): number {
  return weight > 0 ? clampRound((sums[index] ?? 0) / weight) : 0;
}

/** Average of each risk signal over the sessions, 0 to 1. */
export function averageSignals(aggregates: Aggregates): Record<RiskScoreKey, number> {
  return Object.fromEntries(RISK_SCORE_KEYS.map((key, index) => [key, average(aggregates, index)])) as Record<
    RiskScoreKey,
    number
  >;
}

/** The larger of the latest session's bot score and the average. */
export function accountBot(aggregates: Aggregates): number {
  return Math.max(clampRound(aggregates.latest[BOT] ?? 0), average(aggregates, BOT));
}

/** The larger of the latest session's risk and the average. */
export function accountRisk(aggregates: Aggregates): number {
  return Math.max(clampRound(aggregates.latest[RISK] ?? 0), average(aggregates, RISK));
}

function clampRound(value: number): number {
  return Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000;
}
