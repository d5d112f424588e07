import { mergeFindings } from '../automation/finding.ts';
import { appFindings } from '../automation/integrity-findings.ts';
import { phoneSystem } from '../automation/phone-system.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const appIntegrityFailed = {
  code: 'app_integrity_failed',
  family: 'device',
  describes: 'An app that was changed, or that something has hooked into, sends what its attacker wants.',
  needs: 'the signature, hooks and debuggers that the app found, the app verdict of Play Integrity',
  evaluate(facts) {
    const found = phoneSystem(facts) !== null ? mergeFindings(appFindings(facts)) : null;
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'app_integrity_failed',
      family: 'device',
      group: 'integrity',
      contributions: weigh({ deviceRisk: DEVICE_WEIGHTS.appIntegrityFailed }, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
