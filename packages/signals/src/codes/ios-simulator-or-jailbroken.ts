import { mergeFindings } from '../automation/finding.ts';
import { iosFindings } from '../automation/integrity-findings.ts';
import { phoneSystem } from '../automation/phone-system.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const iosSimulatorOrJailbroken = {
  code: 'ios_simulator_or_jailbroken',
  family: 'device',
  describes: 'Simulator or jailbroken device of an iOS app.',
  needs: 'result of App Attest or DeviceCheck; indicators of the app; device model',
  limits: 'Fraud by itself. A device without support for App Attest counts less.',
  evaluate(facts) {
    const found = phoneSystem(facts) === 'ios' ? mergeFindings(iosFindings(facts)) : null;
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'ios_simulator_or_jailbroken',
      family: 'device',
      group: 'integrity',
      contributions: weigh({ deviceRisk: DEVICE_WEIGHTS.iosSimulatorOrJailbroken }, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
