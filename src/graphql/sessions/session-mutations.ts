import { addSessionFactsShape, completeSessionShape, createSessionShape } from '@vouchgraph/signals';
import type { Session } from '../../domain/sessions/session.ts';
import { builder } from '../kernel/builder.ts';
import { byProperties } from '../kernel/collect-subjects.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { known } from '../kernel/known.ts';
import { payloadType } from '../kernel/payload.ts';
import { Environment } from '../projects/project.ts';
import { SessionRef } from './session.ts';

const CreateSessionInput = inputFrom(createSessionShape);
const AddSessionFactsInput = inputFrom(addSessionFactsShape);
const CompleteSessionInput = inputFrom(completeSessionShape);

const CreateSessionPayload = payloadType<{
  session: Session;
  token: string;
  expiresAt: Date;
  browserToken: string;
}>(
  'CreateSessionPayload',
  'Opened session, and the token for its changes.',
  { subjects: byProperties },
  (t) => ({
    session: t.expose('session', { type: SessionRef, description: 'Session.' }),
    token: t.exposeString('token', {
      mask: 'none',
      rest: {
        description:
          'Token of the session. The page sends it as Authorization: Bearer with PATCH /session/{session_id} and ' +
          'POST /session/{session_id}/complete.',
      },
      description:
        'Token of the session. The page sends it as Authorization: Bearer with PATCH ' +
        '/session/{session_id} and POST /session/{session_id}/complete of REST. GraphQL does not accept ' +
        'it.',
    }),
    browserToken: t.string({
      mask: 'none',
      rest: { unknown: 'absent' },
      nullable: true,
      description:
        'Signed id of the browser. A page stores it and sends it as browser_token with its next session. ' +
        'Null for a simulated session.',
      resolve: ({ browserToken }) => known(browserToken),
    }),
    environment: t.field({
      type: Environment,
      description: 'Environment of the project.',
      resolve: ({ session }) => session.project.environment,
    }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      description: 'Time from which a session without an account cannot be bound to one.',
    }),
  }),
);

const SessionPayload = payloadType<{ session: Session }>(
  'SessionPayload',
  'Session after the change.',
  { subjects: byProperties },
  (t) => ({
    session: t.expose('session', { type: SessionRef, description: 'Session.' }),
  }),
);

builder.mutationFields((t) => ({
  createSession: t.field({
    isIdempotent: false,
    type: CreateSessionPayload,
    nullable: true,
    description:
      'Opens a session: from a page without a key, or as a simulated session with a key of a sandbox ' +
      'project. Its facts can have at most 32 KB of JSON. Errors: `session.simulated_in_production`, ' +
      '`session.facts_too_long`, `input.invalid`.',
    // With a key it is simulated, from a page it is observed.
    authScopes: { $any: { may: 'session.simulate', $all: { may: 'session.create' } } },
    args: { input: t.arg({ type: CreateSessionInput, required: true, description: 'Session to open.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, connection }) => {
      const facts = input.facts ?? {};
      const opened =
        viewer.kind === 'collector'
          ? await services.sessions.open(viewer, requestId, facts, connection)
          : await services.sessions.simulate(viewer, requestId, facts, input.simulated ?? {});
      return { requestId, ...opened };
    },
  }),
  addSessionFacts: t.field({
    isIdempotent: false,
    type: SessionPayload,
    nullable: true,
    description:
      'Adds facts to an open session. Requires a key with the role server. A page with the token of its ' +
      'session uses PATCH /session/{session_id} of REST. Errors: `session.not_found`, ' +
      '`session.complete`, `session.expired`, `session.facts_too_long`, `input.invalid`.',
    authScopes: { may: 'session.add_facts' },
    args: { input: t.arg({ type: AddSessionFactsInput, required: true, description: 'Session and facts.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, connection }) => {
      const ip = viewer.kind === 'collector' ? connection.ip : '';
      const session = await services.sessions.addFacts(viewer, input.sessionId, input.facts, ip);
      return { requestId, session };
    },
  }),
  completeSession: t.field({
    isIdempotent: true,
    type: SessionPayload,
    nullable: true,
    description:
      'Completes a session. A completed session does not change. Requires a key with the role server. A ' +
      'page with the token of its session uses POST /session/{session_id}/complete of REST. Errors: ' +
      '`session.not_found`, `session.expired`.',
    authScopes: { may: 'session.complete' },
    args: { input: t.arg({ type: CompleteSessionInput, required: true, description: 'Session.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      session: await services.sessions.complete(viewer, input.sessionId),
    }),
  }),
}));
