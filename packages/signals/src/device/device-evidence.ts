import { type Finding, mergeFindings } from '../automation/finding.ts';
import { type CodeWeights, type Evidence, type EvidenceGroup, weigh } from '../evidence/evidence.ts';

/** Properties of a device code's evidence. */
export type DeviceCode = {
  code: string;
  group: EvidenceGroup;
  weights: CodeWeights;
};

/** The signs of a device code as its one observation; null without any. */
export function deviceEvidence(
  { code, group, weights }: DeviceCode,
  findings: readonly Finding[],
): Evidence | null {
  const found = mergeFindings(findings);
  if (!found) return null;
  const { confidence, source, observed } = found;
  return {
    code,
    family: 'device',
    group,
    ...weigh(weights, confidence),
    confidence,
    source,
    sourceAsOf: null,
    observed,
  };
}

/** A sign in the raw values of the page, or of another source. */
export function pageFinding(
  sign: string,
  confidence: number,
  observed: string,
  source = 'page_checks',
): Finding {
  return { sign, confidence, source, observed };
}
