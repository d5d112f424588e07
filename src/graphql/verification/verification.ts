import type { VerificationKind } from '@vouchgraph/decisions';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Failure } from '@vouchgraph/verification';
import type { ChallengeStep } from '@vouchgraph/vision';
import { isWithin } from '../../domain/projects/assert-may.ts';
import {
  ACCOUNT_COLUMNS,
  RETAKE_COLUMNS,
  STANDING_COLUMNS,
  STATE_COLUMNS,
  VERIFICATION_KEY,
} from '../../domain/verification/find-verification-service.ts';
import {
  accountOf,
  pendingRetake,
  resultErrorOf,
  stateOf,
} from '../../domain/verification/verification-record.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { readableUuid } from '../kernel/node-loader.ts';
import {
  ChallengeStepType,
  VerificationFailureType,
  VerificationKindType,
  VerificationResultErrorType,
  VerificationStateType,
} from '../kernel/verification-enums.ts';
import { SessionRef } from '../sessions/session.ts';
import { VerificationRetakeType } from './verification-retake.ts';
import { byVerification } from './verification-subjects.ts';

/** The id by which a viewer reads a verification: one of no verification for one that it may not read. */
async function readableId(context: GraphQLContext, id: string): Promise<string> {
  const { viewer, loaders } = context;
  const sessionId = readableUuid(viewer, 'verification.read', id);
  if (viewer.kind !== 'browser_token' || sessionId === NIL_UUID) return sessionId;
  return (await loaders.verifications({ select: VERIFICATION_KEY }).load(sessionId)) ? sessionId : NIL_UUID;
}

export const VerificationNode = builder.prismaNode('VerificationSession', {
  name: 'Verification',
  tokenScopes: ['VERIFICATION_RESULT'],
  subjects: byVerification,
  revealedBy: ({ sessionId }) => ({ verification: sessionId, accountOfVerification: sessionId }),
  description:
    'Check of a face, or of a face and a document: its session and its result. listNames, ruleNames and ' +
    'accountMatches have their current values.',
  select: VERIFICATION_KEY,
  id: {
    tokenScopes: ['VERIFICATION_STATE', 'VERIFICATION_RESULT', 'DOCUMENT'],
    resolve: ({ sessionId }) => sessionId,
    description: 'Global id.',
  },
  nullable: true,
  findUnique: async (sessionId, context) => ({
    projectId_sessionId: {
      projectId: context.viewer.project.projectId,
      sessionId: await readableId(context, sessionId),
    },
  }),
  fields: (t) => ({
    sessionId: t.field({
      tokenScopes: ['VERIFICATION_STATE', 'VERIFICATION_RESULT', 'DOCUMENT'],
      type: 'UUID',
      description: 'Id of the verification session, and of the session that its page collects.',
      resolve: ({ sessionId }) => sessionId,
    }),
    kind: t.field({
      tokenScopes: ['VERIFICATION_STATE', 'VERIFICATION_RESULT', 'DOCUMENT'],
      type: VerificationKindType,
      description: 'Kind of the check.',
      select: { kind: true },
      resolve: ({ kind }) => kind as VerificationKind,
    }),
    state: t.field({
      tokenScopes: ['VERIFICATION_STATE'],
      type: VerificationStateType,
      description: 'State.',
      select: STATE_COLUMNS,
      resolve: (record, _args, { services }) => stateOf(record, services.clock.now()),
    }),
    retake: t.field({
      tokenScopes: ['VERIFICATION_STATE'],
      type: VerificationRetakeType,
      nullable: true,
      description:
        'Request to capture the document again, because its images could not be assessed. Null unless ' +
        'the session waits for new images of the document. Face, consent and turns of the head are not ' +
        'captured again.',
      select: RETAKE_COLUMNS,
      resolve: (record, _args, { services }) => pendingRetake(record, services.clock.now()),
    }),
    failure: t.field({
      tokenScopes: ['VERIFICATION_STATE'],
      type: VerificationFailureType,
      nullable: true,
      description: 'Reason of the failure. Null unless the state is FAILED.',
      select: { failure: true },
      resolve: ({ failure }) => (failure || null) as Failure | null,
    }),
    resultError: t.field({
      tokenScopes: ['VERIFICATION_STATE'],
      type: VerificationResultErrorType,
      nullable: true,
      description:
        'Reason why decision and the other fields of the result are null. Null if there is a result.',
      select: STANDING_COLUMNS,
      resolve: (record, _args, { services }) => {
        const error = resultErrorOf(record, services.clock.now());
        return error === 'session_older_than_30_days' ? 'session_not_valid_for_this_endpoint' : error;
      },
    }),
    challenge: t.field({
      tokenScopes: ['VERIFICATION_STATE'],
      type: [ChallengeStepType],
      description: 'Requested turns of the head, in order.',
      select: { challenge: true },
      resolve: ({ challenge }) => challenge as ChallengeStep[],
    }),
    simulated: t.boolean({
      tokenScopes: ['VERIFICATION_STATE'],
      description: 'Whether the outcome was specified at the creation, in a sandbox project.',
      select: { simulation: true },
      resolve: ({ simulation }) => simulation !== null,
    }),
  }),
});

/** Account and session of the verification. */
builder.prismaObjectFields(VerificationNode, (t) => ({
  accountId: t.id({
    tokenScopes: ['VERIFICATION_STATE'],
    namesAccount: true,
    rest: { unknown: 'null' },
    nullable: true,
    description:
      'Id of the account that the session was created for or is bound to, assigned by the client. The ' +
      'account may not exist yet. Null if none.',
    select: { boundAccount: ACCOUNT_COLUMNS.boundAccount },
    resolve: ({ accountId, boundAccount }) => accountId ?? boundAccount?.accountId ?? null,
  }),
  account: t.field({
    tokenScopes: ['ACCOUNT'],
    namesAccount: true,
    type: AccountRef,
    nullable: true,
    description:
      'Account that the session was created for or is bound to. Null if none. Null for browser tokens ' +
      'limited to a session.',
    select: ACCOUNT_COLUMNS,
    resolve: (record, _args, { viewer, loaders }) => {
      const found = accountOf(record);
      return found && isWithin(viewer, { accountId: found.accountId })
        ? loaders.account.load(found.id)
        : null;
    },
  }),
  referringSessionId: t.field({
    tokenScopes: ['VERIFICATION_STATE'],
    type: 'UUID',
    nullable: true,
    description: 'Id of the session that the person came from. Null if none.',
    select: { referringSessionId: true },
    resolve: ({ referringSessionId }) => referringSessionId,
  }),
  referringSession: t.field({
    tokenScopes: 'never',
    type: SessionRef,
    nullable: true,
    description:
      'Session that the person came from. Null if none or if it was deleted. Errors: `auth.forbidden` ' +
      '(browser tokens).',
    select: { referringSessionId: true },
    resolve: ({ referringSessionId: id }, _args, { loaders }) =>
      id === null ? null : loaders.session.load(id),
  }),
}));

/** Times and consent. */
builder.prismaObjectFields(VerificationNode, (t) => ({
  createdAt: t.field({
    tokenScopes: ['VERIFICATION_STATE'],
    type: 'DateTime',
    description: 'Creation time.',
    select: { createdAt: true },
    resolve: ({ createdAt }) => createdAt,
  }),
  expiresAt: t.field({
    tokenScopes: ['VERIFICATION_STATE'],
    type: 'DateTime',
    description: 'Time until which the capture can be started.',
    select: { expiresAt: true },
    resolve: ({ expiresAt }) => expiresAt,
  }),
  startedAt: t.field({
    tokenScopes: ['VERIFICATION_STATE'],
    type: 'DateTime',
    nullable: true,
    description: 'Start of the capture by the page or an app. Null if not started.',
    select: { startedAt: true },
    resolve: ({ startedAt }) => startedAt,
  }),
  completedAt: t.field({
    tokenScopes: ['VERIFICATION_STATE'],
    type: 'DateTime',
    nullable: true,
    description: 'Time of the completion or failure. Null if neither completed nor failed.',
    select: { completedAt: true },
    resolve: ({ completedAt }) => completedAt,
  }),
  consentAt: t.field({
    tokenScopes: ['VERIFICATION_STATE'],
    type: 'DateTime',
    nullable: true,
    description: 'Time of the consent to the capture. Null before the consent.',
    select: { consentAt: true },
    resolve: ({ consentAt }) => consentAt,
  }),
  consentVersion: t.string({
    mask: 'none',
    tokenScopes: ['VERIFICATION_STATE'],
    nullable: true,
    description: 'Version of the text that the person consented to. Null before the consent.',
    select: { consentVersion: true },
    resolve: ({ consentVersion }) => consentVersion || null,
  }),
}));
