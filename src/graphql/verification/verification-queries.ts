import { invalidInput } from '@vouchgraph/platform/errors';
import { betweenText } from '@vouchgraph/platform/wording';
import { identityShape } from '@vouchgraph/verification';
import {
  PAGED_VERIFICATION_KEY,
  VERIFICATION_KEY,
} from '../../domain/verification/find-verification-service.ts';
import { builder } from '../kernel/builder.ts';
import { byProperties } from '../kernel/collect-subjects.ts';
import { MAX_COUNTED, PAGE_ARGS, pageCost, selectPage, toConnection } from '../kernel/connection.ts';
import { argsFrom } from '../kernel/input-from.ts';
import { selectedNodes } from '../kernel/nodes-query.ts';
import { DecisionType } from '../kernel/risk.ts';
import {
  VerificationKindType,
  VerificationReviewCondition,
  VerificationStateType,
} from '../kernel/verification-enums.ts';
import { VerificationNode } from './verification.ts';

const VerificationFilterInput = builder.inputType('VerificationFilter', {
  description: 'Conditions on verification sessions. A session must meet all of them.',
  fields: (t) => ({
    kind: t.field({ type: VerificationKindType, description: 'Kind of the check.' }),
    state: t.field({
      type: VerificationStateType,
      description: 'State. EXPIRED selects sessions that were not started or captured in time.',
    }),
    decision: t.field({ type: DecisionType, description: 'Decision by the score alone (rawDecision).' }),
    review: t.field({
      type: VerificationReviewCondition,
      description: 'Review that applies, or NONE. Requires the permission to read reviews.',
    }),
    minRiskScore: t.float({ description: 'Minimum riskScore of a completed check, 0 to 1.' }),
    accountId: t.id({
      description:
        'Id of the account that the session was created for or is bound to, assigned by the client.',
    }),
    createdAfter: t.field({ type: 'DateTime', description: 'Earliest creation time, inclusive.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Latest creation time, exclusive.' }),
  }),
});

const VerificationConnection = builder.connectionObject(
  { type: VerificationNode, name: 'VerificationConnection', description: 'Page of verification sessions.' },
  { name: 'VerificationEdge', description: 'Verification session in a page.' },
);

/** The ids name the subjects of a stored answer. */
type IdentityComparison = { isMatch: boolean; sessionId: string; accountId: string };

const IdentityMatch = builder.objectRef<IdentityComparison>('IdentityMatch').implement({
  tokenScopes: 'never',
  subjects: byProperties,
  description: 'Comparison of the face of a check with the enrolled face of an account.',
  fields: (t) => ({
    match: t.boolean({
      rest: { description: 'Whether both faces are of the same person.' },
      description:
        'Whether both faces are of the same person: the distance of their descriptors is below the ' +
        'limit of the setting faceMatching.',
      resolve: ({ isMatch }) => isMatch,
    }),
  }),
});

builder.queryFields((t) => ({
  verification: t.field({
    type: VerificationNode,
    nullable: true,
    description:
      'Verification session by its id, with its result for 30 days. Null if it does not exist or the ' +
      'viewer may not read it.',
    // The documented endpoints of REST need the role server.
    authScopes: (_root, _args, { isTrustedDocument }) => ({
      may: isTrustedDocument ? 'verification.verify' : 'verification.read',
    }),
    args: { sessionId: t.arg.id({ required: true, description: 'Id of the verification session.' }) },
    resolve: (_root, { sessionId }, context, info) =>
      context.loaders
        .verifications(selectedNodes(context, info, VERIFICATION_KEY, []))
        .load(String(sessionId)),
  }),
  verifications: t.field({
    type: VerificationConnection,
    nullable: true,
    description:
      'Verification sessions of the project, the newest first. Errors: `auth.forbidden` (browser tokens ' +
      'limited to a session, or to an account that the filter does not name), `input.invalid`.',
    authScopes: { may: 'verification.search' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      filter: t.arg({ type: VerificationFilterInput, description: 'Conditions on verification sessions.' }),
    },
    resolve: async (_root, args, context, info) => {
      const filter = args.filter ?? {};
      const { minRiskScore } = filter;
      if (minRiskScore != null && !(minRiskScore >= 0 && minRiskScore <= 1))
        throw invalidInput(`minRiskScore: ${betweenText(0, 1)}`, ['filter', 'minRiskScore']);
      const page = selectPage(args, ['verifications', filter], context);
      const { verifications } = context.services;
      const query = selectedNodes(context, info, PAGED_VERIFICATION_KEY);
      return toConnection(await verifications.search(context.viewer, filter, page, query), page, {
        context,
        position: ({ createdAt, sessionId }) => [createdAt.toISOString(), sessionId],
        edge: (node) => ({ node }),
        total: () => verifications.count(context.viewer, filter, MAX_COUNTED + 1),
      });
    },
  }),
  identityMatch: t.field({
    type: IdentityMatch,
    nullable: true,
    description:
      'Comparison of the face of a completed face check with the enrolled face of an account. ' +
      'Stale face templates are recomputed from stored images first, and stored. Errors: ' +
      '`verification.session_not_found`, `verification.session_not_started`, ' +
      '`verification.session_not_valid_for_this_endpoint`, `verification.session_not_complete`, ' +
      '`verification.liveness_check_failed`, `verification.account_not_found`, ' +
      '`verification.account_not_enrolled`.',
    authScopes: { may: 'verification.verify' },
    args: argsFrom(identityShape),
    resolve: async (_root, { accountId, sessionId }, { viewer, services }) => {
      const isMatch = await services.verifications.verifyIdentity(viewer, sessionId, accountId);
      return { isMatch, sessionId: sessionId.toLowerCase(), accountId };
    },
  }),
}));
