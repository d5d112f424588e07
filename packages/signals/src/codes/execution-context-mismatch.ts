import { contextFindings } from '../device/context-findings.ts';
import { deviceEvidence } from '../device/device-evidence.ts';
import type { SignalCode } from '../evidence/evidence.ts';
import { DISGUISE_BOT_WEIGHT } from '../evidence/weights.ts';

const WEIGHTS = { deviceRisk: 0.7, bot: DISGUISE_BOT_WEIGHT } as const;

export const executionContextMismatch = {
  code: 'execution_context_mismatch',
  family: 'device',
  describes:
    'Different values in the page and in a worker or frame of the same browser. Scripts that disguise a ' +
    'browser often change only the page.',
  needs: 'values of the browser in the page, in a worker and in a frame',
  limits: 'Fraud by itself. Privacy extensions reduce the number of processors, which counts 0.25 times.',
  weights: WEIGHTS,
  evaluate(facts) {
    return deviceEvidence(
      {
        code: 'execution_context_mismatch',
        group: 'tamper',
        weights: WEIGHTS,
      },
      contextFindings(facts),
    );
  },
} satisfies SignalCode;
