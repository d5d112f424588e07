import type { StoredEvent } from '../../domain/events/event.ts';
import { checkKindOf, shownData } from '../../domain/events/event-selection.ts';
import { FAILURES } from '../../domain/verification/failure.ts';
import { builder } from '../builder.ts';
import { shownVerification } from '../shown-verification.ts';
import { VerificationType } from '../verification.ts';
import { VerificationFailureType, VerificationKindType } from '../verification-enums.ts';
import { EventRef, eventObject, liveNode } from './event.ts';
import { readWord } from './stored-facts.ts';
import { VerificationResultSnapshot } from './verification-snapshot.ts';

export const VerificationEndedEvent = builder.interfaceRef<StoredEvent>('VerificationEndedEvent').implement({
  description: 'End of a verification session: with a result (VerificationCompletedEvent), or without one.',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    kind: t.field({
      type: VerificationKindType,
      description: 'Kind of the check.',
      resolve: (event) => checkKindOf(event)!,
    }),
    verification: t.field({
      type: VerificationType,
      nullable: true,
      description:
        'Current state of the verification session; null after its erasure, and when the viewer may not read it.',
      complexity: 5,
      resolve: async ({ sessionId }, _args, context) => {
        const found = await liveNode(sessionId, (id) => context.loaders.verification.load(id));
        return found ? shownVerification(found, context) : null;
      },
    }),
  }),
});

export const VerificationCompletedEvent = builder
  .interfaceRef<StoredEvent>('VerificationCompletedEvent')
  .implement({
    description: 'Completion of a check with a result.',
    interfaces: [VerificationEndedEvent, EventRef, builder.nodeInterfaceRef()],
    fields: (t) => ({
      result: t.field({
        type: VerificationResultSnapshot,
        description: 'Result at the completion.',
        resolve: (event, _args, { viewer }) => shownData(viewer, event),
      }),
    }),
  });

eventObject('verification.id_check.completed', [VerificationCompletedEvent, VerificationEndedEvent]);
eventObject('verification.face_check.completed', [VerificationCompletedEvent, VerificationEndedEvent]);

const VerificationFailedEvent = eventObject('verification.failed', [VerificationEndedEvent]);
builder.objectFields(VerificationFailedEvent, (t) => ({
  failure: t.field({
    type: VerificationFailureType,
    nullable: true,
    description:
      'Reason. Null when unknown; a reason of earlier versions that the enum lacks is only in data.',
    resolve: (event, _args, { viewer }) => readWord('error_message', FAILURES)(shownData(viewer, event)),
  }),
}));
