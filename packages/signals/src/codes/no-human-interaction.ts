import { mergeFindings } from '../automation/finding.ts';
import { interactionFindings } from '../automation/interaction-findings.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';

const WEIGHTS = { deviceRisk: 0.5, bot: 0.6 } as const;

export const noHumanInteraction = {
  code: 'no_human_interaction',
  family: 'device',
  describes:
    'Form completed without mouse, touch or keyboard events, or events with the regularity of a program.',
  needs: 'counts of events; completed forms; time between keys (ms); pasted fields',
  limits:
    'A bot in every case: password managers paste, and speech control clicks without a mouse. These count less.',
  weights: WEIGHTS,
  evaluate(facts) {
    const found = mergeFindings(interactionFindings(facts));
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'no_human_interaction',
      family: 'device',
      group: 'behavior',
      ...weigh(WEIGHTS, confidence),
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
