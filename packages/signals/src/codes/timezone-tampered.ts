import { clockFindings } from '../device/clock-findings.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.6 } as const;

export const timezoneTampered = {
  code: 'timezone_tampered',
  family: 'device',
  describes: 'Contradiction between the name of the time zone and the offsets of the clock.',
  needs: 'name of the time zone; offsets of the clock at several dates (minutes)',
  limits:
    'Where the device is. A system with outdated time zone rules differs by up to an hour and does not count.',
  weights: WEIGHTS,
  evaluate(facts) {
    return deviceEvidence(
      { code: 'timezone_tampered', group: 'tamper', weights: WEIGHTS },
      clockFindings(facts),
    );
  },
} satisfies SignalCode;
