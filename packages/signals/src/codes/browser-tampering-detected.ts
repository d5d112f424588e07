import { deviceEvidence } from '../device/device-evidence.ts';
import { tamperingFindings } from '../device/tampered-members.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DISGUISE_BOT_WEIGHT } from '../evidence/weights.ts';

const WEIGHTS = { deviceRisk: 0.75, bot: DISGUISE_BOT_WEIGHT } as const;

export const browserTamperingDetected = {
  code: 'browser_tampering_detected',
  family: 'device',
  describes:
    'Script or extension that replaced built-in functions of the page, which report facts about the ' +
    'browser.',
  needs: 'built-in functions of the page',
  limits:
    'Fraud by itself. Privacy extensions replace functions for drawing and permissions, which count less.',
  weights: WEIGHTS,
  evaluate({ checks }) {
    if (!checks) return null;
    return deviceEvidence(
      {
        code: 'browser_tampering_detected',
        group: 'tamper',
        weights: WEIGHTS,
      },
      tamperingFindings(checks),
    );
  },
} satisfies SignalCode;
