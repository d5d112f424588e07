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
    'Verification session to create. The simulate fields are for sandbox projects. A simulated outcome ' +
    'is reported three seconds after the page is opened, without a camera.',
  fields: (t) => ({
    kind: t.field({ type: VerificationKindType, required: true, description: 'Kind of the check.' }),
    accountId: t.string({
      description:
        'Id of an account, assigned by the client, at most 256 characters. An account that does not ' +
        'exist is created. On completion the face is enrolled for the account, unless it has an ' +
        'enrolled face.',
    }),
    referringSessionId: t.id({
      description:
        'Id of the session that the person came from. It is compared with the session of the verification.',
    }),
    redirectUrl: t.string({
      description:
        'URL to redirect the person to at the end, with session_id, success and, on failure, ' +
        'error_message. In production projects its origin must be in allowedOrigins.',
    }),
    language: t.field({
      type: VerificationLanguageType,
      description: 'Language of the page. The language of the browser by default.',
    }),
    simulate: t.field({
      type: VerificationSimulationType,
      description: 'Simulated outcome, in sandbox projects.',
    }),
    simulateDecision: t.field({ type: DecisionType, description: 'Simulated decision, with SUCCESS.' }),
    simulateRiskScore: t.float({ description: 'Simulated risk score, 0 to 1, with SUCCESS.' }),
    simulateRiskFlags: t.field({ type: [RiskFlagType], description: 'Simulated flags, with SUCCESS.' }),
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
          'URL of the page, for the person only, because it contains a secret. The capture must start ' +
          'within 24 hours.',
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
      description:
        'Id of the account, assigned by the client, at most 256 characters. An account that does not ' +
        'exist is created.',
    }),
    replace: t.boolean({
      description: 'Whether to replace an enrolled face. Requires an operator key. False by default.',
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
  '(replace below the role operator).';

builder.mutationFields((t) => ({
  createVerificationSession: t.field({
    type: CreateVerificationSessionPayload,
    nullable: true,
    description:
      'Creates a verification session. Errors: `verification.invalid_simulated_session`, ' +
      '`verification.redirect_not_allowed`, `verification.referring_session_not_found`, `input.invalid`.',
    authScopes: { may: 'verification.create' },
    args: {
      input: t.arg({ type: CreateVerificationSessionInput, required: true, description: 'Session.' }),
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
      'Binds a completed session to an account and enrolls its face. A repeated call changes nothing. ' +
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
