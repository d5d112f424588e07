import { mergeFindings } from '../automation/finding.ts';
import { headlessFindings } from '../automation/headless-findings.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const headlessBrowserDetected = {
  code: 'headless_browser_detected',
  family: 'device',
  describes: 'Browser without a window.',
  needs: 'user agent; client hints; window sizes; plugins; `window.chrome`; notification permission',
  limits: 'Certainty from one property: a background tab also has no outer size.',
  evaluate(facts) {
    const found = mergeFindings(headlessFindings(facts));
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'headless_browser_detected',
      family: 'device',
      group: 'automation',
      contributions: weigh({ deviceRisk: DEVICE_WEIGHTS.headlessBrowser }, confidence),
      bot: DEVICE_WEIGHTS.headlessBrowser * confidence,
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
