import {
  approveShape,
  REVIEW_DECISIONS,
  type ReviewDecision,
  rejectShape,
  reviewReasonOf,
  withdrawalShape,
} from '@vouchgraph/verification';
import { assertMay } from '../../domain/projects/assert-may.ts';
import { LAST_REVIEW, type VerificationKey } from '../../domain/verification/find-verification-service.ts';
import { builder } from '../kernel/builder.ts';
import { byProperties } from '../kernel/collect-subjects.ts';
import {
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  rangeOf,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { valuesOf } from '../kernel/enum-values.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { readablePart, uuidOf } from '../kernel/node-loader.ts';
import { payloadType } from '../kernel/payload.ts';
import { VerificationNode } from './verification.ts';
import { byChangedVerification } from './verification-subjects.ts';

export const VerificationReviewDecision = builder.enumType('VerificationReviewDecision', {
  description: 'Decision of a reviewer on a completed check.',
  values: valuesOf(REVIEW_DECISIONS, {
    approved: 'Decision REAL, unless the account is on a block list.',
    rejected: 'Decision FAKE, even if the account is on an allow list.',
    cleared: 'Withdrawal of the previous review. Lists and score determine the decision again.',
  }),
});

export const VerificationReviewNode = builder.prismaNode('VerificationReview', {
  tokenScopes: 'never',
  subjects: byProperties,
  revealedBy: ({ sessionId }) => ({ verification: sessionId, accountOfVerification: sessionId }),
  description:
    'Decision of a reviewer on a completed check, or its withdrawal. Reviews are appended and never ' +
    'changed.',
  id: { resolve: ({ sessionId, position }) => `${sessionId}:${position}`, description: 'Global id.' },
  nullable: true,
  findUnique: (id, { viewer }) => {
    const { uuid: sessionId, number: position } = readablePart(viewer, 'verification.read_reviews', id);
    return { projectId_sessionId_position: { projectId: viewer.project.projectId, sessionId, position } };
  },
  fields: (t) => ({
    position: t.exposeInt('position', {
      description: 'Position among the reviews of the check, from 1. The last review applies.',
    }),
    reviewDecision: t.field({
      type: VerificationReviewDecision,
      description: 'Decision.',
      resolve: ({ decision }) => decision as ReviewDecision,
    }),
    reason: t.string({
      mask: 'text',
      nullable: true,
      description: 'Reason. Null if none.',
      resolve: (review, _args, { viewer }) => reviewReasonOf(viewer.project.cipher, review),
    }),
    actor: t.exposeString('actor', { mask: 'none', description: 'Author: the visible prefix of a key.' }),
    at: t.field({
      type: 'DateTime',
      description: 'Time of the review.',
      resolve: ({ createdAt }) => createdAt,
    }),
  }),
});

const VerificationReviewConnection = builder.connectionObject(
  { type: VerificationReviewNode, name: 'VerificationReviewConnection', description: 'Page of reviews.' },
  { name: 'VerificationReviewEdge', description: 'Review in a page.' },
);

async function reviewPage(sessionId: string, args: PageArgs, context: GraphQLContext) {
  const page = selectPage(args, ['reviews', sessionId], context);
  const rows = await context.loaders.reviews(rangeOf(page)).load(sessionId);
  return toConnection(rows, page, {
    context,
    position: ({ position }) => [position],
    edge: (node) => ({ node }),
    total: () => context.loaders.reviewCount.load(sessionId),
  });
}

builder.prismaObjectFields(VerificationNode, (t) => ({
  review: t.field({
    tokenScopes: 'never',
    type: VerificationReviewNode,
    nullable: true,
    description:
      'Review that applies and replaces the decision by the score. Null without a review, or if it was ' +
      'withdrawn.',
    select: LAST_REVIEW,
    resolve: ({ reviews: [last = null] }, _args, { viewer }) => {
      assertMay(viewer, 'verification.read_reviews');
      return last?.decision === 'cleared' ? null : last;
    },
  }),
  reviews: t.field({
    tokenScopes: 'never',
    type: VerificationReviewConnection,
    description: 'Reviews, the latest first, including withdrawn ones.',
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: ({ sessionId }, args, context) => reviewPage(sessionId, args, context),
  }),
}));

const ApproveVerificationInput = inputFrom(approveShape);
const RejectVerificationInput = inputFrom(rejectShape);
const ClearVerificationReviewInput = inputFrom(withdrawalShape);

type ReviewPayload = { verification: VerificationKey };

const reviewPayload = (name: string, description: string) =>
  payloadType<ReviewPayload>(name, description, { subjects: byChangedVerification }, (t) => ({
    verification: t.field({
      type: VerificationNode,
      description: 'Verification after the change.',
      resolve: (p) => p.verification,
    }),
  }));

const ApproveVerificationPayload = reviewPayload('ApproveVerificationPayload', 'Approved verification.');
const RejectVerificationPayload = reviewPayload('RejectVerificationPayload', 'Rejected verification.');
const ClearVerificationReviewPayload = reviewPayload(
  'ClearVerificationReviewPayload',
  'Verification after the withdrawal of its review.',
);

const ERRORS =
  'Errors: `auth.forbidden` (below the role operator), `verification.session_not_found`, ' +
  '`verification.session_not_started`, `verification.session_not_complete`, ' +
  '`verification.session_not_valid_for_this_endpoint` (also a result older than 30 days), ' +
  '`verification.liveness_check_failed`, `verification.id_scan_failed`, ' +
  '`verification.id_scan_not_complete`, `input.invalid`.';
const APPENDS =
  'Repeating the decision with the same reason changes nothing. Another decision or reason is appended, or with ' +
  '`replace: false` fails with `verification.already_reviewed`, which names decision, author and time of the review.';

type Asked = { id: string | number; reason?: string | null; replace?: boolean | null };

async function reviewed(decision: ReviewDecision, { id, reason, replace }: Asked, context: GraphQLContext) {
  const { viewer, requestId, services } = context;
  const sessionId = uuidOf('Verification', id);
  const input = { sessionId, decision, reason: reason ?? '', replaces: replace ?? true };
  return { requestId, verification: await services.verifications.review(viewer, requestId, input) };
}

builder.mutationFields((t) => ({
  approveVerification: t.field({
    isIdempotent: true,
    type: ApproveVerificationPayload,
    nullable: true,
    description:
      'Approves a completed check. Its decision is then REAL, unless its account is on a block list. ' +
      `rawDecision, score and flags do not change. ${APPENDS} ${ERRORS}`,
    authScopes: { may: 'verification.review' },
    args: {
      input: t.arg({ type: ApproveVerificationInput, required: true, description: 'Check to approve.' }),
    },
    resolve: (_root, { input }, context) => reviewed('approved', input, context),
  }),
  rejectVerification: t.field({
    isIdempotent: true,
    type: RejectVerificationPayload,
    nullable: true,
    description:
      'Rejects a completed check. Its decision is then FAKE, even if its account is on an allow list. ' +
      `rawDecision, score and flags do not change. ${APPENDS} ${ERRORS}`,
    authScopes: { may: 'verification.review' },
    args: {
      input: t.arg({ type: RejectVerificationInput, required: true, description: 'Check to reject.' }),
    },
    resolve: (_root, { input }, context) => reviewed('rejected', input, context),
  }),
  clearVerificationReview: t.field({
    isIdempotent: true,
    type: ClearVerificationReviewPayload,
    nullable: true,
    description:
      'Withdraws the review of a completed check. Lists and score determine its decision again. The ' +
      'history of reviews does not change. Without an applicable review the call changes nothing. ' +
      `${ERRORS}`,
    authScopes: { may: 'verification.review' },
    args: {
      input: t.arg({
        type: ClearVerificationReviewInput,
        required: true,
        description: 'Check whose review is withdrawn.',
      }),
    },
    resolve: (_root, { input }, context) => reviewed('cleared', input, context),
  }),
}));
