import { contextFindings } from '../device/context-findings.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { BOT_WEIGHTS, DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const executionContextMismatch = {
  code: 'execution_context_mismatch',
  family: 'device',
  describes:
    'A disguise is put on the page and forgets its workers and frames, which show the actual browser.',
  needs: 'values of the browser in a worker and in a frame of the page',
  evaluate(facts) {
    return deviceEvidence(
      {
        code: 'execution_context_mismatch',
        group: 'tamper',
        weight: DEVICE_WEIGHTS.executionContextMismatch,
        bot: BOT_WEIGHTS.disguise,
      },
      contextFindings(facts),
    );
  },
} satisfies SignalCode;
