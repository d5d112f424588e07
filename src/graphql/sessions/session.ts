import { VERIFICATION_SCOPES } from '@vouchgraph/events';
import { coverageOf, privateRelayOf, type SessionSource } from '@vouchgraph/signals';
import { hasScope } from '../../domain/projects/assert-may.ts';
import { Session } from '../../domain/sessions/session.ts';
import {
  countSessions,
  listSessions,
  readAccountIdsOfSessions,
  visibleSessionIds,
} from '../../domain/sessions/session-read-service.ts';
import { readEndedIds } from '../../domain/verification/find-verification-service.ts';
import { builder } from '../kernel/builder.ts';
import { byItself, byProperties } from '../kernel/collect-subjects.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { known } from '../kernel/known.ts';
import {
  DecisionType,
  RiskSignalDetails,
  RiskSignalEnum,
  RiskSignalScores,
  RiskSignals,
  SessionCoverageType,
} from '../kernel/risk.ts';
import { ConnectionTypeEnum, SessionSourceEnum } from './session-enums.ts';
import {
  BotType,
  BrowserType,
  CarrierType,
  DeviceType,
  LocationType,
  MobileType,
  NetworkType,
} from './session-parts.ts';

/**
 * Sessions by their ids; null for those that the viewer may not read. A token limited to an account reads the sessions
 * bound to it, and those of its ended verifications, which need not be bound.
 */
async function findSessions(ids: readonly string[], context: GraphQLContext): Promise<(Session | null)[]> {
  const { viewer, loaders } = context;
  const visible = await visibleSessionIds(viewer, ids);
  const readsChecks = viewer.accountId !== undefined && hasScope(viewer, VERIFICATION_SCOPES);
  const others = ids.filter((id) => readsChecks && !visible.has(id.toLowerCase()));
  const ended = new Set(others.length === 0 ? [] : await readEndedIds(viewer, others));
  return Promise.all(
    ids.map((given) => {
      const id = given.toLowerCase();
      return visible.has(id) || ended.has(id) ? loaders.session.load(id) : null;
    }),
  );
}

export const SessionRef = builder.objectRef<Session>('Session');

builder.node(SessionRef, {
  tokenScopes: ['ACCOUNT'],
  subjects: byItself,
  revealedBy: ({ sessionId }) => ({ session: sessionId, accountsOfSession: sessionId }),
  description: 'Session of a client: facts of its device, network, location and browser, with risk signals.',
  id: { resolve: (session) => session.sessionId, description: 'Global id.' },
  isTypeOf: (value) => value instanceof Session,
  loadMany: findSessions,
  fields: (t) => ({
    sessionId: t.field({
      columns: 'summary',
      type: 'UUID',
      description: 'Id of the session.',
      resolve: (s) => s.row.session_id,
    }),
    requestId: t.field({
      columns: 'summary',
      type: 'UUID',
      description: 'Id of the request that opened the session.',
      resolve: (s) => s.row.request_id,
    }),
    accountIds: t.loadableList({
      namesAccount: true,
      rest: {
        unknown: 'never',
        description:
          'Ids of the accounts that the session is bound to, assigned by the client, in the order of binding.',
      },
      type: 'ID',
      nullable: true,
      description:
        'Ids of the accounts that the session is bound to, assigned by the client, in the order of ' +
        'binding. A browser token limited to an account receives the id of that account only. Null with ' +
        'an error for tokens limited to a session. Errors: `auth.forbidden` (tokens limited to a ' +
        'session).',
      load: (ids: string[], { viewer }) => readAccountIdsOfSessions(viewer, ids),
      resolve: (s) => s.sessionId,
    }),
    startTime: t.field({
      columns: 'summary',
      type: 'DateTime',
      description: 'Start of the session.',
      resolve: (s) => s.row.start_time,
    }),
    expiresAt: t.field({
      columns: 'summary',
      type: 'DateTime',
      description: 'Time from which a session without an account cannot be bound to one.',
      resolve: (s) => s.row.expires_at,
    }),
    completedAt: t.field({
      columns: 'summary',
      type: 'DateTime',
      nullable: true,
      description: 'Completion time. Null if the session is open.',
      resolve: (s) => s.row.completed_at,
    }),
    simulated: t.boolean({
      columns: 'summary',
      description: 'Whether the session is simulated: a server created it with a sandbox key.',
      resolve: (s) => s.row.simulated,
    }),
  }),
});

/** Facts of the client and its connection. */
builder.objectFields(SessionRef, (t) => ({
  trueCountryCode: t.field({
    rest: { unknown: 'absent', within: { 'Verification.session': { unknown: 'null' } } },
    columns: 'summary',
    type: 'CountryCode',
    nullable: true,
    description: 'Country of the person, according to the evidence. Null if unknown.',
    resolve: (s) => s.row.true_country_code || null,
  }),
  deviceId: t.string({
    mask: 'none',
    columns: 'summary',
    nullable: true,
    description:
      'Fingerprint of the device: 22 characters of base62, equal for equal devices. Null if unknown.',
    resolve: (s) => known(s.row.device_id),
  }),
  source: t.field({
    columns: 'summary',
    type: SessionSourceEnum,
    description: 'Kind of client.',
    resolve: (s) => s.row.source as SessionSource,
  }),
  sourceVersion: t.string({
    mask: 'none',
    columns: 'summary',
    nullable: true,
    description: 'Version of the integration. Null if unknown.',
    resolve: (s) => known(s.row.source_version),
  }),
  network: t.field({
    type: NetworkType,
    description: 'Network.',
    resolve: ({ result: { network, examined } }) => ({
      ...network,
      privateRelay: privateRelayOf(network.connectionType, examined),
    }),
  }),
  location: t.field({
    type: LocationType,
    description: 'Location of the IP address.',
    resolve: (s) => s.result.location,
  }),
  browser: t.field({ type: BrowserType, description: 'Browser.', resolve: (s) => s.result.browser }),
  device: t.field({ type: DeviceType, description: 'Device.', resolve: (s) => s.result.device }),
  bot: t.field({
    rest: { description: 'Counts of interactions by kind, 0 or more each. 0 if none was reported.' },
    type: BotType,
    description:
      'Counts of interactions by kind, 0 or more each. 0 if none was reported. botScore is the score of ' +
      'automation.',
    resolve: (s) => s.result.bot,
  }),
}));

/** Risk signals with their evidence. */
builder.objectFields(SessionRef, (t) => ({
  riskSignals: t.field({
    type: RiskSignals,
    description: 'Raised risk signals. A signal is raised by a score of at least 0.5 in riskSignalScores.',
    resolve: (s) => s.result.riskSignals,
  }),
  riskSignalScores: t.field({
    type: RiskSignalScores,
    description: 'Score of each risk signal, 0 to 1.',
    resolve: (s) => s.result.riskSignalScores,
  }),
  riskSignalDetails: t.field({
    type: RiskSignalDetails,
    description: 'Reasons for the scores.',
    resolve: (s) => s.result.riskSignalDetails,
  }),
  coverage: t.field({
    type: [SessionCoverageType],
    description:
      'Sources of evidence, and whether they were available for the session. If a source was not ' +
      'available, its evidence is unknown.',
    resolve: (s) => coverageOf(s.result.examined),
  }),
  weightsVersion: t.string({
    mask: 'none',
    description: 'Version of the weights of the scores.',
    resolve: (s) => s.result.weightsVersion,
  }),
  calibrationVersion: t.int({
    nullable: true,
    description: 'Version of the calibration that was applied. Null if the scores are not calibrated.',
    resolve: (s) => s.result.calibrationVersion,
  }),
  mobile: t.field({
    rest: { unknown: 'absent' },
    type: MobileType,
    nullable: true,
    description: 'Phone facts. Null unless a mobile SDK reported them.',
    resolve: (s) => s.result.mobile,
  }),
  carrier: t.field({
    rest: { unknown: 'absent' },
    type: CarrierType,
    nullable: true,
    description: 'Operator of the SIM card. Null unless a mobile SDK reported it.',
    resolve: (s) => s.result.carrier,
  }),
  locationSpoofing: t.float({
    description: 'Score of location spoofing, 0 to 1, equal to riskSignalScores.locationSpoofing.',
    resolve: (s) => s.result.riskSignalScores.locationSpoofing,
  }),
  botScore: t.float({
    description: 'Score of automation, 0 to 1.',
    resolve: (s) => s.result.botScore,
  }),
}));

const SessionFilter = builder.inputType('SessionFilter', {
  description: 'Conditions on sessions. A session must meet all of them.',
  fields: (t) => ({
    source: t.field({ type: SessionSourceEnum, description: 'Kind of client.' }),
    connectionType: t.field({ type: ConnectionTypeEnum, description: 'Kind of network.' }),
    countryCode: t.field({
      type: 'CountryCode',
      description: 'Country of the person, as in Session.trueCountryCode.',
    }),
    ipAddress: t.string({ description: 'IPv4 or IPv6 address, as in SessionNetwork.ipAddress.' }),
    network: t.string({
      description:
        'Network as CIDR: an IPv4 network with the prefix /32 or /24, or an IPv6 network with /128 or /56. Bits after the ' +
        'prefix are ignored. Persons, who see addresses masked, can search for whole addresses only (/32 and /128).',
    }),
    deviceId: t.string({ description: 'Fingerprint of the device, as in Session.deviceId.' }),
    browserId: t.string({
      description:
        'First-party id of the browser: the value of the cookie of the page, with or without its signature.',
    }),
    signal: t.field({
      type: RiskSignalEnum,
      description: 'Raised risk signal, with a score of at least 0.5 in riskSignalScores.',
    }),
    decision: t.field({
      type: DecisionType,
      description:
        'Latest decision on an account with the session. For a session with several accounts: the ' +
        'decision on any of them. In Account.sessions: the decision on that account.',
    }),
    startedAfter: t.field({ type: 'DateTime', description: 'Earliest start, inclusive.' }),
    startedBefore: t.field({ type: 'DateTime', description: 'Latest start, exclusive.' }),
  }),
});

export const OrderDirection = builder.enumType('OrderDirection', {
  description: 'Sort direction.',
  values: {
    ASC: { description: 'Smallest or oldest first.' },
    DESC: { description: 'Largest or newest first.' },
  } as const,
});

const SessionOrderField = builder.enumType('SessionOrderField', {
  description: 'Sort key of sessions.',
  values: { START_TIME: { description: 'Start of the session.' } } as const,
});

const SessionOrder = builder.inputType('SessionOrder', {
  description: 'Order of sessions.',
  fields: (t) => ({
    field: t.field({
      type: SessionOrderField,
      required: true,
      description: 'Sort key of sessions.',
    }),
    direction: t.field({ type: OrderDirection, required: true, description: 'Sort direction.' }),
  }),
});

/** Arguments of every connection of sessions. */
export const SESSION_PAGE_ARGS = builder.args((t) => ({
  ...PAGE_ARGS,
  filter: t.field({ type: SessionFilter, description: 'Conditions on sessions.' }),
  orderBy: t.field({ type: SessionOrder, description: 'Order. START_TIME, DESC by default.' }),
}));

type SessionPageArgs = PageArgs & {
  filter?: (typeof SessionFilter)['$inferInput'] | null;
  orderBy?: (typeof SessionOrder)['$inferInput'] | null;
};

/** A page of sessions, of one account by its internal id or of the project. */
export async function sessionPage(context: GraphQLContext, accountId: string | null, args: SessionPageArgs) {
  const { viewer, loaders } = context;
  const direction = args.orderBy?.direction ?? 'DESC';
  const page = selectPage(args, ['sessions', accountId, args.filter ?? {}, direction], context);
  const { countryCode, ...conditions } = args.filter ?? {};
  const filter = { ...conditions, country: countryCode };
  const search = { ...filter, direction, page };
  const sessions =
    accountId === null
      ? await listSessions(viewer, search)
      : await loaders.sessionPage(search).load(accountId);
  return toConnection(sessions, page, {
    context,
    position: ({ row }) => [row.start_time.toISOString(), row.session_id],
    edge: (node) => ({ node }),
    total: () =>
      accountId === null
        ? countSessions(viewer, filter, MAX_COUNTED + 1)
        : loaders.sessionCount(filter).load(accountId),
  });
}

export const SessionConnection = builder.connectionObject(
  { type: SessionRef, name: 'SessionConnection', subjects: 'none', description: 'Page of sessions.' },
  { name: 'SessionEdge', subjects: byProperties, description: 'Session in a page.' },
);

builder.queryFields((t) => ({
  session: t.field({
    type: SessionRef,
    nullable: true,
    description:
      'Session by its id. Null if it does not exist or a browser token may not read it. A token limited ' +
      'to an account reads the sessions of the account and of its verifications.',
    authScopes: { may: 'session.read' },
    args: { sessionId: t.arg.id({ required: true, description: 'Id of the session.' }) },
    resolve: async (_root, { sessionId }, context) => (await findSessions([sessionId], context))[0]!,
  }),
  sessions: t.field({
    type: SessionConnection,
    nullable: true,
    description:
      'Sessions of the project by their start, the newest first by default. Errors: `input.invalid`.',
    authScopes: { may: 'session.search' },
    complexity: pageCost(5),
    args: SESSION_PAGE_ARGS,
    resolve: (_root, args, context) => sessionPage(context, null, args),
  }),
}));
