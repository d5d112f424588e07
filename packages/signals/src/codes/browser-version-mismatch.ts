import { deviceEvidence } from '../device/device-evidence.ts';
import { versionFindings } from '../device/version-findings.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { BOT_WEIGHTS, DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const browserVersionMismatch = {
  code: 'browser_version_mismatch',
  family: 'device',
  describes:
    'Different browsers or versions in the user agent and in the client hints or the features of the ' +
    'engine.',
  needs: 'user agent; client hints; properties that are fixed per engine',
  limits: 'Fraud by itself. Apps send outdated user agents; one missing feature counts 0.35 times.',
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
