import ipaddr from 'ipaddr.js';
import type { Clock } from '../../platform/clock.ts';
import { forbidden } from '../../platform/errors.ts';
import { base62, isUuid, newId } from '../../platform/ids.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import { networkPrefixes, normaliseIp } from '../signals/ip-address.ts';
import type { NetworkIntelligence } from '../signals/network-intelligence.ts';
import { collectorToken } from './collector-token.ts';
import { sessionComplete, sessionExpired, sessionNotFound, statedSessionInProduction } from './errors.ts';
import { Session } from './session.ts';
import { mergeSessionFacts, type SessionFactsInput, type StatedFacts, sourceOf } from './session-input.ts';
import { assembleSession } from './session-result.ts';
import { changeSession, findSessions, insertSession, type SessionRow } from './session-store.ts';
import type { StoredFacts } from './stored-facts.ts';

/** What the service sees of the connection that a session comes through. */
export type ConnectionFacts = {
  ip: string;
  headers: Readonly<Record<string, string | undefined>>;
  /** The verified first-party browser id, '' when the request has none. */
  browserId: string;
};

export type OpenedSession = { session: Session; token: string; expiresAt: Date };

export type SessionService = ReturnType<typeof createSessionService>;

/** Opens, feeds, completes and finds sessions. */
export function createSessionService(deps: { network: NetworkIntelligence; clock: Clock }) {
  const { network, clock } = deps;

  /** A page opens a session; what the service can see itself is taken from the connection. */
  function open(viewer: Viewer, requestId: string, told: SessionFactsInput, connection: ConnectionFacts) {
    const facts: StoredFacts = {
      told,
      observed: {
        ip: normaliseIp(connection.ip) ?? '',
        userAgent: connection.headers['user-agent'] ?? '',
        acceptLanguage: connection.headers['accept-language'] ?? '',
        browserId: connection.browserId,
        device: deviceOf(told, connection.browserId),
      },
    };
    return store(viewer.project, facts, {
      requestId,
      startTime: clock.now(),
      complete: false,
      simulated: false,
    });
  }

  /** A server with a sandbox key states a session, so that any case can be played without a browser. */
  function state(viewer: Viewer, requestId: string, told: SessionFactsInput, stated: StatedFacts) {
    if (viewer.project.environment !== 'sandbox') throw statedSessionInProduction();
    const headers = lowerCaseKeys(stated.headers ?? {});
    const browserId = stated.browserId ?? '';
    const facts: StoredFacts = {
      told,
      observed: {
        ip: normaliseIp(stated.ipAddress ?? '') ?? '',
        userAgent: headers['user-agent'] ?? told.browser?.userAgent ?? '',
        acceptLanguage: headers['accept-language'] ?? '',
        browserId,
        // What is not stated is not known: a stated browser says nothing of its device.
        device: stated.deviceId || deviceOf(told, ''),
      },
    };
    return store(viewer.project, facts, {
      requestId,
      startTime: stated.startTime ?? clock.now(),
      complete: stated.open !== true,
      simulated: true,
    });
  }

  async function store(
    project: Project,
    facts: StoredFacts,
    options: { requestId: string; startTime: Date; complete: boolean; simulated: boolean },
  ): Promise<OpenedSession> {
    const now = clock.now();
    const sessionId = newId(now.getTime());
    const row: SessionRow = {
      ...assessedColumns(project, sessionId, facts, options.startTime),
      session_id: sessionId,
      request_id: options.requestId,
      state: options.complete ? 'complete' : 'open',
      simulated: options.simulated,
      start_time: options.startTime,
      created_at: now,
      completed_at: options.complete ? now : null,
      expires_at: new Date(now.getTime() + LIMITS.sessionHours * 3_600_000),
    };
    await insertSession(project.database, row);
    return {
      session: new Session(project, row),
      token: collectorToken(project.cipher, project.projectId, sessionId),
      expiresAt: row.expires_at,
    };
  }

  /** The columns that follow from the facts; run again whenever facts are added. */
  function assessedColumns(project: Project, sessionId: string, facts: StoredFacts, startTime: Date) {
    const { cipher } = project;
    const { ip, browserId, device } = facts.observed;
    const found = network.lookup(ip);
    const result = assembleSession(facts, startTime, found);
    const prefixes = identifiesNetwork(ip) ? networkPrefixes(ip) : null;
    return {
      source: sourceOf(facts.told),
      source_version: facts.told.sourceVersion ?? '',
      true_country_code: result.trueCountryCode,
      connection_type: result.network.connectionType,
      device_id: device && base62(cipher.blindIndex('device id', device), 22),
      browser_hash: browserId ? cipher.blindIndex('browser', browserId) : null,
      device_hash: device ? cipher.blindIndex('device', device) : null,
      network_hash: prefixes && cipher.blindIndex('network', prefixes.address),
      neighbourhood_hash: prefixes && cipher.blindIndex('neighbourhood', prefixes.neighbourhood),
      facts: cipher.sealJson('session facts', sessionId, facts),
      result: cipher.sealJson('sessions', sessionId, result),
    };
  }

  /** Adds facts to an open session, or completes it. A completed one is refused, an expired one too. */
  async function change(
    viewer: Viewer,
    sessionId: string,
    told: SessionFactsInput | null,
    complete: boolean,
  ) {
    const { project } = viewer;
    if (viewer.sessionId !== undefined && viewer.sessionId !== sessionId.toLowerCase())
      throw sessionNotFound();
    if (!isUuid(sessionId)) throw sessionNotFound();
    const row = await changeSession(project.database, sessionId, (row) => {
      if (row.state === 'complete') {
        if (told === null) return null;
        throw sessionComplete();
      }
      const now = clock.now();
      if (row.expires_at <= now) throw sessionExpired();
      const facts = project.cipher.openJson<StoredFacts>('session facts', row.session_id, row.facts);
      if (told) {
        facts.told = mergeSessionFacts(facts.told, told);
        facts.observed.device = deviceOf(facts.told, facts.observed.browserId) || facts.observed.device;
      }
      return {
        ...row,
        ...(told ? assessedColumns(project, row.session_id, facts, row.start_time) : {}),
        ...(complete ? { state: 'complete' as const, completed_at: now } : {}),
      };
    });
    if (!row) throw sessionNotFound();
    return new Session(project, row);
  }

  /** A session that the viewer may see, or null: unknown, foreign and malformed ids alike. */
  async function find(viewer: Viewer, sessionId: string): Promise<Session | null> {
    if (!isUuid(sessionId)) return null;
    if (viewer.sessionId !== undefined && viewer.sessionId !== sessionId.toLowerCase()) return null;
    const [row] = await findSessions(viewer.project.database, [sessionId]);
    return row ? new Session(viewer.project, row) : null;
  }

  return {
    open,
    state,
    addFacts: (viewer: Viewer, sessionId: string, told: SessionFactsInput) =>
      change(viewer, sessionId, told, false),
    complete: (viewer: Viewer, sessionId: string) => change(viewer, sessionId, null, true),
    find,
    async get(viewer: Viewer, sessionId: string): Promise<Session> {
      if (viewer.accountId !== undefined) throw forbidden('This token reads one account only');
      const session = await find(viewer, sessionId);
      if (!session) throw sessionNotFound();
      return session;
    },
  };
}

/** What identifies the device when nothing is stated: the fingerprint's components, else the browser's id. */
function deviceOf(told: SessionFactsInput, browserId: string): string {
  const components = told.device?.components;
  if (components && Object.keys(components).length > 0) {
    return `components:${JSON.stringify(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
  }
  return browserId && `browser:${browserId}`;
}

/** Addresses inside a house or a host say nothing of who shares a network with whom. */
function identifiesNetwork(ip: string): boolean {
  if (!ipaddr.isValid(ip)) return false;
  const range: string = ipaddr.parse(ip).range();
  return range === 'unicast' || range === 'reserved' || range === 'carrierGradeNat';
}

function lowerCaseKeys(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
