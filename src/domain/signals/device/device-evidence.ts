import { type Finding, mergeFindings } from '../automation/finding.ts';
import { type Evidence, type EvidenceGroup, weigh } from '../evidence/evidence.ts';

/** What a device code says of what it finds. */
export type DeviceCode = {
  code: string;
  group: EvidenceGroup;
  /** What it adds to device_risk when it is sure. */
  weight: number;
  /** What it adds to the bot score then. */
  bot?: number;
};

/** The signs of a device code as its one observation; null without any. */
export function deviceEvidence(
  { code, group, weight, bot }: DeviceCode,
  findings: readonly Finding[],
): Evidence | null {
  const found = mergeFindings(findings);
  if (!found) return null;
  const { confidence, source, observed } = found;
  return {
    code,
    family: 'device',
    group,
    contributions: weigh({ deviceRisk: weight }, confidence),
    ...(bot === undefined ? {} : { bot: bot * confidence }),
    confidence,
    source,
    sourceAsOf: null,
    observed,
  };
}

/** A sign in the raw values of the page, or in what else is named as its source. */
export function pageFinding(
  sign: string,
  confidence: number,
  observed: string,
  source = 'page_checks',
): Finding {
  return { sign, confidence, source, observed };
}
