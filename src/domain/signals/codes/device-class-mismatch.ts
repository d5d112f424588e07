import { deviceClassFindings } from '../device/device-class-rules.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const deviceClassMismatch = {
  code: 'device_class_mismatch',
  family: 'device',
  describes: 'A computer that calls itself a phone, or the other way round, has been disguised.',
  needs: 'the user agent, touch points, pointer and hover, the mobile client hint',
  evaluate(facts) {
    return deviceEvidence(
      { code: 'device_class_mismatch', group: 'tamper', weight: DEVICE_WEIGHTS.deviceClassMismatch },
      deviceClassFindings(facts),
    );
  },
} satisfies SignalCode;
