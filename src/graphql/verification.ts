import { isWithin } from '../domain/projects/assert-may.ts';
import type { VerificationView } from '../domain/verification/result/verification.ts';
import { assessmentsOf } from '../domain/verification/result/verification-result.ts';
import type { DocumentJudgment } from '../domain/vision/document-signals.ts';
import type { ChallengeStep } from '../domain/vision/readings.ts';
import { isUuid } from '../platform/ids.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { DecisionType } from './risk.ts';
import { SessionRef } from './session.ts';
import { ShownVerification, shownVerification } from './shown-verification.ts';
import { DocumentDataType, DocumentSignalsType } from './verification-document.ts';
import {
  ChallengeStepType,
  RiskFlagType,
  VerificationFailureType,
  VerificationKindType,
  VerificationResultErrorType,
  VerificationStateType,
} from './verification-enums.ts';
import {
  DeviceNetworkSignals,
  FlagContribution,
  MatchType,
  PhotoUrls,
  ReferringSessionSignals,
  VerificationAssessment,
} from './verification-evidence.ts';
import { VerificationRetakeType } from './verification-retake.ts';

const NOT_COMPLETE = 'Null if the check is not completed, or if its result is older than 30 days.';
const ofView =
  <T>(read: (view: VerificationView) => T) =>
  async (shown: ShownVerification): Promise<T | null> => {
    const view = await shown.view();
    return view && read(view);
  };
const document = (view: VerificationView): DocumentJudgment | null => view.result.document;

export const VerificationType = builder.objectRef<ShownVerification>('Verification');

builder.node(VerificationType, {
  description:
    'Check of a face, or of a face and a document: its session and its result. listNames, ruleNames and ' +
    'accountMatches have their current values.',
  id: { resolve: ({ verification }) => verification.sessionId, description: 'Global id.' },
  isTypeOf: (value) => value instanceof ShownVerification,
  loadMany: (ids, context) =>
    Promise.all(
      ids.map(async (id) => {
        const found = isUuid(id) ? await context.loaders.verification.load(id) : null;
        return found && shownVerification(found, context);
      }),
    ),
  fields: (t) => ({
    sessionId: t.field({
      type: 'UUID',
      description: 'Id of the verification session, and of the session that its page collects.',
      resolve: ({ verification: { row } }) => row.session_id,
    }),
    kind: t.field({
      type: VerificationKindType,
      description: 'Kind of the check.',
      resolve: ({ verification: { row } }) => row.kind,
    }),
    state: t.field({
      type: VerificationStateType,
      description: 'State.',
      resolve: ({ verification }, _args, { services }) => verification.stateAt(services.clock.now()),
    }),
    retake: t.field({
      type: VerificationRetakeType,
      nullable: true,
      description:
        'Request to capture the document again, because its images could not be assessed. Null unless ' +
        'the session waits for new images of the document. Face, consent and turns of the head are not ' +
        'captured again.',
      resolve: ({ verification }, _args, { services }) => verification.retakeAt(services.clock.now()),
    }),
    failure: t.field({
      type: VerificationFailureType,
      nullable: true,
      description: 'Reason of the failure. Null unless the state is FAILED.',
      resolve: ({ verification: { row } }) => row.failure || null,
    }),
    resultError: t.field({
      type: VerificationResultErrorType,
      nullable: true,
      description:
        'Reason why decision and the other fields of the result are null. Null if there is a result.',
      resolve: ({ verification }, _args, { services }) => {
        const error = services.verifications.resultError(verification);
        return error === 'session_older_than_30_days' ? 'session_not_valid_for_this_endpoint' : error;
      },
    }),
    challenge: t.field({
      type: [ChallengeStepType],
      description: 'Requested turns of the head, in order.',
      resolve: ({ verification: { row } }) => row.challenge as ChallengeStep[],
    }),
    simulated: t.boolean({
      description: 'Whether the outcome was specified at the creation, in a sandbox project.',
      resolve: ({ verification: { row } }) => row.simulation !== null,
    }),
  }),
});

/** Account and session of the verification. */
builder.objectFields(VerificationType, (t) => ({
  accountId: t.string({
    nullable: true,
    description:
      'Id of the account that the session was created for or is bound to, assigned by the client. The ' +
      'account may not exist yet. Null if none.',
    resolve: async (shown, _args, { loaders }) => {
      const { row, sessionId } = shown.verification;
      if (row.account_id !== null || row.bound_account_id === null) return row.account_id;
      const view = shown.isViewed ? await shown.view() : null;
      return view?.accountId ?? (await loaders.checkAccount.load(sessionId))?.accountId ?? null;
    },
  }),
  account: t.field({
    type: AccountRef,
    nullable: true,
    description:
      'Account that the session was created for or is bound to. Null if none. Null for browser tokens ' +
      'limited to a session.',
    resolve: async ({ verification: { row, sessionId } }, _args, { viewer, loaders }) => {
      if (row.account_id === null && row.bound_account_id === null) return null;
      const found = await loaders.checkAccount.load(sessionId);
      return found && isWithin(viewer, { accountId: found.accountId })
        ? loaders.account.load(found.id)
        : null;
    },
  }),
  referringSessionId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the session that the person came from. Null if none.',
    resolve: ({ verification: { row } }) => row.referring_session_id,
  }),
  referringSession: t.field({
    type: SessionRef,
    nullable: true,
    description:
      'Session that the person came from. Null if none or if it was deleted. Errors: `auth.forbidden` ' +
      '(browser tokens).',
    resolve: ({ verification: { row } }, _args, { loaders }) =>
      row.referring_session_id === null ? null : loaders.session.load(row.referring_session_id),
  }),
}));

/** Times and consent. */
builder.objectFields(VerificationType, (t) => ({
  createdAt: t.field({
    type: 'DateTime',
    description: 'Creation time.',
    resolve: ({ verification: { row } }) => row.created_at,
  }),
  expiresAt: t.field({
    type: 'DateTime',
    description: 'Time until which the capture can be started.',
    resolve: ({ verification: { row } }) => row.expires_at,
  }),
  startedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Start of the capture by the page or an app. Null if not started.',
    resolve: ({ verification: { row } }) => row.started_at,
  }),
  completedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Time of the completion or failure. Null if neither completed nor failed.',
    resolve: ({ verification: { row } }) => row.completed_at,
  }),
  consentAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Time of the consent to the capture. Null before the consent.',
    resolve: ({ verification: { row } }) => row.consent_at,
  }),
  consentVersion: t.string({
    nullable: true,
    description: 'Version of the text that the person consented to. Null before the consent.',
    resolve: ({ verification: { row } }) => row.consent_version || null,
  }),
}));

/** The result. */
builder.objectFields(VerificationType, (t) => ({
  decision: t.field({
    type: DecisionType,
    nullable: true,
    description:
      'Decision: the first of FAKE on a block list, the review, REAL on an allow list, and the decision ' +
      `by the score. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.decision),
  }),
  rawDecision: t.field({
    type: DecisionType,
    nullable: true,
    description:
      'Decision by the score and the thresholds at the completion, without lists and review. ' +
      `${NOT_COMPLETE}`,
    resolve: ofView((view) => view.result.decision),
  }),
  riskScore: t.float({
    nullable: true,
    description: `Risk score, 0 to 1. A higher score is riskier. Lists do not change it. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.result.riskScore),
  }),
  riskFlags: t.field({
    type: [RiskFlagType],
    nullable: true,
    description: `Findings that raise the risk score, each once. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.result.riskFlags]),
  }),
  contributions: t.field({
    type: [FlagContribution],
    nullable: true,
    description: `Contributions of flags to the score. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.result.contributions]),
  }),
  assessments: t.field({
    type: [VerificationAssessment],
    nullable: true,
    description:
      'Assessments of the check, the oldest first. The last assessment applies. Binding the session to ' +
      'an account can append one (docs/verification.md). Empty for simulated checks and for checks of ' +
      `earlier versions. ${NOT_COMPLETE}`,
    resolve: ofView((view) => assessmentsOf(view.result)),
  }),
  reasons: t.stringList({
    nullable: true,
    description:
      'Codes of the reasons for the signals of the document. The set of codes is open. Null for a face ' +
      `check. ${NOT_COMPLETE}`,
    resolve: ofView((view) => (document(view) ? [...document(view)!.reasons] : null)),
  }),
  listNames: t.stringList({
    nullable: true,
    description: `Names of the lists that contain the account. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.lists]),
  }),
  ruleNames: t.stringList({
    nullable: true,
    description:
      'Current names of rules, each once. Rules that were triggered for the account with its session ' +
      `precede rules of earlier sessions that added the account to the deciding list. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.rules]),
  }),
}));

/** The evidence behind the result. */
builder.objectFields(VerificationType, (t) => ({
  documentSignals: t.field({
    type: DocumentSignalsType,
    nullable: true,
    description: `Assessment of the document. Null for a face check. ${NOT_COMPLETE}`,
    resolve: ofView((view) => document(view)?.signals ?? null),
  }),
  documentData: t.field({
    type: DocumentDataType,
    nullable: true,
    description: `Data of the document. Null for a face check. ${NOT_COMPLETE}`,
    resolve: ofView((view) => document(view)?.data ?? null),
  }),
  deviceNetworkSignals: t.field({
    type: DeviceNetworkSignals,
    nullable: true,
    description: `Risk signals of device and network of the session. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.session?.result.riskSignalScores ?? null),
  }),
  referringSessionSignals: t.field({
    type: ReferringSessionSignals,
    nullable: true,
    description: `Differences from the referring session. Null without a referring session. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.result.referring),
  }),
  photoUrls: t.field({
    type: PhotoUrls,
    nullable: true,
    description: `Signed URLs of the images. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.media),
  }),
  videoUrls: t.stringList({
    nullable: true,
    description: `Signed URLs of the videos, valid for 15 minutes. Empty for a simulated session. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.media.videos]),
  }),
  session: t.field({
    type: SessionRef,
    nullable: true,
    description: `Session that the page collected. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.session),
  }),
  accountMatches: t.field({
    type: [MatchType],
    nullable: true,
    description:
      'Accounts that share the face, document, network or browser, the strongest links first, at most ' +
      `1,500. ${NOT_COMPLETE} Errors: \`auth.forbidden\` (browser tokens).`,
    complexity: { field: 1, multiplier: 50 },
    resolve: async (shown) => {
      const view = await shown.view();
      return view && [...(await view.matches())];
    },
  }),
}));
