import { deviceEvidence } from '../device/device-evidence.ts';
import { hardwareFindings } from '../device/hardware-rules.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const impossibleHardwareValues = {
  code: 'impossible_hardware_values',
  family: 'device',
  describes: 'Values that no device has are forged, and so may be the others.',
  needs: 'memory, processors, screen and pixel ratio',
  evaluate(facts) {
    return deviceEvidence(
      {
        code: 'impossible_hardware_values',
        group: 'tamper',
        weight: DEVICE_WEIGHTS.impossibleHardwareValues,
      },
      hardwareFindings(facts),
    );
  },
} satisfies SignalCode;
