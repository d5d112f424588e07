import {
  accountsOfLinks,
  type ScoredSession,
  scoreSession,
} from '../domain/accounts/session-score-service.ts';
import type { Session } from '../domain/sessions/session.ts';
import {
  type SessionFactsInput as SessionFacts,
  type StatedFacts,
  sessionFactsShape,
  statedFactsShape,
} from '../domain/sessions/session-input.ts';
import { builder } from './builder.ts';
import { LinkedAccount } from './link.ts';
import { DecisionType } from './risk.ts';
import { SessionRef } from './session.ts';

const BrowserFactsInput = builder.inputType('BrowserFactsInput', {
  description: 'What the browser says of itself.',
  fields: (t) => ({
    userAgent: t.string({
      description: 'User agent; a page’s own header is used instead when there is one.',
    }),
    language: t.string({ description: 'First language, BCP 47.' }),
    languages: t.stringList({ description: 'All languages, BCP 47.' }),
    timezone: t.string({ description: 'IANA timezone.' }),
    timezoneOffsetMinutes: t.int({
      description: 'Minutes as Date.getTimezoneOffset() gives them: west is positive.',
    }),
    platform: t.string({ description: 'navigator.platform.' }),
    clientHints: t.field({ type: 'JSONObject', description: 'User agent client hints.' }),
  }),
});

const DeviceFactsInput = builder.inputType('DeviceFactsInput', {
  description: 'What the device says of itself.',
  fields: (t) => ({
    os: t.string({ description: 'Operating system with version.' }),
    type: t.string({ description: 'Kind of device.' }),
    gpu: t.string({ description: 'Graphics renderer.' }),
    cpuCores: t.int({ description: 'Logical processors.' }),
    memory: t.float({ description: 'Memory in GB.' }),
    screenWidth: t.int({ description: 'CSS pixels.' }),
    screenHeight: t.int({ description: 'CSS pixels.' }),
    pixelRatio: t.float({ description: 'Device pixels per CSS pixel.' }),
    touchPoints: t.int({ description: 'navigator.maxTouchPoints.' }),
    components: t.field({
      type: 'JSONObject',
      description: 'Components of a fingerprint; equal ones are one device.',
    }),
  }),
});

const LocationFactsInput = builder.inputType('LocationFactsInput', {
  description: 'Where the device says it is.',
  fields: (t) => ({
    latitude: t.float({ description: 'Degrees north, -90 to 90.' }),
    longitude: t.float({ description: 'Degrees east, -180 to 180.' }),
    accuracyM: t.float({ description: 'Radius in metres.' }),
    mock: t.boolean({ description: 'Whether the system says that the location is simulated.' }),
  }),
});

const BotFactsInput = builder.inputType('BotFactsInput', {
  description: 'Counts of interaction.',
  fields: (t) => ({
    mouseNumEvents: t.int({ description: 'Mouse movements.' }),
    clickNumEvents: t.int({ description: 'Clicks.' }),
    keyboardNumEvents: t.int({ description: 'Key presses.' }),
    touchNumEvents: t.int({ description: 'Touches.' }),
    clipboardNumEvents: t.int({ description: 'Copies and pastes.' }),
  }),
});

const BatteryFactsInput = builder.inputType('BatteryFactsInput', {
  description: 'The battery of a phone.',
  fields: (t) => ({
    level: t.float({ description: 'Charge, 0 to 1.' }),
    charging: t.boolean({ description: 'Whether it is charging.' }),
  }),
});

const IntegrityFactsInput = builder.inputType('IntegrityFactsInput', {
  description: "The manufacturer's verdict on app and device.",
  fields: (t) => ({
    provider: t.string({ description: 'play_integrity, app_attest or device_check.' }),
    verdict: t.string({ description: 'The verdict.' }),
    verdicts: t.stringList({ description: 'All verdicts.' }),
  }),
});

const MobileFactsInput = builder.inputType('MobileFactsInput', {
  description: 'What a mobile SDK tells of the phone.',
  fields: (t) => ({
    brand: t.string({ description: 'Brand.' }),
    model: t.string({ description: 'Model.' }),
    ramMb: t.int({ description: 'Memory in MB.' }),
    bootCount: t.int({ description: 'Boots since the last reset.' }),
    uptimeSeconds: t.float({ description: 'Seconds since boot.' }),
    battery: t.field({ type: BatteryFactsInput, description: 'Battery.' }),
    languages: t.stringList({ description: 'Languages, BCP 47.' }),
    integrity: t.field({ type: IntegrityFactsInput, description: 'Integrity verdicts.' }),
  }),
});

const CarrierFactsInput = builder.inputType('CarrierFactsInput', {
  description: 'The operator of the SIM card.',
  fields: (t) => ({
    name: t.string({ description: 'Name.' }),
    countryCode: t.string({ description: 'ISO 3166-1 alpha-2.' }),
    mcc: t.string({ description: 'Mobile country code.' }),
    mnc: t.string({ description: 'Mobile network code.' }),
  }),
});

const SessionFactsInput = builder.inputType('SessionFactsInput', {
  description: 'What a client tells of a session. Claims: every verdict is recomputed from them.',
  fields: (t) => ({
    source: t.string({ description: 'web (default), ios or android.' }),
    sourceVersion: t.string({ description: 'Version of the integration.' }),
    browser: t.field({ type: BrowserFactsInput, description: 'Browser.' }),
    device: t.field({ type: DeviceFactsInput, description: 'Device.' }),
    location: t.field({ type: LocationFactsInput, description: 'Location of the device.' }),
    bot: t.field({ type: BotFactsInput, description: 'Interaction.' }),
    checks: t.field({ type: 'JSONObject', description: 'Raw values of consistency checks.' }),
    mobile: t.field({ type: MobileFactsInput, description: 'Phone, from a mobile SDK.' }),
    carrier: t.field({ type: CarrierFactsInput, description: 'SIM card, from a mobile SDK.' }),
  }),
  validate: sessionFactsShape,
});

const StatedFactsInput = builder.inputType('StatedFactsInput', {
  description: 'Sandbox only: what is otherwise observed of the connection, so that any case can be played.',
  fields: (t) => ({
    ipAddress: t.string({ description: 'IPv4 or IPv6 address.' }),
    headers: t.field({ type: 'JSONObject', description: 'HTTP headers, names to texts.' }),
    startTime: t.field({ type: 'DateTime', description: 'When it began; now by default.' }),
    browserId: t.string({ description: 'First-party browser id: any text.' }),
    deviceId: t.string({ description: 'Device: any text; shown in its hashed form.' }),
    open: t.boolean({ description: 'Whether the session stays open; it is complete at once otherwise.' }),
  }),
  validate: statedFactsShape,
});

const CreateSessionInput = builder.inputType('CreateSessionInput', {
  description: 'A session to open.',
  fields: (t) => ({
    facts: t.field({ type: SessionFactsInput, description: 'What the client tells.' }),
    stated: t.field({ type: StatedFactsInput, description: 'Sandbox only: what is otherwise observed.' }),
  }),
});

const AddSessionFactsInput = builder.inputType('AddSessionFactsInput', {
  description: 'Facts to add to an open session.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of the session.' }),
    facts: t.field({
      type: SessionFactsInput,
      required: true,
      description: 'Facts; given values replace earlier ones.',
    }),
  }),
});

const CompleteSessionInput = builder.inputType('CompleteSessionInput', {
  description: 'The session to complete.',
  fields: (t) => ({ sessionId: t.id({ required: true, description: 'Id of the session.' }) }),
});

const ScoreSessionInput = builder.inputType('ScoreSessionInput', {
  description: 'The session to score without an account.',
  fields: (t) => ({ sessionId: t.id({ required: true, description: 'Id of the session.' }) }),
});

const CreateSessionPayload = builder
  .objectRef<{ requestId: string; session: Session; token: string; expiresAt: Date; browserToken: string }>(
    'CreateSessionPayload',
  )
  .implement({
    description: 'The opened session, and the token to add to it.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      session: t.field({
        type: SessionRef,
        description: 'The session.',
        resolve: (payload) => payload.session,
      }),
      token: t.exposeString('token', {
        description:
          'Token of the session. The page sends it as Authorization: Bearer with PATCH /session/{session_id} and POST ' +
          '/session/{session_id}/complete of REST; GraphQL does not accept it.',
      }),
      browserToken: t.exposeString('browserToken', {
        description:
          "The browser's signed id, for a page to keep and to send as browser_token with its next session; empty for a " +
          'session that a server states.',
      }),
      environment: t.string({
        description: 'sandbox or production: the environment of the project.',
        resolve: ({ session }) => session.project.environment,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'A session that is not bound to an account by then can no longer be.',
        resolve: (payload) => payload.expiresAt,
      }),
    }),
  });

const SessionPayload = builder
  .objectRef<{ requestId: string; session: Session }>('SessionPayload')
  .implement({
    description: 'The session after the change.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      session: t.field({
        type: SessionRef,
        description: 'The session.',
        resolve: (payload) => payload.session,
      }),
    }),
  });

const ScoreSessionPayload = builder
  .objectRef<ScoredSession & { requestId: string }>('ScoreSessionPayload')
  .implement({
    description: 'How a new account that came with this session, and nothing else, would be scored.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      session: t.field({
        type: SessionRef,
        description: 'The session.',
        resolve: (payload) => payload.session,
      }),
      decision: t.field({
        type: DecisionType,
        description: 'By the thresholds.',
        resolve: (payload) => payload.decision,
      }),
      accountScore: t.exposeFloat('accountScore', { description: 'Overall risk, 0 to 1.' }),
      bot: t.exposeFloat('bot', { description: 'Automation, 0 to 1.' }),
      multipleAccounts: t.exposeFloat('multipleAccounts', {
        description: 'By the accounts it points to, 0 to 1.',
      }),
      riskSignals: t.exposeFloat('riskSignals', { description: 'Risk signals in one number, 0 to 1.' }),
      accountsLinked: t.int({
        description: 'How many accounts it points to; stops at 1,500.',
        resolve: (payload) => payload.links.length,
      }),
      lists: t.stringList({
        description: 'Empty: a session without an account is on no list.',
        resolve: () => [],
      }),
      linkedAccounts: t.field({
        type: [LinkedAccount],
        description: 'The accounts it points to, the strongest first.',
        complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
        args: { first: t.arg.int({ description: 'How many, 1,500 at most; 20 by default.' }) },
        resolve: (payload, { first }, { viewer }) =>
          accountsOfLinks(viewer, payload.links.slice(0, Math.max(0, first ?? 20))),
      }),
    }),
  });

builder.mutationFields((t) => ({
  createSession: t.field({
    type: CreateSessionPayload,
    description:
      'Opens a session. A page does so without a key; with a key, in a sandbox project, a server states one. ' +
      'Its facts have at most 32 KB as JSON. Errors: session.stated_in_production, session.facts_too_long, input.invalid.',
    // With a key it is simulated, from a page it is observed.
    authScopes: { $any: { may: 'session.simulate', $all: { may: 'session.create' } } },
    args: { input: t.arg({ type: CreateSessionInput, required: true, description: 'The session.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, connection }) => {
      // The shapes of the inputs have checked both.
      const facts = (input.facts ?? {}) as SessionFacts;
      const stated = (input.stated ?? {}) as StatedFacts;
      const opened =
        viewer.kind === 'collector'
          ? await services.sessions.open(viewer, requestId, facts, connection)
          : await services.sessions.simulate(viewer, requestId, facts, stated);
      return { requestId, ...opened };
    },
  }),
  addSessionFacts: t.field({
    type: SessionPayload,
    description:
      'Adds facts to an open session. Requires a key with the role server; a page with the token of its session uses ' +
      'PATCH /session/{session_id} of REST. Errors: session.not_found, session.complete, session.expired, ' +
      'session.facts_too_long, input.invalid.',
    authScopes: { may: 'session.add_facts' },
    args: { input: t.arg({ type: AddSessionFactsInput, required: true, description: 'Session and facts.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, connection }) => {
      const facts = input.facts as SessionFacts;
      const ip = viewer.kind === 'collector' ? connection.ip : '';
      return { requestId, session: await services.sessions.addFacts(viewer, input.sessionId, facts, ip) };
    },
  }),
  completeSession: t.field({
    type: SessionPayload,
    description:
      'Completes a session; a completed one stays as it is. Requires a key with the role server; a page with the token of its ' +
      'session uses POST /session/{session_id}/complete of REST. Errors: session.not_found, session.expired.',
    authScopes: { may: 'session.complete' },
    args: { input: t.arg({ type: CompleteSessionInput, required: true, description: 'The session.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      session: await services.sessions.complete(viewer, input.sessionId),
    }),
  }),
  scoreSession: t.field({
    type: ScoreSessionPayload,
    description:
      'Scores a session without binding it to an account; nothing is written. Errors: session.not_found.',
    authScopes: { may: 'session.score' },
    args: { input: t.arg({ type: ScoreSessionInput, required: true, description: 'The session.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const session = await services.sessions.get(viewer, input.sessionId);
      return { requestId, ...(await scoreSession(viewer, session)) };
    },
  }),
}));
