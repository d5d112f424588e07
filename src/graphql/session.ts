import { isWithin } from '../domain/projects/assert-may.ts';
import { Session } from '../domain/sessions/session.ts';
import { sessionFactsShape } from '../domain/sessions/session-input.ts';
import {
  listSessions,
  listSessionsOfAccount,
  readAccountIdsOfSessions,
  type SessionSearch,
} from '../domain/sessions/session-read-service.ts';
import type { MobileFacts, SessionResult } from '../domain/sessions/session-result.ts';
import { coverageOf, privateRelayOf } from '../domain/signals/assessment/coverage.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { isUuid } from '../platform/ids.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { RiskSignalDetails, RiskSignalScores, RiskSignals, SessionCoverageType } from './risk.ts';

const text = (description: string) => ({ description: `${description} Empty when unknown.` });

type SessionNetwork = SessionResult['network'] & { privateRelay: boolean | null };

const Network = builder.objectRef<SessionNetwork>('SessionNetwork').implement({
  description: 'The network that a session came through.',
  fields: (t) => ({
    ipAddress: t.exposeString('ipAddress', text('IPv4 or IPv6 address.')),
    serviceProvider: t.exposeString('serviceProvider', text('Name of the operator of the address.')),
    connectionType: t.exposeString(
      'connectionType',
      text(
        'satellite, private_relay, hosting, mobile, education, government, business or isp. Another value than ' +
          'private_relay excludes a privacy relay only when privateRelay is false.',
      ),
    ),
    privateRelay: t.boolean({
      nullable: true,
      description:
        'Whether the address belongs to a privacy relay, such as iCloud Private Relay. Null: unknown, since no list of ' +
        'relays was available or the session has no public address.',
      resolve: (network) => network.privateRelay,
    }),
  }),
});

const Location = builder.objectRef<SessionResult['location']>('SessionLocation').implement({
  description: 'Where the address of a session is, by IP geolocation by DB-IP (db-ip.com).',
  fields: (t) => ({
    continent: t.exposeString('continent', text('Two letters: AF, AN, AS, EU, NA, OC, SA.')),
    countryCode: t.exposeString('countryCode', text('ISO 3166-1 alpha-2.')),
    state: t.exposeString('state', text('Full name of the state or region.')),
    city: t.exposeString('city', text('City.')),
    zipCode: t.exposeString('zipCode', text('Postal code.')),
    timezone: t.exposeString('timezone', text('IANA timezone of the coordinates.')),
    latitude: t.float({
      nullable: true,
      description: 'Degrees north, -90 to 90.',
      resolve: (l) => l.latitude,
    }),
    longitude: t.float({
      nullable: true,
      description: 'Degrees east, -180 to 180.',
      resolve: (l) => l.longitude,
    }),
  }),
});

const Browser = builder.objectRef<SessionResult['browser']>('SessionBrowser').implement({
  description: 'The browser of a session.',
  fields: (t) => ({
    type: t.exposeString('type', text('Name, such as Chrome.')),
    version: t.exposeString('version', text('Full version, such as 137.0.0.0.')),
    language: t.exposeString('language', text('First language as BCP 47.')),
    userAgent: t.exposeString('userAgent', text('User agent.')),
    timezone: t.exposeString('timezone', text('IANA timezone that the browser states.')),
  }),
});

const Device = builder.objectRef<SessionResult['device']>('SessionDevice').implement({
  description: 'The device of a session.',
  fields: (t) => ({
    category: t.exposeString('category', {
      description: 'desktop, mobile, tablet, console, smarttv, wearable, embedded or other.',
    }),
    type: t.exposeString('type', text('Kind, such as Mac, iPhone or Windows PC.')),
    os: t.exposeString('os', text('Operating system with version, such as macOS 10.15.7.')),
    gpu: t.exposeString('gpu', text('Graphics renderer as the browser states it.')),
    cpuCores: t.int({ nullable: true, description: 'Logical processors.', resolve: (d) => d.cpuCores }),
    memory: t.int({
      nullable: true,
      description: 'Memory in GB, as the browser rounds it.',
      resolve: (d) => d.memory,
    }),
    screenHeight: t.int({ nullable: true, description: 'CSS pixels.', resolve: (d) => d.screenHeight }),
    screenWidth: t.int({ nullable: true, description: 'CSS pixels.', resolve: (d) => d.screenWidth }),
  }),
});

const Bot = builder.objectRef<SessionResult['bot']>('SessionBot').implement({
  description: 'How often a person, or something like one, did what.',
  fields: (t) => ({
    mouseNumEvents: t.exposeInt('mouseNumEvents', { description: 'Mouse movements.' }),
    clickNumEvents: t.exposeInt('clickNumEvents', { description: 'Clicks.' }),
    keyboardNumEvents: t.exposeInt('keyboardNumEvents', { description: 'Key presses.' }),
    touchNumEvents: t.exposeInt('touchNumEvents', { description: 'Touches.' }),
    clipboardNumEvents: t.exposeInt('clipboardNumEvents', { description: 'Copies and pastes.' }),
  }),
});

const Battery = builder.objectRef<MobileFacts['battery']>('SessionBattery').implement({
  description: 'The battery of a phone.',
  fields: (t) => ({
    level: t.float({ nullable: true, description: 'Charge, 0 to 1.', resolve: (b) => b.level }),
    charging: t.boolean({
      nullable: true,
      description: 'Whether it is charging.',
      resolve: (b) => b.charging,
    }),
  }),
});

const Integrity = builder.objectRef<MobileFacts['integrity']>('SessionIntegrity').implement({
  description: "The manufacturer's verdict on app and device.",
  fields: (t) => ({
    provider: t.exposeString('provider', text('play_integrity, app_attest or device_check.')),
    verdict: t.exposeString('verdict', text('The verdict.')),
    verdicts: t.exposeStringList('verdicts', { description: 'All verdicts.' }),
  }),
});

const Mobile = builder.objectRef<MobileFacts>('SessionMobile').implement({
  description: 'What the iOS and Android SDKs tell of the phone.',
  fields: (t) => ({
    brand: t.exposeString('brand', text('Brand.')),
    model: t.exposeString('model', text('Model.')),
    ramMb: t.int({ nullable: true, description: 'Memory in MB.', resolve: (m) => m.ramMb }),
    bootCount: t.int({
      nullable: true,
      description: 'Boots since the last reset.',
      resolve: (m) => m.bootCount,
    }),
    uptimeSeconds: t.float({
      nullable: true,
      description: 'Seconds since boot.',
      resolve: (m) => m.uptimeSeconds,
    }),
    battery: t.field({ type: Battery, description: 'Battery.', resolve: (m) => m.battery }),
    languages: t.exposeStringList('languages', { description: 'Languages of the phone as BCP 47.' }),
    integrity: t.field({ type: Integrity, description: 'Integrity verdicts.', resolve: (m) => m.integrity }),
  }),
});

const Carrier = builder.objectRef<NonNullable<SessionResult['carrier']>>('SessionCarrier').implement({
  description: 'The operator of the SIM card.',
  fields: (t) => ({
    name: t.exposeString('name', text('Name.')),
    countryCode: t.exposeString('countryCode', text('Country that it operates in, ISO 3166-1 alpha-2.')),
    mcc: t.exposeString('mcc', text('Mobile country code.')),
    mnc: t.exposeString('mnc', text('Mobile network code.')),
  }),
});

export const SessionRef = builder.objectRef<Session>('Session');

builder.node(SessionRef, {
  description:
    'One visit: the facts of device, network, location and browser, with what they say of the risk.',
  id: { resolve: (session) => session.sessionId, description: 'Global id.' },
  isTypeOf: (value) => value instanceof Session,
  loadMany: (ids, { viewer, loaders }) =>
    Promise.all(
      ids.map((id) => (isUuid(id) && isWithin(viewer, { sessionId: id }) ? loaders.session.load(id) : null)),
    ),
  fields: (t) => ({
    sessionId: t.field({ type: 'UUID', description: 'Id of the session.', resolve: (s) => s.row.session_id }),
    requestId: t.field({
      type: 'UUID',
      description: 'Id of the request that opened it.',
      resolve: (s) => s.row.request_id,
    }),
    projectId: t.field({
      type: 'UUID',
      description: 'Project it belongs to.',
      resolve: (s) => s.project.projectId,
    }),
    accountIds: t.loadableList({
      type: 'String',
      description: "The client's ids of the accounts that are bound to it, in the order of binding.",
      load: (ids: string[], { viewer }) => readAccountIdsOfSessions(viewer, ids),
      resolve: (s) => s.sessionId,
    }),
    startTime: t.field({ type: 'DateTime', description: 'When it began.', resolve: (s) => s.row.start_time }),
    expiresAt: t.field({
      type: 'DateTime',
      description: 'A session that is not bound to an account by then can no longer be.',
      resolve: (s) => s.row.expires_at,
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it was completed; null while it is open.',
      resolve: (s) => s.row.completed_at,
    }),
    simulated: t.boolean({
      description: 'Whether a server stated it with a sandbox key, rather than a client being observed.',
      resolve: (s) => s.row.simulated,
    }),
    trueCountryCode: t.field({
      type: 'CountryCode',
      nullable: true,
      description: 'The country that the evidence speaks for; null unless it is a two-letter ISO code.',
      resolve: (s) => s.row.true_country_code || null,
    }),
    deviceId: t.string({
      ...text('22 characters of base62; equal for equal devices.'),
      resolve: (s) => s.row.device_id,
    }),
    source: t.string({ description: 'web, ios or android.', resolve: (s) => s.row.source }),
    sourceVersion: t.string({ ...text('Version of the integration.'), resolve: (s) => s.row.source_version }),
    network: t.field({
      type: Network,
      description: 'Network.',
      resolve: ({ result: { network, lookedAt } }) => ({
        ...network,
        privateRelay: privateRelayOf(network.connectionType, lookedAt),
      }),
    }),
    location: t.field({
      type: Location,
      description: 'Location of the address.',
      resolve: (s) => s.result.location,
    }),
    browser: t.field({ type: Browser, description: 'Browser.', resolve: (s) => s.result.browser }),
    device: t.field({ type: Device, description: 'Device.', resolve: (s) => s.result.device }),
    bot: t.field({ type: Bot, description: 'Counts of interaction.', resolve: (s) => s.result.bot }),
    riskSignals: t.field({
      type: RiskSignals,
      description: 'Which signals are raised.',
      resolve: (s) => s.result.riskSignals,
    }),
    riskSignalScores: t.field({
      type: RiskSignalScores,
      description: 'The signals as scores.',
      resolve: (s) => s.result.riskSignalScores,
    }),
    riskSignalDetails: t.field({
      type: RiskSignalDetails,
      description: 'The reasons behind the scores.',
      resolve: (s) => s.result.riskSignalDetails,
    }),
    coverage: t.field({
      type: [SessionCoverageType],
      nullable: true,
      description:
        'Every source of evidence, and whether this session could be looked at with it. What was not looked at is ' +
        'unknown, not clean. Null for sessions that were stored before it was recorded.',
      resolve: (s) => s.result.lookedAt && coverageOf(s.result.lookedAt),
    }),
    weightsVersion: t.string({
      description: 'Version of the weights behind the scores.',
      resolve: (s) => s.result.weightsVersion,
    }),
    calibrationVersion: t.int({
      nullable: true,
      description:
        "Version of the project's calibration that was applied; null: the scores are uncalibrated.",
      resolve: (s) => s.result.calibrationVersion ?? null,
    }),
    mobile: t.field({
      type: Mobile,
      nullable: true,
      description: 'Null unless a mobile SDK reported it.',
      resolve: (s) => s.result.mobile,
    }),
    carrier: t.field({
      type: Carrier,
      nullable: true,
      description: 'Null unless a mobile SDK reported it.',
      resolve: (s) => s.result.carrier,
    }),
    locationSpoofing: t.float({
      description: 'The score of location spoofing again, 0 to 1.',
      resolve: (s) => s.result.riskSignalScores.locationSpoofing,
    }),
    botScore: t.float({
      description: 'How likely an automated client is, 0 to 1.',
      resolve: (s) => s.result.botScore,
    }),
  }),
});

const SessionFilter = builder.inputType('SessionFilter', {
  description: 'Which sessions; all conditions together.',
  fields: (t) => ({
    source: t.string({ description: 'web, ios or android.', validate: enumShape() }),
    connectionType: t.string({ description: 'Such as hosting or mobile.' }),
    countryCode: t.field({ type: 'CountryCode', description: 'True country.' }),
    startedAfter: t.field({ type: 'DateTime', description: 'Began at or after.' }),
    startedBefore: t.field({ type: 'DateTime', description: 'Began before.' }),
  }),
});

function enumShape() {
  return sessionFactsShape.shape.source;
}

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Direction of an order.',
  values: {
    ASC: { description: 'Smallest or oldest first.' },
    DESC: { description: 'Largest or newest first.' },
  } as const,
});

type SessionPageArgs = {
  first?: number | null;
  after?: string | null;
  filter?: (typeof SessionFilter)['$inferInput'] | null;
  direction?: 'ASC' | 'DESC' | null;
};

/** A page of sessions, of one account or of the project. */
export async function sessionPage(context: GraphQLContext, accountId: string | null, args: SessionPageArgs) {
  const { project } = context.viewer;
  const size = pageSize(args.first, context);
  const filter = args.filter ?? {};
  const direction = args.direction ?? 'DESC';
  const scope = JSON.stringify(['sessions', accountId, filter, direction]);
  const after = args.after == null ? null : decodeCursor(project.cipher, scope, args.after);
  const search: Omit<SessionSearch, 'accountId'> = {
    source: filter.source,
    connectionType: filter.connectionType,
    country: filter.countryCode,
    startedAfter: filter.startedAfter,
    startedBefore: filter.startedBefore,
    direction,
    after: after && [String(after[0]), String(after[1])],
    limit: size + 1,
  };
  const sessions = await (accountId === null
    ? listSessions(context.viewer, search)
    : listSessionsOfAccount(context.viewer, accountId, search));
  return toPage(sessions, size, {
    context,
    scope,
    hasPrevious: after !== null,
    position: ({ row }) => [row.start_time.toISOString(), row.session_id],
    edge: (node) => ({ node }),
  });
}

export const SessionConnection = builder.connectionObject(
  { type: SessionRef, name: 'SessionConnection', description: 'A page of sessions.' },
  { name: 'SessionEdge', description: 'A session in a page.' },
);

builder.queryFields((t) => ({
  session: t.field({
    type: SessionRef,
    nullable: true,
    description: 'A session by its id; null when there is none, or it is not yours to see.',
    authScopes: { may: 'session.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the session.' }) },
    resolve: (_root, { id }, { viewer, services }) => services.sessions.find(viewer, id),
  }),
  sessions: t.field({
    type: SessionConnection,
    description: 'Sessions of the project by their start, the newest first unless asked otherwise.',
    authScopes: { may: 'session.search' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor to go on behind.' }),
      filter: t.arg({ type: SessionFilter, description: 'Which sessions.' }),
      direction: t.arg({ type: OrderDirection, description: 'By start; DESC by default.' }),
    },
    resolve: (_root, args, context) => sessionPage(context, null, args),
  }),
}));
