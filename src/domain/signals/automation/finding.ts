import { noisyOr } from '../evidence/combine.ts';

/** One sign that a code rests on. */
export type Finding = {
  /** What kind of sign it is: two readings of the same sign count once. */
  sign: string;
  /** How surely it alone means what the code says, 0..1. */
  confidence: number;
  source: string;
  observed: string;
};

const MAX_OBSERVED_LENGTH = 190;

/**
 * The signs of one code as one observation: several weak signs of different kinds make it surer by noisy-or, so one
 * more never makes it less sure. Null without any.
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
