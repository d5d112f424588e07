import type { VerificationKind } from '@vouchgraph/decisions';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { ChallengeStep, DocumentJudgment } from '@vouchgraph/vision';
import { isWithin } from '../../domain/projects/assert-may.ts';
import type { Failure } from '../../domain/verification/failure.ts';
import {
  ACCOUNT_COLUMNS,
  MEDIA_COLUMNS,
  type MediaRecord,
  RESULT_COLUMNS,
  RETAKE_COLUMNS,
  type ResultRecord,
  STANDING_COLUMNS,
  STATE_COLUMNS,
  VERIFICATION_KEY,
} from '../../domain/verification/find-verification-service.ts';
import type { MediaUrls, VerificationView } from '../../domain/verification/result/verification.ts';
import { assessmentsOf } from '../../domain/verification/result/verification-result.ts';
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
import { DecisionType } from '../kernel/risk.ts';
import {
  ChallengeStepType,
  RiskFlagType,
  VerificationFailureType,
  VerificationKindType,
  VerificationResultErrorType,
  VerificationStateType,
} from '../kernel/verification-enums.ts';
import { SessionRef } from '../sessions/session.ts';
import { DocumentDataType, DocumentSignalsType } from './verification-document.ts';
import {
  DeviceNetworkSignals,
  FlagContribution,
  MatchType,
  PhotoUrls,
  ReferringSessionSignals,
  VerificationAssessment,
} from './verification-evidence.ts';
import { VerificationRetakeType } from './verification-retake.ts';
import { byVerification } from './verification-subjects.ts';
import { viewOf } from './verification-view.ts';

const NOT_COMPLETE = 'Null if the check is not completed, or if its result is older than 30 days.';
const ofView =
  <T>(read: (view: VerificationView) => T | Promise<T>) =>
  async (record: ResultRecord, _args: object, context: GraphQLContext): Promise<T | null> => {
    const view = await viewOf(record, context);
    return view && read(view);
  };
async function mediaOf(
  record: MediaRecord,
  _args: object,
  context: GraphQLContext,
): Promise<MediaUrls | null> {
  const { viewer, services } = context;
  return (await viewOf(record, context)) && services.verifications.mediaUrls(viewer.project, record);
}
const document = (view: VerificationView): DocumentJudgment | null => view.result.document;

/** The id by which a viewer reads a verification: one of no verification for one that it may not read. */
async function readableId(context: GraphQLContext, id: string): Promise<string> {
  const { viewer, loaders } = context;
  const sessionId = readableUuid(viewer, 'verification.read', id);
  if (viewer.kind !== 'browser_token' || sessionId === NIL_UUID) return sessionId;
  return (await loaders.verifications({ select: VERIFICATION_KEY }).load(sessionId)) ? sessionId : NIL_UUID;
}

/** Scores of a verification without a referring session, as REST shows them. */
const NO_REFERRING_SESSION = {
  impossible_travel: 0,
  ip_mismatch: 0,
  user_agent_mismatch: 0,
  device_timezone_mismatch: 0,
  ip_timezone_mismatch: 0,
};

export const VerificationNode = builder.prismaNode('VerificationSession', {
  name: 'Verification',
  tokenScopes: ['VERIFICATION_RESULT'],
  subjects: byVerification,
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
    tokenScopes: ['VERIFICATION_STATE'],
    nullable: true,
    description: 'Version of the text that the person consented to. Null before the consent.',
    select: { consentVersion: true },
    resolve: ({ consentVersion }) => consentVersion || null,
  }),
}));

/** The result. */
builder.prismaObjectFields(VerificationNode, (t) => ({
  decision: t.field({
    rest: { unknown: 'never' },
    type: DecisionType,
    nullable: true,
    description:
      'Decision: the first of FAKE on a block list, the review, REAL on an allow list, and the decision ' +
      `by the score. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.decision()),
  }),
  rawDecision: t.field({
    type: DecisionType,
    nullable: true,
    description:
      'Decision by the score and the thresholds at the completion, without lists and review. ' +
      `${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.result.decision),
  }),
  riskScore: t.float({
    rest: { unknown: 'never' },
    nullable: true,
    description: `Risk score, 0 to 1. A higher score is riskier. Lists do not change it. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.result.riskScore),
  }),
  riskFlags: t.field({
    rest: { unknown: 'never' },
    type: [RiskFlagType],
    nullable: true,
    description: `Findings that raise the risk score, each once. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => [...view.result.riskFlags]),
  }),
  contributions: t.field({
    type: [FlagContribution],
    nullable: true,
    description: `Contributions of flags to the score. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => [...view.result.contributions]),
  }),
  assessments: t.field({
    type: [VerificationAssessment],
    nullable: true,
    description:
      'Assessments of the check, the oldest first. The last assessment applies. Binding the session to ' +
      `an account can append one (docs/verification.md). Empty for simulated checks. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => assessmentsOf(view.result)),
  }),
  reasons: t.stringList({
    nullable: true,
    description:
      'Codes of the reasons for the signals of the document. The set of codes is open. Null for a face ' +
      `check. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => (document(view) ? [...document(view)!.reasons] : null)),
  }),
  listNames: t.stringList({
    tokenScopes: ['ACCOUNT'],
    namesAccount: true,
    rest: { unknown: 'never' },
    nullable: true,
    description: `Names of the lists that contain the account. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView(async (view) => [...(await view.lists())]),
  }),
  ruleNames: t.stringList({
    tokenScopes: 'never',
    rest: { unknown: 'never' },
    nullable: true,
    description:
      'Current names of rules, each once. Rules that were triggered for the account with its session ' +
      `precede rules of earlier sessions that added the account to the deciding list. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView(async (view) => [...(await view.rules())]),
  }),
}));

/** The evidence behind the result. */
builder.prismaObjectFields(VerificationNode, (t) => ({
  documentSignals: t.field({
    tokenScopes: ['VERIFICATION_RESULT', 'DOCUMENT'],
    rest: { unknown: 'never' },
    type: DocumentSignalsType,
    nullable: true,
    description: `Assessment of the document. Null for a face check. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => document(view)?.signals ?? null),
  }),
  documentData: t.field({
    tokenScopes: ['DOCUMENT'],
    rest: { unknown: 'never' },
    type: DocumentDataType,
    nullable: true,
    description: `Data of the document. Null for a face check. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => document(view)?.data ?? null),
  }),
  deviceNetworkSignals: t.field({
    rest: { unknown: 'never' },
    type: DeviceNetworkSignals,
    nullable: true,
    description: `Risk signals of device and network of the session. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView(async (view) => (await view.session())?.result.riskSignalScores ?? null),
  }),
  referringSessionSignals: t.field({
    rest: { default: NO_REFERRING_SESSION },
    type: ReferringSessionSignals,
    nullable: true,
    description: `Differences from the referring session. Null without a referring session. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.result.referring),
  }),
  photoUrls: t.field({
    tokenScopes: ['DOCUMENT'],
    rest: { default: {} },
    type: PhotoUrls,
    nullable: true,
    description: `Signed URLs of the images. ${NOT_COMPLETE}`,
    select: MEDIA_COLUMNS,
    resolve: mediaOf,
  }),
  videoUrls: t.stringList({
    tokenScopes: ['DOCUMENT'],
    rest: { unknown: 'never' },
    nullable: true,
    description: `Signed URLs of the videos, valid for 15 minutes. Empty for a simulated session. ${NOT_COMPLETE}`,
    select: MEDIA_COLUMNS,
    resolve: async (record, _args, context) => {
      const urls = await mediaOf(record, {}, context);
      return urls && [...urls.videos];
    },
  }),
  session: t.field({
    tokenScopes: ['ACCOUNT'],
    rest: { default: {} },
    type: SessionRef,
    nullable: true,
    description: `Session that the page collected. ${NOT_COMPLETE}`,
    select: RESULT_COLUMNS,
    resolve: ofView((view) => view.session()),
  }),
  accountMatches: t.field({
    tokenScopes: 'never',
    rest: { unknown: 'never' },
    type: [MatchType],
    nullable: true,
    description:
      'Accounts that share the face, document, network or browser, the strongest links first, at most ' +
      `1,500. ${NOT_COMPLETE} Errors: \`auth.forbidden\` (browser tokens).`,
    complexity: { field: 1, multiplier: 50 },
    select: RESULT_COLUMNS,
    resolve: ofView(async (view) => [...(await view.matches())]),
  }),
}));
