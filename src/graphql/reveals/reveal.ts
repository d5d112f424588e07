import type { ActiveReveal, RevealSubjectKind } from '../../domain/reveals/active-reveals.ts';
import { type RevealInput, revealShape } from '../../domain/reveals/reveal.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { uuidOf } from '../kernel/node-loader.ts';
import { payloadType } from '../kernel/payload.ts';
import { SessionRef } from '../sessions/session.ts';

const RevealSubject = builder.enumType('RevealSubject', {
  description: 'Kind of the subject of a reveal.',
  values: {
    ACCOUNT: { value: 'account', description: 'Account, with its sessions and verifications.' },
    SESSION: { value: 'session', description: 'Session.' },
    VERIFICATION: { value: 'verification', description: 'Verification.' },
    EMAIL_CHECK: { value: 'email_check', description: 'Email check.' },
  } as const satisfies Record<string, { value: RevealSubjectKind; description: string }>,
});

/** Subjects without an account, by id. */
const idOf = ({ kind, subjectId }: ActiveReveal, wanted: RevealSubjectKind) =>
  kind === wanted ? subjectId : null;

const RevealType = builder.objectRef<ActiveReveal>('Reveal').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  mask: 'none',
  description:
    'Personal data that one person sees in clear until expiresAt: that of one account, session, verification ' +
    'or email check.',
  fields: (t) => ({
    revealId: t.expose('revealId', { type: 'UUID', description: 'Id of the reveal.' }),
    subject: t.expose('kind', { type: RevealSubject, description: 'Kind of the subject.' }),
    accountId: t.exposeID('accountId', {
      nullable: true,
      description:
        'Id of the account, assigned by the client. Null for other subjects, and after an erasure.',
    }),
    sessionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Id of the session. Null for other subjects.',
      resolve: (reveal) => idOf(reveal, 'session'),
    }),
    verificationId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'sessionId of the verification. Null for other subjects.',
      resolve: (reveal) => idOf(reveal, 'verification'),
    }),
    emailCheckId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'checkId of the email check. Null for other subjects.',
      resolve: (reveal) => idOf(reveal, 'email_check'),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Start of the reveal.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'End of the reveal, an hour after its start, or when it was ended.',
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Revealed account. Null for other subjects, and after an erasure.',
      resolve: ({ kind, subjectId }, _args, { loaders }) =>
        kind === 'account' ? loaders.account.load(subjectId) : null,
    }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'Revealed session. Null for other subjects, and if it was deleted.',
      resolve: ({ kind, subjectId }, _args, { loaders }) =>
        kind === 'session' ? loaders.session.load(subjectId) : null,
    }),
  }),
});

const RevealInputType = inputFrom(revealShape);

const EndRevealInput = builder.inputType('EndRevealInput', {
  description: 'Reveal to end.',
  fields: (t) => ({ revealId: t.id({ required: true, description: 'Id of the reveal.' }) }),
});

type Payload = { reveal: ActiveReveal };

const RevealPayload = payloadType<Payload>('RevealPayload', 'New reveal.', { subjects: 'wide' }, (t) => ({
  reveal: t.expose('reveal', { type: RevealType, description: 'Reveal, with its end.' }),
}));

const EndRevealPayload = payloadType<Payload>(
  'EndRevealPayload',
  'Ended reveal.',
  { subjects: 'wide' },
  (t) => ({
    reveal: t.expose('reveal', { type: RevealType, description: 'Reveal, which has ended.' }),
  }),
);

/** Ids of objects may be global ids; the service reads plain ones. */
function withPlainIds(input: RevealInput): RevealInput {
  const { sessionId, verificationId, emailCheckId } = input;
  return {
    ...input,
    sessionId: sessionId == null ? null : (uuidOf('Session', sessionId) ?? ''),
    verificationId: verificationId == null ? null : (uuidOf('Verification', verificationId) ?? ''),
    emailCheckId: emailCheckId == null ? null : (uuidOf('EmailCheck', emailCheckId) ?? ''),
  };
}

builder.queryField('activeReveals', (t) =>
  t.field({
    type: [RevealType],
    nullable: true,
    description:
      'Active reveals of the person that signed in, at most 100, the one that ends first first. Errors: `auth.forbidden` ' +
      '(API keys, browser tokens, persons below the role analyst).',
    authScopes: { may: 'personal_data.reveal' },
    complexity: 10,
    resolve: async (_root, _args, { reveals }) => [...(await reveals.active()).all],
  }),
);

builder.mutationFields((t) => ({
  reveal: t.field({
    isIdempotent: false,
    type: RevealPayload,
    nullable: true,
    description:
      'Shows the personal data of an account, session, verification or email check to the person that signed in, ' +
      'for an hour. All other persons still see masked values. Images and videos stay null: GET ' +
      '/media/of/{session_id}/{kind} opens them. Recorded in the audit log. Errors: `account.not_found`, ' +
      '`session.not_found`, `verification.not_found`, `email_check.not_found`, `reveal.too_many` (more than ' +
      '100 active reveals), `auth.forbidden` (API keys, persons ' +
      'below the role analyst), `input.invalid`.',
    authScopes: { may: 'personal_data.reveal' },
    args: { input: t.arg({ type: RevealInputType, required: true, description: 'Subject and reason.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, reveals }) => {
      const made = await services.reveals.reveal(viewer, requestId, withPlainIds(input));
      reveals.forget();
      return { requestId, reveal: made };
    },
  }),
  endReveal: t.field({
    isIdempotent: false,
    type: EndRevealPayload,
    nullable: true,
    description:
      'Ends a reveal of the person that signed in before its hour is over. Recorded in the audit log. Errors: ' +
      '`reveal.not_found` (also for a repeated call), `auth.forbidden` (API keys, persons below the role analyst).',
    authScopes: { may: 'personal_data.reveal' },
    args: { input: t.arg({ type: EndRevealInput, required: true, description: 'Reveal.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, reveals }) => {
      const ended = await services.reveals.end(viewer, requestId, String(input.revealId));
      reveals.forget();
      return { requestId, reveal: ended };
    },
  }),
}));
