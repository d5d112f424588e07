import { deviceClassFindings } from '../device/device-class-rules.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.45 } as const;

export const deviceClassMismatch = {
  code: 'device_class_mismatch',
  family: 'device',
  describes: 'Phone or tablet in the user agent with the hardware of a computer, or the reverse.',
  needs: 'user agent; touch points; pointer and hover; screen size; mobile client hint',
  limits: 'Fraud by itself: phones can have a mouse, and phone apps run on Macs, which count less.',
  weights: WEIGHTS,
  evaluate(facts) {
    return deviceEvidence(
      { code: 'device_class_mismatch', group: 'tamper', weights: WEIGHTS },
      deviceClassFindings(facts),
    );
  },
} satisfies SignalCode;
