import { mergeFindings } from '../automation/finding.ts';
import { interactionFindings } from '../automation/interaction-findings.ts';
import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { BOT_WEIGHTS, DEVICE_WEIGHTS } from '../evidence/weights.ts';

export const noHumanInteraction = {
  code: 'no_human_interaction',
  family: 'device',
  describes:
    'Forms that nobody moved, clicked or typed in, or that were typed like clockwork, were filled by a program.',
  needs: 'counts of events, whether a form was completed, times between keys, pasted fields',
  evaluate(facts) {
    const found = mergeFindings(interactionFindings(facts));
    if (!found) return null;
    const { confidence, source, observed } = found;
    return {
      code: 'no_human_interaction',
      family: 'device',
      group: 'behavior',
      contributions: weigh({ deviceRisk: DEVICE_WEIGHTS.noHumanInteraction }, confidence),
      bot: BOT_WEIGHTS.noHumanInteraction * confidence,
      confidence,
      source,
      sourceAsOf: null,
      observed,
    };
  },
} satisfies SignalCode;
