import { noisyOr } from '@vouchgraph/platform/noisy-or';

/** One sign that supports a code. */
export type Finding = {
  /** Kind of the sign: two readings of the same sign count once. */
  sign: string;
  /** Confidence of this sign alone, 0..1. */
  confidence: number;
  source: string;
  observed: string;
};

const MAX_OBSERVED_LENGTH = 190;

/**
 * The signs of one code as one observation. Signs of different kinds are combined by noisy-or, so that another sign
 * never lowers the confidence. Null without any.
 */
export function mergeFindings(findings: readonly Finding[]): Finding | null {
  const bySign = new Map<string, Finding>();
  for (const finding of findings.toSorted((one, other) => other.confidence - one.confidence)) {
    if (!bySign.has(finding.sign)) bySign.set(finding.sign, finding);
  }
  const [strongest, ...others] = bySign.values();
  if (!strongest) return null;
  const all = [strongest, ...others];
  return {
    ...strongest,
    confidence: noisyOr(all.map(({ confidence }) => confidence)),
    observed: all
      .map(({ observed }) => observed)
      .join('; ')
      .slice(0, MAX_OBSERVED_LENGTH),
  };
}
