import type { StoredEvent } from '../../domain/events/event.ts';
import { shownFacts } from '../../domain/events/event-selection.ts';
import { OUTCOMES } from '../../domain/outcomes/outcome.ts';
import { readOutcome } from '../../domain/outcomes/outcome-read-service.ts';
import { builder } from '../builder.ts';
import { AccountOutcomeNode, OutcomeType } from '../outcome.ts';
import { EventRef, eventObject, liveNode } from './event.ts';
import { readText, readTime, readWord } from './stored-facts.ts';

/** Every event of its types has all of these facts. */
const AccountOutcomeChangedEvent = builder.interfaceRef<StoredEvent>('AccountOutcomeChangedEvent').implement({
  description:
    'Report of an outcome of an account, or its retraction. Does not contain the note of the outcome.',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    outcomeId: t.field({
      type: 'UUID',
      description: 'Id of the outcome.',
      resolve: (event, _args, { viewer }) => readText('outcomeId')(shownFacts(viewer, event))!,
    }),
    outcome: t.field({
      type: OutcomeType,
      description: 'Outcome.',
      resolve: (event, _args, { viewer }) => readWord('outcome', OUTCOMES)(shownFacts(viewer, event))!,
    }),
    at: t.field({
      type: 'DateTime',
      description: 'Time of the outcome, as reported. createdAt is the time of the report or retraction.',
      resolve: (event, _args, { viewer }) => readTime('at')(shownFacts(viewer, event))!,
    }),
    actor: t.string({
      description: 'Visible prefix of the key that reported or retracted the outcome.',
      resolve: (event, _args, { viewer }) => readText('actor')(shownFacts(viewer, event))!,
    }),
    reportedOutcome: t.field({
      type: AccountOutcomeNode,
      nullable: true,
      description:
        'Outcome with its note. Null if it was retracted or erased, or the viewer may not read it.',
      complexity: 3,
      resolve: (event, _args, { viewer }) => {
        const outcomeId = readText('outcomeId')(shownFacts(viewer, event));
        return liveNode(outcomeId, (id) => readOutcome(viewer, id));
      },
    }),
  }),
});

eventObject('account.outcome_reported', [AccountOutcomeChangedEvent]);
eventObject('account.outcome_retracted', [AccountOutcomeChangedEvent]);
