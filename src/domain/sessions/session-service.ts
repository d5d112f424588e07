import type { Clock } from '../../platform/clock.ts';
import type { ProjectCipher } from '../../platform/crypto.ts';
import { base62, isUuid, newId } from '../../platform/ids.ts';
import { networkPrefixes, normaliseIp } from '../../platform/ip/ip-address.ts';
import { parseIp } from '../../platform/ip/ip-number.ts';
import { isIdentifying } from '../../platform/ip/special-networks.ts';
import { LIMITS } from '../../platform/limits.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { DIFFERING_PARTS, devicePartKeys } from '../identifiers/device-parts.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay, isWithin } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import type { Evidence } from '../signals/evidence/evidence.ts';
import type { NetworkIntelligence } from '../signals/network/network-intelligence.ts';
import { EDGE_HEADERS, OBSERVED_HEADERS } from '../signals/transport/observed-headers.ts';
import { signBrowserId } from './browser-id.ts';
import { collectorToken } from './collector-token.ts';
import {
  sessionComplete,
  sessionExpired,
  sessionFactsTooLong,
  sessionNotFound,
  statedSessionInProduction,
} from './errors.ts';
import { readHistoryWithoutAccount } from './history-store.ts';
import { Session } from './session.ts';
import { compareWithPast, sealTrace } from './session-history.ts';
import { mergeSessionFacts, type SessionFactsInput, type StatedFacts, sourceOf } from './session-input.ts';
import { sessionRecord } from './session-record.ts';
import { type AssembledSession, assembleSession, type SessionResult, withHistory } from './session-result.ts';
import { changeSession, findSessions, insertSession, type SessionRow } from './session-store.ts';
import type { EdgePosition } from './signal-facts.ts';
import type { StoredFacts, StoredPatch } from './stored-facts.ts';

/** What the service sees of the connection that a session comes through. */
export type ConnectionFacts = {
  ip: string;
  /** The headers that codes look at (OBSERVED_HEADERS), names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** What a trusted proxy tells of the connection (EDGE_HEADERS). */
  edge: Readonly<Record<string, string>>;
  /** The verified first-party browser id, '' when the request has none. */
  browserId: string;
};

export type OpenedSession = {
  session: Session;
  token: string;
  expiresAt: Date;
  /** The browser's id, signed, for a page to keep beside the cookie; '' when the session has none of ours. */
  browserToken: string;
};

const MOST_LATER_ADDRESSES = 8;
/** So many patches are kept beside a session's facts before they are merged: facts are written whole once in so many. */
const MAX_PATCHES = 16;
const LONGEST_HEADER = 2048;

export type SessionService = ReturnType<typeof createSessionService>;

/** Opens, feeds, completes and finds sessions. */
export function createSessionService(deps: {
  network: NetworkIntelligence;
  clock: Clock;
  edgePosition?: EdgePosition;
}) {
  const { network, clock, edgePosition = null } = deps;

  /** A page opens a session; what the service can see itself is taken from the connection. */
  function open(
    viewer: Viewer,
    requestId: string,
    told: SessionFactsInput,
    connection: ConnectionFacts,
    /** That of the verification which it belongs to; a new one by default. */
    sessionId?: string,
  ) {
    assertMay(viewer, 'session.create');
    const facts: StoredFacts = {
      told,
      observed: {
        ip: normaliseIp(connection.ip) ?? '',
        userAgent: connection.headers['user-agent'] ?? '',
        acceptLanguage: connection.headers['accept-language'] ?? '',
        browserId: connection.browserId,
        device: deviceOf(told, connection.browserId),
        headers: { ...connection.headers },
        edge: { ...connection.edge },
      },
    };
    return store(viewer.project, facts, {
      requestId,
      startTime: clock.now(),
      complete: false,
      simulated: false,
      browserId: connection.browserId,
      sessionId,
    });
  }

  /** A server with a sandbox key states a session, so that any case can be played without a browser. */
  function state(viewer: Viewer, requestId: string, told: SessionFactsInput, stated: StatedFacts) {
    assertMay(viewer, 'session.simulate');
    if (viewer.project.environment !== 'sandbox') throw statedSessionInProduction();
    const headers = lowerCaseKeys(stated.headers ?? {});
    const browserId = stated.browserId ?? '';
    const facts: StoredFacts = {
      told,
      observed: {
        ip: normaliseIp(stated.ipAddress ?? '') ?? '',
        userAgent: (headers['user-agent'] ?? told.browser?.userAgent ?? '').slice(0, LONGEST_HEADER),
        acceptLanguage: (headers['accept-language'] ?? '').slice(0, LONGEST_HEADER),
        browserId,
        // What is not stated is not known: a stated browser says nothing of its device.
        device: stated.deviceId || deviceOf(told, ''),
        headers: pick(headers, OBSERVED_HEADERS),
        edge: pick(headers, EDGE_HEADERS),
      },
    };
    return store(viewer.project, facts, {
      requestId,
      startTime: stated.startTime ?? clock.now(),
      complete: stated.open !== true,
      simulated: true,
      browserId: '',
    });
  }

  async function store(
    project: Project,
    facts: StoredFacts,
    options: {
      requestId: string;
      startTime: Date;
      complete: boolean;
      simulated: boolean;
      browserId: string;
      sessionId?: string | undefined;
    },
  ): Promise<OpenedSession> {
    checkSize(facts.told);
    const now = clock.now();
    const sessionId = options.sessionId ?? newId(now.getTime());
    const identity = identityColumns(project, facts);
    const past = await readHistoryWithoutAccount(project.database, {
      session_id: sessionId,
      start_time: options.startTime,
      ...identity,
    });
    const alone = assess(project, facts, options.startTime, []);
    const history = compareWithPast(project.cipher, alone.trace, past, null);
    const row: SessionRow = {
      ...assessedColumns(project, sessionId, facts, {
        ...alone,
        result: withHistory(alone.result, history, project.calibration),
      }),
      ...identity,
      session_id: sessionId,
      request_id: options.requestId,
      state: options.complete ? 'complete' : 'open',
      simulated: options.simulated,
      start_time: options.startTime,
      created_at: now,
      completed_at: options.complete ? now : null,
      expires_at: new Date(now.getTime() + LIMITS.sessionHours * 3_600_000),
    };
    await insertSession(project.database, row, options.complete ? completedEvent(project, row) : null);
    return {
      session: new Session(project, row),
      token: collectorToken(project.cipher, project.projectId, sessionId),
      expiresAt: row.expires_at,
      browserToken: options.browserId && signBrowserId(project.cipher, options.browserId),
    };
  }

  function assess(project: Project, facts: StoredFacts, startTime: Date, history: readonly Evidence[]) {
    return assembleSession(facts, startTime, {
      network: network.lookup(facts.observed.ip),
      laterNetworks: (facts.observed.laterIps ?? []).map((ip) => network.lookup(ip)),
      webrtcNetworks: webrtcAddresses(facts.told).map((ip) => network.lookup(ip)),
      sources: network.status(),
      calibration: project.calibration,
      history,
      edgePosition,
    });
  }

  /** The columns that follow from the facts; made again whenever facts are added. */
  function assessedColumns(
    { cipher }: Project,
    sessionId: string,
    facts: StoredFacts,
    { result, trace }: AssembledSession,
  ) {
    return {
      source: sourceOf(facts.told),
      source_version: facts.told.sourceVersion ?? '',
      true_country_code: result.trueCountryCode,
      connection_type: result.network.connectionType,
      facts: sealFacts({ cipher }, sessionId, facts),
      result: cipher.sealJson('sessions', sessionId, result),
      trace: sealTrace(cipher, sessionId, trace),
    };
  }

  /** Adds facts to an open session, or completes it. A completed one is refused, an expired one too. */
  async function change(viewer: Viewer, sessionId: string, added: StoredPatch | null, complete: boolean) {
    const { project } = viewer;
    const isOwn = viewer.sessionId === undefined || viewer.sessionId === sessionId.toLowerCase();
    if (!isOwn || !isUuid(sessionId)) throw sessionNotFound();
    const row = await changeSession(project.database, sessionId, (row, patches) => {
      if (row.state === 'complete') {
        if (added === null) return null;
        throw sessionComplete();
      }
      const now = clock.now();
      if (row.expires_at <= now) throw sessionExpired();
      const changed = {
        ...row,
        ...(added ? withFacts(project, row, patches, added) : {}),
        ...(complete ? { state: 'complete' as const, completed_at: now } : {}),
      };
      const patch = added && sealPatch(project, row, patches.length, added);
      const isMerged = patch ? areTooMany([...patches, patch]) : complete && patches.length > 0;
      if (isMerged && !added) changed.facts = sealFacts(project, sessionId, factsOf(project, row, patches));
      return {
        row: changed,
        patch: isMerged ? null : patch,
        isMerged,
        event: complete ? completedEvent(project, changed) : null,
      };
    });
    if (!row) throw sessionNotFound();
    return new Session(project, row);
  }

  /** The columns of a session to which facts were added. What the past said of it when it was opened stays. */
  function withFacts(project: Project, row: SessionRow, patches: readonly Buffer[], added: StoredPatch) {
    const before = project.cipher.openJson<SessionResult>('sessions', row.session_id, row.result);
    const facts = mergePatch(row, factsOf(project, row, patches), added);
    checkSize(facts.told);
    return {
      ...assessedColumns(
        project,
        row.session_id,
        facts,
        assess(project, facts, row.start_time, before.history ?? []),
      ),
      ...identityColumns(project, facts),
    };
  }

  /** A session that the viewer may see, or null: unknown, foreign and malformed ids alike. */
  async function find(viewer: Viewer, sessionId: string): Promise<Session | null> {
    assertMay(viewer, 'session.read');
    if (!isUuid(sessionId) || !isWithin(viewer, { sessionId: sessionId.toLowerCase() })) return null;
    const [row] = await findSessions(viewer.project.database, [sessionId]);
    return row ? new Session(viewer.project, row) : null;
  }

  return {
    open,
    state,
    /** `ip` is the address that the facts came from; '' when a server adds them. */
    addFacts(viewer: Viewer, sessionId: string, told: SessionFactsInput, ip: string) {
      assertMay(viewer, 'session.add_facts');
      return change(viewer, sessionId, { told, ip }, false);
    },
    complete(viewer: Viewer, sessionId: string) {
      assertMay(viewer, 'session.complete');
      return change(viewer, sessionId, null, true);
    },
    find,
    async get(viewer: Viewer, sessionId: string): Promise<Session> {
      assertMay(viewer, 'session.read');
      const session = await find(viewer, sessionId);
      if (!session) throw sessionNotFound();
      return session;
    },
  };
}

function checkSize(told: SessionFactsInput): void {
  if (Buffer.byteLength(JSON.stringify(told)) > LIMITS.sessionFactsBytes) throw sessionFactsTooLong();
}

/** Whether patches are to be merged into the facts: for their number, or their size, which those that replace each other add to. */
function areTooMany(patches: readonly Buffer[]): boolean {
  const bytes = patches.reduce((sum, { length }) => sum + length, 0);
  return patches.length > MAX_PATCHES || bytes > LIMITS.sessionFactsBytes;
}

function sealFacts({ cipher }: Pick<Project, 'cipher'>, sessionId: string, facts: StoredFacts): Buffer {
  return cipher.sealJson('session facts', sessionId, facts);
}

function sealPatch(
  { cipher }: Project,
  { session_id }: SessionRow,
  number: number,
  patch: StoredPatch,
): Buffer {
  return cipher.sealJson('session patch', `${session_id}:${number}`, patch);
}

/** The facts of a session with all that were added. */
function factsOf({ cipher }: Project, row: SessionRow, patches: readonly Buffer[]): StoredFacts {
  const { session_id } = row;
  const opened = cipher.openJson<StoredFacts>('session facts', session_id, row.facts);
  return patches.reduce(
    (facts, patch, number) =>
      mergePatch(row, facts, cipher.openJson<StoredPatch>('session patch', `${session_id}:${number}`, patch)),
    opened,
  );
}

function mergePatch({ simulated }: SessionRow, facts: StoredFacts, patch: StoredPatch): StoredFacts {
  const merged = { told: mergeSessionFacts(facts.told, patch.told), observed: { ...facts.observed } };
  merged.observed.device = deviceAfter(simulated, merged);
  merged.observed.laterIps = withLaterIp(facts.observed, patch.ip);
  return merged;
}

function completedEvent(project: Project, row: SessionRow): OutboxEvent {
  const data = sessionRecord(new Session(project, row));
  return outboxEvent(project.cipher, 'session.completed', row.session_id, data, row.completed_at!);
}

/** A few of the addresses that the page says WebRTC found. */
function webrtcAddresses({ checks }: SessionFactsInput): string[] {
  const told: unknown = checks?.webrtc_addresses;
  const texts = Array.isArray(told) ? told.filter((each): each is string => typeof each === 'string') : [];
  return texts.slice(0, 8).flatMap((text) => normaliseIp(text) ?? []);
}

/** What the session is matched by, as keyed hashes. */
function identityColumns({ cipher }: Project, { told, observed }: StoredFacts) {
  const { ip, browserId, device } = observed;
  const prefixes = identifiesNetwork(ip) ? networkPrefixes(ip) : null;
  return {
    device_id: device && base62(cipher.blindIndex('device id', device), 22),
    browser_hash: browserId ? cipher.blindIndex('browser', browserId) : null,
    device_hash: device ? cipher.blindIndex('device', device) : null,
    network_hash: prefixes && cipher.blindIndex('network', prefixes.address),
    neighbourhood_hash: prefixes && cipher.blindIndex('neighbourhood', prefixes.neighbourhood),
    device_part_hashes: device.startsWith(COMPONENTS) ? partHashes(cipher, told) : [],
  };
}

/** A device that a server stated stays what it was stated to be; one that was observed is known better by more facts. */
function deviceAfter(isStated: boolean, { told, observed }: StoredFacts): string {
  const isKept = isStated && observed.device !== '' && !observed.device.startsWith(COMPONENTS);
  return isKept ? observed.device : deviceOf(told, isStated ? '' : observed.browserId) || observed.device;
}

const COMPONENTS = 'components:';

/** The first byte tells which part may differ, so that a link by it can say so. */
function partHashes(cipher: ProjectCipher, { device }: SessionFactsInput): Buffer[] {
  return devicePartKeys(device?.components ?? {}).map(({ part, key }) => {
    const hash = Buffer.from(cipher.blindIndex('device part', key));
    hash[0] = DIFFERING_PARTS.indexOf(part);
    return hash;
  });
}

/** The other addresses that a session was fed from; a handful tells enough. */
function withLaterIp({ ip, laterIps = [] }: StoredFacts['observed'], from: string): string[] {
  const address = normaliseIp(from) ?? '';
  const isNew = address !== '' && address !== ip && !laterIps.includes(address);
  return isNew && laterIps.length < MOST_LATER_ADDRESSES ? [...laterIps, address] : laterIps;
}

function pick(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value ? [[name, value.slice(0, LONGEST_HEADER)]] : [];
    }),
  );
}

/** What identifies the device when nothing is stated: the fingerprint's components, else the browser's id. */
function deviceOf(told: SessionFactsInput, browserId: string): string {
  const components = told.device?.components;
  if (components && Object.keys(components).length > 0) {
    return `${COMPONENTS}${JSON.stringify(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
  }
  return browserId && `browser:${browserId}`;
}

/** Addresses inside a house or a host say nothing of who shares a network with whom. */
function identifiesNetwork(ip: string): boolean {
  const parsed = parseIp(ip);
  return parsed !== null && isIdentifying(parsed);
}

function lowerCaseKeys(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
