import type { NetworkFacts } from './network-intelligence.ts';
import type { RiskScoreKey } from './risk-scores.ts';
import type { UserAgentFacts } from './user-agent.ts';

export type SignalFamily = 'network' | 'device';

/** One observation that speaks for a risk. */
export type Evidence = {
  code: string;
  family: SignalFamily;
  /** Evidence of one group has one cause; only the strongest of a group counts towards a score. */
  group: string;
  /** What it adds to each score, 0..1: weight × confidence × freshness. */
  contributions: Partial<Record<RiskScoreKey, number>>;
  /** What it adds to the bot score, 0..1. */
  bot?: number;
  /** How surely the observation means what the code says, 0..1. */
  confidence: number;
  /** Where the observation comes from. */
  source: string;
  /** The date of that source, YYYY-MM-DD; null for what does not age. */
  sourceAsOf: string | null;
  /** What was observed, for a person to read. Never personal data. */
  observed: string;
  /** A plain fact is told at any strength. */
  factual?: boolean;
};

/** All that the codes look at. Text that is not known is '', numbers are null. */
export type SessionFacts = {
  startTime: Date;
  ip: string;
  network: NetworkFacts;
  userAgent: string;
  ua: UserAgentFacts;
  browser: {
    language: string;
    languages: string[];
    timezone: string;
    timezoneOffsetMinutes: number | null;
    platform: string;
  };
  carrier: { countryCode: string } | null;
};

/** One reason code. It looks at the facts alone, and says nothing when a fact that it needs is missing. */
export type SignalCode = {
  code: string;
  family: SignalFamily;
  /** Why it matters, in one sentence. */
  describes: string;
  evaluate(facts: SessionFacts): Evidence | null;
};

/** Contributions from what a code speaks for and how sure it is, each the product of the two. */
export function weigh(
  weights: Partial<Record<RiskScoreKey, number>>,
  confidence: number,
): Partial<Record<RiskScoreKey, number>> {
  const entries = Object.entries(weights).map(([key, weight]) => [key, weight * confidence]);
  return Object.fromEntries(entries) as Partial<Record<RiskScoreKey, number>>;
}
