import { clockFindings } from '../device/clock-findings.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const timezoneTampered = {
  code: 'timezone_tampered',
  family: 'device',
  describes: 'A time zone whose name and clock disagree was set by a script, to fit the address.',
  needs: "the time zone's name and the offsets of the device's clock",
  evaluate(facts) {
    return deviceEvidence(
      { code: 'timezone_tampered', group: 'tamper', weight: DEVICE_WEIGHTS.timezoneTampered },
      clockFindings(facts),
    );
  },
} satisfies SignalCode;
