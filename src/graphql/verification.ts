import { isLimited } from '../domain/projects/assert-may.ts';
import type { VerificationView } from '../domain/verification/result/verification.ts';
import { assessmentsOf } from '../domain/verification/result/verification-result.ts';
import type { DocumentJudgement } from '../domain/vision/document-signals.ts';
import type { ChallengeStep } from '../domain/vision/readings.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import { DecisionType } from './risk.ts';
import { SessionRef } from './session.ts';
import { type ShownVerification, shownPage, shownVerification } from './shown-verification.ts';
import { DocumentDataType, DocumentSignalsType } from './verification-document.ts';
import { ChallengeStepType, VerificationKindType, VerificationStateType } from './verification-enums.ts';
import {
  DeviceNetworkSignals,
  FlagContribution,
  MatchType,
  PhotoUrls,
  ReferringSessionSignals,
  VerificationAssessment,
} from './verification-evidence.ts';
import { VerificationRetakeType } from './verification-retake.ts';

const NOT_COMPLETE = 'Null until it is completed, and when its result is older than 30 days.';
const ofView =
  <T>(read: (view: VerificationView) => T) =>
  async (shown: ShownVerification): Promise<T | null> => {
    const view = await shown.view();
    return view && read(view);
  };
const document = (view: VerificationView): DocumentJudgement | null => view.result.document;

export const VerificationType = builder.objectRef<ShownVerification>('Verification').implement({
  description:
    'A check of a face, or of a face and a document: its session, and what came of it. Lists and matches are ' +
    'those of the moment at which they are asked for.',
  fields: (t) => ({
    sessionId: t.field({
      type: 'UUID',
      description: 'Id of its session, also that of the session that its page collects.',
      resolve: ({ verification: { row } }) => row.session_id,
    }),
    kind: t.field({
      type: VerificationKindType,
      description: 'What is verified.',
      resolve: ({ verification: { row } }) => row.kind,
    }),
    state: t.field({
      type: VerificationStateType,
      description: 'Where it stands.',
      resolve: ({ verification }, _args, { services }) => verification.stateAt(services.clock.now()),
    }),
    retake: t.field({
      type: VerificationRetakeType,
      nullable: true,
      description:
        'Request to capture the document again, because its images could not be judged. Null unless the session waits for ' +
        'new images of the document; face, consent and turns of the head stay.',
      resolve: ({ verification }, _args, { services }) => verification.retakeAt(services.clock.now()),
    }),
    failure: t.string({
      nullable: true,
      description:
        'Why it failed: failed_to_get_camera_permission, failed_to_complete_face_scan, failed_to_process_id_scan, ' +
        'failed_to_collect_device_data, liveness_check_failed, invalid_session_id or session_id_not_found. Null otherwise.',
      resolve: ({ verification: { row } }) => row.failure || null,
    }),
    accountId: t.string({
      nullable: true,
      description: "The client's own id of the account that it was made for, or bound to; null without one.",
      resolve: async (shown, _args, { services, viewer }) => {
        if (shown.isViewed) return (await shown.view())?.accountId ?? null;
        const { verification } = shown;
        return (
          verification.row.account_id ?? (await services.verifications.boundAccount(viewer, verification))
        );
      },
    }),
    referringSessionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The session that referred to it; null without one.',
      resolve: ({ verification: { row } }) => row.referring_session_id,
    }),
    challenge: t.field({
      type: [ChallengeStepType],
      description: 'The turns of the head that are asked for, in order.',
      resolve: ({ verification: { row } }) => row.challenge as ChallengeStep[],
    }),
    simulated: t.boolean({
      description: 'Whether its outcome was asked for rather than found out.',
      resolve: ({ verification: { row } }) => row.simulation !== null,
    }),
  }),
});

/** Times and consent. */
builder.objectFields(VerificationType, (t) => ({
  createdAt: t.field({
    type: 'DateTime',
    description: 'When it was made.',
    resolve: ({ verification: { row } }) => row.created_at,
  }),
  expiresAt: t.field({
    type: 'DateTime',
    description: 'Until when it may be started.',
    resolve: ({ verification: { row } }) => row.expires_at,
  }),
  startedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When its page, or an app, began to capture.',
    resolve: ({ verification: { row } }) => row.started_at,
  }),
  completedAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When it was completed, or failed.',
    resolve: ({ verification: { row } }) => row.completed_at,
  }),
  consentAt: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'When the person agreed to pictures being taken.',
    resolve: ({ verification: { row } }) => row.consent_at,
  }),
  consentVersion: t.string({
    description: 'Version of the text that was agreed to; empty before.',
    resolve: ({ verification: { row } }) => row.consent_version,
  }),
}));

/** The result. */
builder.objectFields(VerificationType, (t) => ({
  decision: t.field({
    type: DecisionType,
    nullable: true,
    description: `Fake on a list that blocks, Real on one that allows, otherwise by the score. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.decision),
  }),
  rawDecision: t.field({
    type: DecisionType,
    nullable: true,
    description: `By the score and the thresholds of its time alone. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.result.decision),
  }),
  riskScore: t.float({
    nullable: true,
    description: `0 to 1, higher is riskier; lists do not change it. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.result.riskScore),
  }),
  riskFlags: t.stringList({
    nullable: true,
    description: `What speaks against it, such as repeat_face (docs/verification.md lists all). ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.result.riskFlags]),
  }),
  contributions: t.field({
    type: [FlagContribution],
    nullable: true,
    description: `What each flag adds to the score. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.result.contributions]),
  }),
  assessments: t.field({
    type: [VerificationAssessment],
    nullable: true,
    description:
      'Assessments of the check, oldest first; the last one is in force. Binding the session to an account can append ' +
      `one (docs/verification.md). Empty for simulated checks and for checks of earlier versions. ${NOT_COMPLETE}`,
    resolve: ofView((view) => assessmentsOf(view.result)),
  }),
  reasons: t.stringList({
    nullable: true,
    description: `Why the signals of the document are what they are, as codes. Null for a face check. ${NOT_COMPLETE}`,
    resolve: ofView((view) => (document(view) ? [...document(view)!.reasons] : null)),
  }),
  lists: t.stringList({
    nullable: true,
    description: `Names of the lists that its account is on now. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.lists]),
  }),
  rules: t.stringList({
    nullable: true,
    description:
      'Current names, each once: first of the rules that were triggered for its account with its session, then of rules ' +
      `of earlier sessions that put the account on the list that decides. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.rules]),
  }),
}));

/** The evidence behind the result. */
builder.objectFields(VerificationType, (t) => ({
  documentSignals: t.field({
    type: DocumentSignalsType,
    nullable: true,
    description: `What was found out about the document. Null for a face check. ${NOT_COMPLETE}`,
    resolve: ofView((view) => document(view)?.signals ?? null),
  }),
  documentData: t.field({
    type: DocumentDataType,
    nullable: true,
    description: `What stands on the document. Null for a face check. ${NOT_COMPLETE}`,
    resolve: ofView((view) => document(view)?.data ?? null),
  }),
  deviceNetworkSignals: t.field({
    type: DeviceNetworkSignals,
    nullable: true,
    description: `What its session says of device and network. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.session?.result.riskSignalScores ?? null),
  }),
  referringSessionSignals: t.field({
    type: ReferringSessionSignals,
    nullable: true,
    description: `How it differs from the session that referred to it. Null without one. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.result.referring),
  }),
  photoUrls: t.field({
    type: PhotoUrls,
    nullable: true,
    description: `Signed URLs of its images. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.media),
  }),
  videoUrls: t.stringList({
    nullable: true,
    description: `Signed URLs of its videos, valid for 15 minutes. Empty for a simulated session. ${NOT_COMPLETE}`,
    resolve: ofView((view) => [...view.media.videos]),
  }),
  session: t.field({
    type: SessionRef,
    nullable: true,
    description: `The session that its page collected. ${NOT_COMPLETE}`,
    resolve: ofView((view) => view.session),
  }),
  matches: t.field({
    type: [MatchType],
    nullable: true,
    description:
      `Accounts that share its face, document, network or browser, the strongest links first, 1,500 at most. ` +
      `A browser token that names an account or a session sees none. ${NOT_COMPLETE}`,
    resolve: async (shown, _args, { viewer }) => {
      const view = await shown.view();
      return view && (isLimited(viewer) ? [] : [...(await view.matches())]);
    },
  }),
}));

builder.queryField('verification', (t) =>
  t.field({
    type: VerificationType,
    nullable: true,
    description: 'A verification session by its id; null when there is none, or it is not yours to see.',
    authScopes: { may: 'verification.read' },
    args: { sessionId: t.arg.id({ required: true, description: 'Id of the session.' }) },
    resolve: async (_root, { sessionId }, context) => {
      const found = await context.services.verifications.find(context.viewer, String(sessionId));
      return found && shownVerification(found, context);
    },
  }),
);

const VerificationFilterInput = builder.inputType('VerificationFilter', {
  description: 'Which verification sessions; all conditions together.',
  fields: (t) => ({
    kind: t.field({ type: VerificationKindType, description: 'Of this kind.' }),
    state: t.field({
      type: VerificationStateType,
      description: 'In this state. EXPIRED are those that were not started, or not captured, in time.',
    }),
    decision: t.field({ type: DecisionType, description: 'With this decision by score alone.' }),
    accountId: t.string({ description: "Made for, or bound to, the account with this client's own id." }),
    createdAfter: t.field({ type: 'DateTime', description: 'Made at or after.' }),
    createdBefore: t.field({ type: 'DateTime', description: 'Made before.' }),
  }),
});

const VerificationEdge = builder.edgeObject({
  type: VerificationType,
  name: 'VerificationEdge',
  description: 'A verification session in a page.',
});
const VerificationConnection = builder.connectionObject(
  { type: VerificationType, name: 'VerificationConnection', description: 'A page of verification sessions.' },
  VerificationEdge,
);

builder.queryField('verifications', (t) =>
  t.field({
    type: VerificationConnection,
    description:
      'Verification sessions of the project, the newest first. Errors: auth.forbidden for browser tokens that name a ' +
      'session, or another account than the filter; input.invalid.',
    authScopes: { may: 'verification.search' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor to go on behind.' }),
      filter: t.arg({ type: VerificationFilterInput, description: 'Which sessions.' }),
    },
    resolve: async (_root, args, context) => {
      const { cipher } = context.viewer.project;
      const size = pageSize(args.first, context);
      const filter = args.filter ?? {};
      const scope = JSON.stringify(['verifications', filter]);
      const after = args.after == null ? null : decodeCursor(cipher, scope, args.after);
      const found = await context.services.verifications.search(
        context.viewer,
        filter,
        after && { createdAt: new Date(String(after[0])), sessionId: String(after[1]) },
        size + 1,
      );
      return toPage(shownPage(found, context), size, {
        context,
        scope,
        hasPrevious: after !== null,
        position: ({ verification: { row } }) => [row.created_at.toISOString(), row.session_id],
        edge: (shown) => ({ node: shown }),
      });
    },
  }),
);
