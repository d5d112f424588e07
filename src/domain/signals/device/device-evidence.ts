import { type Evidence, type EvidenceGroup, weigh } from '../evidence.ts';

const LONGEST_OBSERVED = 190;

/** Evidence of a device code for device_risk alone. */
export function deviceEvidence(told: {
  code: string;
  group: EvidenceGroup;
  weight: number;
  confidence: number;
  observed: string;
  source?: string;
}): Evidence {
  const { code, group, weight, confidence, source = 'page_checks' } = told;
  return {
    code,
    family: 'device',
    group,
    contributions: weigh({ deviceRisk: weight }, confidence),
    confidence,
    source,
    sourceAsOf: null,
    observed: told.observed.slice(0, LONGEST_OBSERVED),
  };
}
