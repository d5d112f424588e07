import { mergeFindings } from '../automation/finding.ts';
import { appFindings } from '../automation/integrity-findings.ts';
import { phoneSystem } from '../automation/phone-system.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.9 } as const;

export const appIntegrityFailed = {
  code: 'app_integrity_failed',
  family: 'device',
  describes: 'Modified app, or app that another program hooks into or debugs.',
  needs: 'signature, hooks and debuggers found by the app; app verdict of Play Integrity',
  limits: 'Fraud by itself: an app installed from outside the store counts 0.3 times.',
  weights: WEIGHTS,
  evaluate(facts) {
    const found = phoneSystem(facts) !== null ? mergeFindings(appFindings(facts)) : null;
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'app_integrity_failed',
      family: 'device',
      group: 'integrity',
      ...weigh(WEIGHTS, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
