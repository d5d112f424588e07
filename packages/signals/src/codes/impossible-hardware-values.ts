import { deviceEvidence } from '../device/device-evidence.ts';
import { hardwareFindings } from '../device/hardware-rules.ts';
import type { SignalCode } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.5 } as const;

export const impossibleHardwareValues = {
  code: 'impossible_hardware_values',
  family: 'device',
  describes: 'Memory, processors, screen size or pixel ratio outside the range of real devices.',
  needs: 'memory; processors; screen; pixel ratio; touch points',
  limits: 'Which other values are forged.',
  weights: WEIGHTS,
  evaluate(facts) {
    return deviceEvidence(
      {
        code: 'impossible_hardware_values',
        group: 'tamper',
        weights: WEIGHTS,
      },
      hardwareFindings(facts),
    );
  },
} satisfies SignalCode;
