import { createVerificationShape, enrollFaceShape } from '@vouchgraph/verification';
import type { VerificationKey } from '../../domain/verification/find-verification-service.ts';
import { builder } from '../kernel/builder.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { payloadType } from '../kernel/payload.ts';
import { VerificationNode } from './verification.ts';
import { byChangedVerification } from './verification-subjects.ts';

const CreateVerificationSessionInput = inputFrom(createVerificationShape, { validates: false });
const EnrollFaceInput = inputFrom(enrollFaceShape, { validates: false });

type Created = { sessionUrl: string; verification: VerificationKey };
const CreateVerificationSessionPayload = payloadType<Created>(
  'CreateVerificationSessionPayload',
  'Created verification session.',
  { subjects: byChangedVerification },
  (t) => ({
    sessionId: t.field({
      type: 'UUID',
      description: 'Id of the verification session.',
      resolve: ({ verification }) => verification.sessionId,
    }),
    sessionUrl: t.exposeString('sessionUrl', {
      mask: 'none',
      description:
        'URL of the page, for the person only, because it contains a secret. The capture must start ' +
        'within 24 hours.',
    }),
    verification: t.field({
      type: VerificationNode,
      description: 'Verification session.',
      resolve: ({ verification }) => verification,
    }),
  }),
);

const EnrollFacePayload = payloadType<{ verification: VerificationKey }>(
  'EnrollFacePayload',
  'Verification session, bound to the account.',
  { subjects: byChangedVerification },
  (t) => ({
    verification: t.field({
      type: VerificationNode,
      description: 'Verification session.',
      resolve: ({ verification }) => verification,
    }),
  }),
);

const ENROLL_ERRORS =
  'Errors: `verification.session_not_found`, `verification.session_not_started`, ' +
  '`verification.session_not_complete`, `verification.session_not_valid_for_this_endpoint`, ' +
  '`verification.liveness_check_failed`, `verification.id_scan_failed`, ' +
  '`verification.id_scan_not_complete`, `verification.session_already_tied_to_an_account`, ' +
  '`verification.session_older_than_30_days`, `verification.account_already_enrolled`, `auth.forbidden` ' +
  '(replace below the role operator).';

builder.mutationFields((t) => ({
  createVerificationSession: t.field({
    isIdempotent: false,
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
      const { verification, secret } = await services.verifications.create(viewer, requestId, input);
      return {
        requestId,
        sessionUrl: services.verifications.pageUrl(verification.sessionId, secret),
        verification,
      };
    },
  }),
  enrollFace: t.field({
    isIdempotent: false,
    type: EnrollFacePayload,
    nullable: true,
    description:
      'Binds a completed session to an account, which is created if it is new, and enrolls its face. A ' +
      'repeated call changes nothing. ' +
      ENROLL_ERRORS,
    authScopes: { may: 'verification.enroll' },
    args: { input: t.arg({ type: EnrollFaceInput, required: true, description: 'Session and account.' }) },
    resolve: async (_root, { input }, context) => {
      const { viewer, requestId, services } = context;
      return { requestId, verification: await services.verifications.enroll(viewer, requestId, input) };
    },
  }),
}));
