import { shownFacts } from '@vouchgraph/events';
import { readOutcome } from '../../domain/outcomes/outcome-read-service.ts';
import { AccountOutcomeNode } from '../decisions/outcome.ts';
import { builder } from '../kernel/builder.ts';
import { asText } from '../kernel/stored-facts.ts';
import { liveNode } from './event.ts';
import { interfaceType } from './event-objects.ts';

builder.interfaceFields(interfaceType('AccountOutcomeChangedEvent'), (t) => ({
  reportedOutcome: t.field({
    type: AccountOutcomeNode,
    nullable: true,
    description: 'Outcome with its note. Null if it was retracted or erased, or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer }) => {
      const outcomeId = asText(shownFacts(viewer, event).outcomeId);
      return liveNode(outcomeId, (id) => readOutcome(viewer, id));
    },
  }),
}));
