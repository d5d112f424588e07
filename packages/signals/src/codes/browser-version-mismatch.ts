import { deviceEvidence } from '../device/device-evidence.ts';
import { versionFindings } from '../device/version-findings.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DISGUISE_BOT_WEIGHT } from '../evidence/weights.ts';

const WEIGHTS = { deviceRisk: 0.55, bot: DISGUISE_BOT_WEIGHT } as const;

export const browserVersionMismatch = {
  code: 'browser_version_mismatch',
  family: 'device',
  describes:
    'Different browsers or versions in the user agent and in the client hints or the features of the ' +
    'engine.',
  needs: 'user agent; client hints; properties that are fixed per engine',
  limits: 'Fraud by itself. Apps send outdated user agents; one missing feature counts 0.35 times.',
  weights: WEIGHTS,
  evaluate(facts) {
    return deviceEvidence(
      {
        code: 'browser_version_mismatch',
        group: 'tamper',
        weights: WEIGHTS,
      },
      versionFindings(facts),
    );
  },
} satisfies SignalCode;
