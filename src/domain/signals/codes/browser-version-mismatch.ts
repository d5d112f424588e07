import { deviceEvidence } from '../device/device-evidence.ts';
import { versionFindings } from '../device/version-findings.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { BOT_WEIGHTS, DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const browserVersionMismatch = {
  code: 'browser_version_mismatch',
  family: 'device',
  describes: 'A browser that is another one, or another version, than it says has been disguised.',
  needs: 'the user agent, the client hints, and values that each engine fixes',
  evaluate(facts) {
    return deviceEvidence(
      {
        code: 'browser_version_mismatch',
        group: 'tamper',
        weight: DEVICE_WEIGHTS.browserVersionMismatch,
        bot: BOT_WEIGHTS.disguise,
      },
      versionFindings(facts),
    );
  },
} satisfies SignalCode;
