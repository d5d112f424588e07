import { mergeFindings } from '../automation/finding.ts';
import { iosFindings } from '../automation/integrity-findings.ts';
import { phoneSystem } from '../automation/phone-system.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.85 } as const;

export const iosSimulatorOrJailbroken = {
  code: 'ios_simulator_or_jailbroken',
  family: 'device',
  describes: 'Simulator or jailbroken device of an iOS app.',
  needs: 'result of App Attest or DeviceCheck; indicators of the app; device model',
  limits: 'Fraud by itself. A device without support for App Attest counts less.',
  weights: WEIGHTS,
  evaluate(facts) {
    const found = phoneSystem(facts) === 'ios' ? mergeFindings(iosFindings(facts)) : null;
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'ios_simulator_or_jailbroken',
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
