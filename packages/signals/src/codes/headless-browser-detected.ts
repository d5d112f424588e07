import { mergeFindings } from '../automation/finding.ts';
import { headlessFindings } from '../automation/headless-findings.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.85, bot: 0.85 } as const;

export const headlessBrowserDetected = {
  code: 'headless_browser_detected',
  family: 'device',
  describes: 'Browser without a window.',
  needs: 'user agent; client hints; window sizes; plugins; `window.chrome`; notification permission',
  limits: 'Certainty from one property: a background tab also has no outer size.',
  weights: WEIGHTS,
  evaluate(facts) {
    const found = mergeFindings(headlessFindings(facts));
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'headless_browser_detected',
      family: 'device',
      group: 'automation',
      ...weigh(WEIGHTS, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
