import { builder } from './builder.ts';
import { DecisionType } from './risk.ts';
import { type ShownVerification, shownVerification } from './shown-verification.ts';
import { VerificationType } from './verification.ts';
import { VerificationKindType } from './verification-enums.ts';

const SESSION = { required: true, description: 'Id of the verification session.' } as const;

const CreateVerificationSessionInput = builder.inputType('CreateVerificationSessionInput', {
  description:
    'A verification session to make. The simulate fields are for sandbox projects: they name the outcome, which comes ' +
    'three seconds after its page was asked for, without a camera.',
  fields: (t) => ({
    kind: t.field({ type: VerificationKindType, required: true, description: 'What is verified.' }),
    accountId: t.string({
      description:
        "The client's own id of an account, 256 characters at most. It is made if it is new, and the face is enrolled " +
        'for it on completion where none is.',
    }),
    referringSessionId: t.id({
      description: 'A session that the person came from, to be compared with that of the verification.',
    }),
    redirectUrl: t.string({
      description:
        'Where the page returns to, with session_id, success and, on failure, error_message: within the allowed ' +
        'origins of a production project.',
    }),
    language: t.string({ description: 'Of the page: en, es, fr, de or ar; that of the browser by default.' }),
    simulate: t.string({
      description:
        'success, invalid_session_id, session_id_not_found, failed_to_get_camera_permission, ' +
        'failed_to_complete_face_scan, failed_to_process_id_scan, failed_to_collect_device_data or liveness_check_failed.',
    }),
    simulateDecision: t.field({ type: DecisionType, description: 'With success: the decision.' }),
    simulateRiskScore: t.float({ description: 'With success: the risk score, 0 to 1.' }),
    simulateRiskFlags: t.stringList({ description: 'With success: the flags.' }),
  }),
});

type Created = { requestId: string; sessionUrl: string; shown: ShownVerification };
const CreateVerificationSessionPayload = builder
  .objectRef<Created>('CreateVerificationSessionPayload')
  .implement({
    description: 'The session that was made.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      sessionId: t.field({
        type: 'UUID',
        description: 'Its id.',
        resolve: ({ shown }) => shown.verification.sessionId,
      }),
      sessionUrl: t.exposeString('sessionUrl', {
        description:
          'Its page, for the person alone: the address holds a secret. To be started within 24 hours.',
      }),
      verification: t.field({
        type: VerificationType,
        description: 'The session.',
        resolve: ({ shown }) => shown,
      }),
    }),
  });

const VerifyInput = builder.inputType('VerifyInput', {
  description: 'The completed session to answer for.',
  fields: (t) => ({ sessionId: t.id(SESSION) }),
});

type Verified = { requestId: string; at: Date; shown: ShownVerification };
const VerifyPayload = builder.objectRef<Verified>('VerifyPayload').implement({
  description: 'What came of a verification.',
  fields: (t) => ({
    requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
    timestamp: t.field({ type: 'DateTime', description: 'When it was answered.', resolve: (p) => p.at }),
    verification: t.field({ type: VerificationType, description: 'The result.', resolve: (p) => p.shown }),
  }),
});

const VerifyIdentityInput = builder.inputType('VerifyIdentityInput', {
  description: 'A face and the account that it is to belong to.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of a completed face check.' }),
    accountId: t.string({ required: true, description: "The client's own id of the account." }),
  }),
});
const VerifyIdentityPayload = builder
  .objectRef<{ requestId: string; match: boolean; sessionId: string; accountId: string }>(
    'VerifyIdentityPayload',
  )
  .implement({
    description: 'Whether the face is the enrolled one.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      match: t.exposeBoolean('match', {
        description: 'Whether the distance of the two descriptors is below 0.6.',
      }),
    }),
  });

const EnrollFaceInput = builder.inputType('EnrollFaceInput', {
  description: 'A session whose face is to be an account’s.',
  fields: (t) => ({
    sessionId: t.id(SESSION),
    accountId: t.string({
      required: true,
      description: "The client's own id of the account, 256 characters at most; it is made if it is new.",
    }),
    replace: t.boolean({
      description: 'Whether an enrolled face is replaced; needs an operator key. False by default.',
    }),
  }),
});
const EnrollFacePayload = builder
  .objectRef<{ requestId: string; shown: ShownVerification }>('EnrollFacePayload')
  .implement({
    description: 'The session, bound to the account.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      verification: t.field({ type: VerificationType, description: 'The session.', resolve: (p) => p.shown }),
    }),
  });

const VERIFY_ERRORS =
  'Errors: verification.session_not_found, session_not_started, session_not_valid_for_this_endpoint, ' +
  'session_not_complete, liveness_check_failed, id_scan_not_complete, id_scan_failed (all verification.…).';

builder.mutationFields((t) => ({
  createVerificationSession: t.field({
    type: CreateVerificationSessionPayload,
    description:
      'Makes a verification session. Errors: verification.invalid_simulated_session, ' +
      'verification.redirect_not_allowed, verification.referring_session_not_found, input.invalid.',
    authScopes: { may: 'verification.create' },
    args: {
      input: t.arg({ type: CreateVerificationSessionInput, required: true, description: 'What to make.' }),
    },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId, services } = context;
      const { verification, secret } = await services.verifications.create(viewer, requestId, {
        kind: input.kind,
        accountId: input.accountId,
        referringSessionId: input.referringSessionId == null ? null : String(input.referringSessionId),
        redirectUrl: input.redirectUrl,
        language: input.language,
        simulation: {
          simulate: input.simulate,
          decision: input.simulateDecision,
          riskScore: input.simulateRiskScore,
          riskFlags: input.simulateRiskFlags,
        },
      });
      return {
        requestId,
        sessionUrl: services.verifications.pageUrl(verification.sessionId, secret),
        shown: shownVerification(verification, context),
      };
    },
  }),
  verifyId: t.field({
    type: VerifyPayload,
    description: `The result of a completed ID check, for 30 days. ${VERIFY_ERRORS}`,
    authScopes: { may: 'verification.verify' },
    args: { input: t.arg({ type: VerifyInput, required: true, description: 'Which session.' }) },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId, services } = context;
      const view = await services.verifications.verify(viewer, 'verify-id', String(input.sessionId));
      const shown = shownVerification(view.verification, context, view);
      return { requestId, at: services.clock.now(), shown };
    },
  }),
  verifyFace: t.field({
    type: VerifyPayload,
    description: `The result of a completed face check, for 30 days. ${VERIFY_ERRORS}`,
    authScopes: { may: 'verification.verify' },
    args: { input: t.arg({ type: VerifyInput, required: true, description: 'Which session.' }) },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId, services } = context;
      const view = await services.verifications.verify(viewer, 'verify-face', String(input.sessionId));
      const shown = shownVerification(view.verification, context, view);
      return { requestId, at: services.clock.now(), shown };
    },
  }),
}));

/** The face of an account. */
builder.mutationFields((t) => ({
  verifyIdentity: t.field({
    type: VerifyIdentityPayload,
    description:
      'Whether the face of a completed face check is the one that is enrolled for an account. ' +
      `${VERIFY_ERRORS} Also verification.account_not_found, verification.account_not_enrolled.`,
    authScopes: { may: 'verification.verify' },
    args: { input: t.arg({ type: VerifyIdentityInput, required: true, description: 'Which two.' }) },
    resolve: async (_root, { input }, { viewer, requestId, services }) => {
      const { accountId } = input;
      const sessionId = String(input.sessionId).toLowerCase();
      const match = await services.verifications.verifyIdentity(viewer, sessionId, accountId);
      return { requestId, match, sessionId, accountId };
    },
  }),
  enrollFace: t.field({
    type: EnrollFacePayload,
    description:
      'Binds a completed session to an account and enrols its face. The same again changes nothing. ' +
      `${VERIFY_ERRORS} Also verification.session_already_tied_to_an_account, verification.session_older_than_30_days, ` +
      'verification.account_already_enrolled; auth.forbidden to replace below the role operator.',
    authScopes: { may: 'verification.enroll' },
    args: { input: t.arg({ type: EnrollFaceInput, required: true, description: 'Which two.' }) },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId, services } = context;
      const verification = await services.verifications.enrol(viewer, requestId, {
        sessionId: String(input.sessionId),
        accountId: input.accountId,
        replaces: input.replace ?? false,
      });
      return { requestId, shown: shownVerification(verification, context) };
    },
  }),
}));
