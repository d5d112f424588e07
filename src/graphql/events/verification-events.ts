import { checkKindOf, type StoredEvent, shownFacts } from '@vouchgraph/events';
import type { GraphQLResolveInfo } from 'graphql';
import {
  VERIFICATION_KEY,
  type VerificationKey,
} from '../../domain/verification/find-verification-service.ts';
import { readReview } from '../../domain/verification/review/review-service.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { selectedNodes } from '../kernel/nodes-query.ts';
import { asNumber } from '../kernel/stored-facts.ts';
import { VerificationKindType } from '../kernel/verification-enums.ts';
import { VerificationNode } from '../verification/verification.ts';
import { VerificationReviewNode } from '../verification/verification-review.ts';
import { liveNode, unlessForbidden } from './event.ts';
import { interfaceType, objectType } from './event-objects.ts';
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

/** Every event of its types has a kind. */
const KIND = {
  type: VerificationKindType,
  description: 'Kind of the check.',
  resolve: (event: StoredEvent) => checkKindOf(event)!,
} as const;

const VERIFICATION = {
  type: VerificationNode,
  nullable: true,
  description:
    'Current state of the verification session. Null if it was erased or the viewer may not read it.',
  complexity: 5,
  resolve: verificationOf,
} as const;

export const VerificationEndedEvent = interfaceType('VerificationEndedEvent');
builder.interfaceFields(VerificationEndedEvent, (t) => ({
  kind: t.field(KIND),
  verification: t.field(VERIFICATION),
}));

export const VerificationCompletedEvent = interfaceType('VerificationCompletedEvent');
builder.interfaceFields(VerificationCompletedEvent, (t) => ({
  result: t.field({
    type: VerificationResultSnapshot,
    description: 'Result at the completion.',
    resolve: (event, _args, { viewer }) => shownFacts(viewer, event),
  }),
}));

builder.objectFields(objectType('verification.reviewed'), (t) => ({
  kind: t.field(KIND),
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
  verification: t.field(VERIFICATION),
}));
