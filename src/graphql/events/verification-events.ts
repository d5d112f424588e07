import type { GraphQLResolveInfo } from 'graphql';
import type { StoredEvent } from '../../domain/events/event.ts';
import { checkKindOf, shownFacts } from '../../domain/events/event-selection.ts';
import {
  VERIFICATION_KEY,
  type VerificationKey,
} from '../../domain/verification/find-verification-service.ts';
import { readReview } from '../../domain/verification/review/review-service.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { alwaysKnown, eventFacts, int, text, word } from '../kernel/fact-fields.ts';
import { selectedNodes } from '../kernel/nodes-query.ts';
import { asNumber } from '../kernel/stored-facts.ts';
import { VerificationFailureType, VerificationKindType } from '../kernel/verification-enums.ts';
import { VerificationNode } from '../verification/verification.ts';
import { VerificationReviewDecision, VerificationReviewNode } from '../verification/verification-review.ts';
import { EventRef, eventObject, liveNode, unlessForbidden } from './event.ts';
import { VerificationResultSnapshot } from './verification-snapshot.ts';

/** Current state of the verification that an event is about. */
function verificationOf(
  { sessionId }: StoredEvent,
  _args: object,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Promise<VerificationKey | null> {
  const query = selectedNodes(context, info, VERIFICATION_KEY, []);
  return liveNode(sessionId, (id) => context.loaders.verifications(query).load(id));
}

export const VerificationEndedEvent = builder.interfaceRef<StoredEvent>('VerificationEndedEvent').implement({
  description: 'End of a verification session, with a result (VerificationCompletedEvent) or without one.',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    kind: t.field({
      type: VerificationKindType,
      description: 'Kind of the check.',
      resolve: (event) => checkKindOf(event)!,
    }),
    verification: t.field({
      type: VerificationNode,
      nullable: true,
      description:
        'Current state of the verification session. Null if it was erased or the viewer may not read it.',
      complexity: 5,
      resolve: verificationOf,
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
        resolve: (event, _args, { viewer }) => shownFacts(viewer, event),
      }),
    }),
  });

eventObject('verification.id_check.completed', [VerificationCompletedEvent, VerificationEndedEvent]);
eventObject('verification.face_check.completed', [VerificationCompletedEvent, VerificationEndedEvent]);

const VerificationFailedEvent = eventObject('verification.failed', [VerificationEndedEvent]);
builder.objectFields(VerificationFailedEvent, (t) => ({
  ...eventFacts(t, {
    failure: word(VerificationFailureType, 'Reason.', {
      from: 'errorMessage',
    }),
  }),
}));

/** Every event of the type has all of these facts. */
const VerificationReviewedEvent = eventObject('verification.reviewed');
builder.objectFields(VerificationReviewedEvent, (t) => ({
  kind: t.field({
    type: VerificationKindType,
    description: 'Kind of the check.',
    resolve: (event) => checkKindOf(event)!,
  }),
  ...eventFacts(t, {
    position: alwaysKnown(int('Position among the reviews of the check, from 1.')),
    reviewDecision: alwaysKnown(word(VerificationReviewDecision, 'Decision of the reviewer.')),
    reason: text('Reason from the reviewer.', { nulls: 'Null if none.' }),
    actor: alwaysKnown(text('Author: the visible prefix of a key.')),
  }),
  review: t.field({
    type: VerificationReviewNode,
    nullable: true,
    description: 'Review. Null if its verification was erased or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer }) => {
      const position = asNumber(shownFacts(viewer, event).position)!;
      return unlessForbidden(event.sessionId, (id) => readReview(viewer, id, position));
    },
  }),
  verification: t.field({
    type: VerificationNode,
    nullable: true,
    description:
      'Current state of the verification session. Null if it was erased or the viewer may not read it.',
    complexity: 5,
    resolve: verificationOf,
  }),
}));
