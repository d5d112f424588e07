import { builder } from './builder.ts';
import { DecisionType } from './risk.ts';
import { type ShownVerification, shownVerification } from './shown-verification.ts';
import { VerificationType } from './verification.ts';
import {
  RiskFlagType,
  VerificationKindType,
  VerificationLanguageType,
  VerificationSimulationType,
} from './verification-enums.ts';

const SESSION = { required: true, description: 'Id of the verification session.' } as const;

const CreateVerificationSessionInput = builder.inputType('CreateVerificationSessionInput', {
  description:
    'Verification session to create. The simulate fields are for sandbox projects: the chosen outcome follows three ' +
    'seconds after the page was opened, without a camera.',
  fields: (t) => ({
    kind: t.field({ type: VerificationKindType, required: true, description: 'Kind of the check.' }),
    accountId: t.string({
      description:
        "The client's own id of an account, at most 256 characters. The account is created if it is new, and the face is " +
        'enrolled for it on completion unless it has one.',
    }),
    referringSessionId: t.id({
      description:
        'Id of the session that the person came from; it is compared with that of the verification.',
    }),
    redirectUrl: t.string({
      description:
        'URL that the page returns to, with session_id, success and, on failure, error_message. In production projects its ' +
        'origin must be an allowed one.',
    }),
    language: t.field({
      type: VerificationLanguageType,
      description: 'Language of the page; that of the browser by default.',
    }),
    simulate: t.field({ type: VerificationSimulationType, description: 'Outcome, in sandbox projects.' }),
    simulateDecision: t.field({ type: DecisionType, description: 'Decision, with SUCCESS.' }),
    simulateRiskScore: t.float({ description: 'Risk score, 0 to 1, with SUCCESS.' }),
    simulateRiskFlags: t.field({ type: [RiskFlagType], description: 'Flags, with SUCCESS.' }),
  }),
});

type Created = { requestId: string; sessionUrl: string; shown: ShownVerification };
const CreateVerificationSessionPayload = builder
  .objectRef<Created>('CreateVerificationSessionPayload')
  .implement({
    description: 'Created verification session.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      sessionId: t.field({
        type: 'UUID',
        description: 'Id of the verification session.',
        resolve: ({ shown }) => shown.verification.sessionId,
      }),
      sessionUrl: t.exposeString('sessionUrl', {
        description:
          'URL of its page, for the person alone: it contains a secret. The capture has to be started within 24 hours.',
      }),
      verification: t.field({
        type: VerificationType,
        description: 'Verification session.',
        resolve: ({ shown }) => shown,
      }),
    }),
  });

const EnrollFaceInput = builder.inputType('EnrollFaceInput', {
  description: 'Session whose face is enrolled for an account.',
  fields: (t) => ({
    sessionId: t.id(SESSION),
    accountId: t.string({
      required: true,
      description: "The client's own id of the account, at most 256 characters; it is created if it is new.",
    }),
    replace: t.boolean({
      description: 'Whether an enrolled face is replaced; needs an operator key. False by default.',
    }),
  }),
});
const EnrollFacePayload = builder
  .objectRef<{ requestId: string; shown: ShownVerification }>('EnrollFacePayload')
  .implement({
    description: 'Verification session, bound to the account.',
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      verification: t.field({
        type: VerificationType,
        description: 'Verification session.',
        resolve: (p) => p.shown,
      }),
    }),
  });

const ENROLL_ERRORS =
  'Errors: `verification.session_not_found`, `verification.session_not_started`, ' +
  '`verification.session_not_complete`, `verification.session_not_valid_for_this_endpoint`, ' +
  '`verification.liveness_check_failed`, `verification.id_scan_failed`, ' +
  '`verification.id_scan_not_complete`, `verification.session_already_tied_to_an_account`, ' +
  '`verification.session_older_than_30_days`, `verification.account_already_enrolled`, `auth.forbidden` ' +
  'to replace a face (below the role operator).';

builder.mutationFields((t) => ({
  createVerificationSession: t.field({
    type: CreateVerificationSessionPayload,
    nullable: true,
    description:
      'Creates a verification session. Errors: `verification.invalid_simulated_session`, ' +
      '`verification.redirect_not_allowed`, `verification.referring_session_not_found`, `input.invalid`.',
    authScopes: { may: 'verification.create' },
    args: {
      input: t.arg({ type: CreateVerificationSessionInput, required: true, description: 'The session.' }),
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
  enrollFace: t.field({
    type: EnrollFacePayload,
    nullable: true,
    description:
      'Binds a completed session to an account and enrolls its face. Repeating it changes nothing. ' +
      ENROLL_ERRORS,
    authScopes: { may: 'verification.enroll' },
    args: { input: t.arg({ type: EnrollFaceInput, required: true, description: 'Session and account.' }) },
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
