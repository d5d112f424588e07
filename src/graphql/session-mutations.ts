import type { Session } from '../domain/sessions/session.ts';
import {
  type SessionFactsInput as SessionFacts,
  type SimulatedFacts,
  sessionFactsShape,
  simulatedFactsShape,
} from '../domain/sessions/session-input.ts';
import { builder } from './builder.ts';
import { known } from './known.ts';
import { Environment } from './project.ts';
import { SessionRef } from './session.ts';
import { IntegrityProviderEnum, SessionSourceEnum } from './session-enums.ts';

const BrowserFactsInput = builder.inputType('BrowserFactsInput', {
  description: 'Facts that a browser reports.',
  fields: (t) => ({
    userAgent: t.string({
      description: "User agent; the header of a page's request replaces it.",
    }),
    language: t.string({ description: 'First language, BCP 47.' }),
    languages: t.stringList({ description: 'All languages, BCP 47.' }),
    timezone: t.string({ description: 'IANA timezone.' }),
    timezoneOffsetMinutes: t.int({
      description: 'Minutes as of Date.getTimezoneOffset(): west is positive.',
    }),
    platform: t.string({ description: 'Value of navigator.platform.' }),
    clientHints: t.field({ type: 'JSONObject', description: 'User agent client hints.' }),
  }),
});

const DeviceFactsInput = builder.inputType('DeviceFactsInput', {
  description: 'Facts that a device reports.',
  fields: (t) => ({
    os: t.string({ description: 'Operating system with version.' }),
    type: t.string({ description: 'Kind of device.' }),
    gpu: t.string({ description: 'Graphics renderer.' }),
    cpuCores: t.int({ description: 'Logical processors.' }),
    memory: t.float({ description: 'Memory in GB.' }),
    screenWidth: t.int({ description: 'CSS pixels.' }),
    screenHeight: t.int({ description: 'CSS pixels.' }),
    pixelRatio: t.float({ description: 'Device pixels per CSS pixel.' }),
    touchPoints: t.int({ description: 'Value of navigator.maxTouchPoints.' }),
    components: t.field({
      type: 'JSONObject',
      description: 'Components of a fingerprint; equal components are one device.',
    }),
  }),
});

const LocationFactsInput = builder.inputType('LocationFactsInput', {
  description: 'Location that a device reports.',
  fields: (t) => ({
    latitude: t.float({ description: 'Degrees north, -90 to 90.' }),
    longitude: t.float({ description: 'Degrees east, -180 to 180.' }),
    accuracyM: t.float({ description: 'Radius in metres.' }),
    mock: t.boolean({ description: 'Whether the system marks the location as simulated.' }),
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
  description: 'Verdict of the manufacturer on app and device.',
  fields: (t) => ({
    provider: t.field({ type: IntegrityProviderEnum, description: 'Service that made the verdict.' }),
    verdict: t.string({ description: 'The verdict.' }),
    verdicts: t.stringList({ description: 'All verdicts.' }),
  }),
});

const MobileFactsInput = builder.inputType('MobileFactsInput', {
  description: 'Facts of a phone that a mobile SDK reports.',
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
  description:
    'Facts of a session that a client reports. They are claims: risk signals are computed from all of them together.',
  fields: (t) => ({
    source: t.field({ type: SessionSourceEnum, description: 'Kind of client; WEB by default.' }),
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

const SimulatedFactsInput = builder.inputType('SimulatedFactsInput', {
  description:
    'Facts of a simulated session that are otherwise observed of the connection. Sandbox projects only.',
  fields: (t) => ({
    ipAddress: t.string({ description: 'IPv4 or IPv6 address.' }),
    headers: t.field({ type: 'JSONObject', description: 'HTTP headers: texts by name.' }),
    startTime: t.field({ type: 'DateTime', description: 'Start of the session; now by default.' }),
    browserId: t.string({ description: 'First-party browser id: any text.' }),
    deviceId: t.string({ description: 'Device: any text, which is shown hashed.' }),
    open: t.boolean({ description: 'Whether the session stays open. By default it is completed at once.' }),
  }),
  validate: simulatedFactsShape,
});

const CreateSessionInput = builder.inputType('CreateSessionInput', {
  description: 'A session to open.',
  fields: (t) => ({
    facts: t.field({ type: SessionFactsInput, description: 'Facts that the client reports.' }),
    simulated: t.field({
      type: SimulatedFactsInput,
      description: 'Facts that are otherwise observed. Sandbox projects only.',
    }),
  }),
});

const AddSessionFactsInput = builder.inputType('AddSessionFactsInput', {
  description: 'Facts to add to an open session.',
  fields: (t) => ({
    sessionId: t.id({ required: true, description: 'Id of the session.' }),
    facts: t.field({
      type: SessionFactsInput,
      required: true,
      description: 'Facts; values that are set replace earlier ones.',
    }),
  }),
});

const CompleteSessionInput = builder.inputType('CompleteSessionInput', {
  description: 'The session to complete.',
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
      browserToken: t.string({
        nullable: true,
        description:
          'Signed id of the browser, which a page stores and sends as browser_token with its next session; null for a ' +
          'simulated session.',
        resolve: ({ browserToken }) => known(browserToken),
      }),
      environment: t.field({
        type: Environment,
        description: 'Environment of the project.',
        resolve: ({ session }) => session.project.environment,
      }),
      expiresAt: t.field({
        type: 'DateTime',
        description: 'Time from which a session without an account can no longer be bound to one.',
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

builder.mutationFields((t) => ({
  createSession: t.field({
    type: CreateSessionPayload,
    nullable: true,
    description:
      'Opens a session: from a page, without a key, or as a simulated session with a key of a sandbox project. ' +
      'Its facts have at most 32 KB as JSON. Errors: session.simulated_in_production, session.facts_too_long, input.invalid.',
    // With a key it is simulated, from a page it is observed.
    authScopes: { $any: { may: 'session.simulate', $all: { may: 'session.create' } } },
    args: { input: t.arg({ type: CreateSessionInput, required: true, description: 'The session.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId, connection }) => {
      // The shapes of the inputs have checked both.
      const facts = (input.facts ?? {}) as SessionFacts;
      const simulated = (input.simulated ?? {}) as SimulatedFacts;
      const opened =
        viewer.kind === 'collector'
          ? await services.sessions.open(viewer, requestId, facts, connection)
          : await services.sessions.simulate(viewer, requestId, facts, simulated);
      return { requestId, ...opened };
    },
  }),
  addSessionFacts: t.field({
    type: SessionPayload,
    nullable: true,
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
    nullable: true,
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
}));
