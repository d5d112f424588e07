import { clockFindings } from '../device/clock-findings.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const timezoneTampered = {
  code: 'timezone_tampered',
  family: 'device',
  describes: 'Contradiction between the name of the time zone and the offsets of the clock.',
  needs: 'name of the time zone; offsets of the clock at several dates (minutes)',
  limits:
    'Where the device is. A system with outdated time zone rules differs by up to an hour and does not count.',
  evaluate(facts) {
    return deviceEvidence(
      { code: 'timezone_tampered', group: 'tamper', weight: DEVICE_WEIGHTS.timezoneTampered },
      clockFindings(facts),
    );
  },
} satisfies SignalCode;
