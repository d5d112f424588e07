import { mergeFindings } from '../automation/finding.ts';
import { androidFindings } from '../automation/integrity-findings.ts';
import { phoneSystem } from '../automation/phone-system.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const androidEmulatorOrRooted = {
  code: 'android_emulator_or_rooted',
  family: 'device',
  describes:
    'On an emulator or a rooted phone an app can be made to see anything, and one person can be a thousand.',
  needs: 'the verdict of Play Integrity, signs of root and emulators that the app found, the model',
  evaluate(facts) {
    const found = phoneSystem(facts) === 'android' ? mergeFindings(androidFindings(facts)) : null;
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'android_emulator_or_rooted',
      family: 'device',
      group: 'integrity',
      contributions: weigh({ deviceRisk: DEVICE_WEIGHTS.androidEmulatorOrRooted }, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
