import { mergeFindings } from '../automation/finding.ts';
import { androidFindings } from '../automation/integrity-findings.ts';
import { phoneSystem } from '../automation/phone-system.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.85 } as const;

export const androidEmulatorOrRooted = {
  code: 'android_emulator_or_rooted',
  family: 'device',
  describes: 'Emulator or rooted device of an Android app.',
  needs: 'verdict of Play Integrity; indicators of the app; device model',
  limits: 'Fraud by itself. Some owners root their device or install another system, which counts less.',
  weights: WEIGHTS,
  evaluate(facts) {
    const found = phoneSystem(facts) === 'android' ? mergeFindings(androidFindings(facts)) : null;
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'android_emulator_or_rooted',
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
