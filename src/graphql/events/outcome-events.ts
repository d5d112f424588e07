import type { StoredEvent } from '../../domain/events/event.ts';
import { shownFacts } from '../../domain/events/event-selection.ts';
import { readOutcome } from '../../domain/outcomes/outcome-read-service.ts';
import { AccountOutcomeNode, OutcomeType } from '../decisions/outcome.ts';
import { builder } from '../kernel/builder.ts';
import { alwaysKnown, eventFacts, text, time, uuid, word } from '../kernel/fact-fields.ts';
import { asText } from '../kernel/stored-facts.ts';
import { EventRef, eventObject, liveNode } from './event.ts';

/** Every event of its types has all of these facts. */
const AccountOutcomeChangedEvent = builder.interfaceRef<StoredEvent>('AccountOutcomeChangedEvent').implement({
  description:
    'Report of an outcome of an account, or its retraction. Does not contain the note of the outcome.',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    ...eventFacts(t, {
      outcomeId: alwaysKnown(uuid('Id of the outcome.')),
      outcome: alwaysKnown(word(OutcomeType, 'Outcome.')),
      at: alwaysKnown(
        time('Time of the outcome, as reported. createdAt is the time of the report or retraction.'),
      ),
      actor: alwaysKnown(text('Visible prefix of the key that reported or retracted the outcome.')),
    }),
    reportedOutcome: t.field({
      type: AccountOutcomeNode,
      nullable: true,
      description:
        'Outcome with its note. Null if it was retracted or erased, or the viewer may not read it.',
      complexity: 3,
      resolve: (event, _args, { viewer }) => {
        const outcomeId = asText(shownFacts(viewer, event).outcomeId);
        return liveNode(outcomeId, (id) => readOutcome(viewer, id));
      },
    }),
  }),
});

eventObject('account.outcome_reported', [AccountOutcomeChangedEvent]);
eventObject('account.outcome_retracted', [AccountOutcomeChangedEvent]);
