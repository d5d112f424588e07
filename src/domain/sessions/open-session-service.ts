import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import { normalizeIp } from '@vouchgraph/platform/ip/ip-address';
import { LIMITS } from '@vouchgraph/platform/limits';
import {
  type AssessDeps,
  assessedColumns,
  assessFacts,
  checkFactsSize,
  collectorToken,
  compareWithHistory,
  deviceOf,
  EDGE_HEADERS,
  OBSERVED_HEADERS,
  type SessionFactsInput,
  type SimulatedFacts,
  type StoredFacts,
  signBrowserId,
  withHistory,
} from '@vouchgraph/signals';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { simulatedSessionInProduction } from './errors.ts';
import { readHistoryWithoutAccount } from './history-store.ts';
import { identityColumns } from './identity-columns.ts';
import { Session } from './session.ts';
import { completedEvent } from './session-events.ts';
import { insertSession, type SessionRow } from './session-store.ts';

export type SessionDeps = AssessDeps & { clock: Clock };

/** Facts of the connection that a session is created over, as the gateway sees them. */
export type ConnectionFacts = {
  ip: string;
  /** Headers of OBSERVED_HEADERS, names in lower case. */
  headers: Readonly<Record<string, string>>;
  /** Headers of EDGE_HEADERS, set by a trusted proxy. */
  edge: Readonly<Record<string, string>>;
  /** The verified first-party browser id, '' when the request has none. */
  browserId: string;
};

export type OpenedSession = {
  session: Session;
  token: string;
  expiresAt: Date;
  /** Signed browser id, which the page keeps beside the cookie; '' when the session has none of ours. */
  browserToken: string;
};

const MAX_HEADER_LENGTH = 2048;

/** Creates a session for a page. Facts of the connection are observed by the gateway. */
export function open(
  deps: SessionDeps,
  viewer: Viewer,
  requestId: string,
  input: SessionFactsInput,
  connection: ConnectionFacts,
  /** Id of the verification session that it belongs to; a new one by default. */
  sessionId?: string,
) {
  assertMay(viewer, 'session.create');
  const facts: StoredFacts = {
    input,
    observed: {
      ip: normalizeIp(connection.ip) ?? '',
      userAgent: connection.headers['user-agent'] ?? '',
      acceptLanguage: connection.headers['accept-language'] ?? '',
      browserId: connection.browserId,
      device: deviceOf(input, connection.browserId),
      headers: { ...connection.headers },
      edge: { ...connection.edge },
    },
  };
  return store(deps, viewer.project, facts, {
    requestId,
    startTime: deps.clock.now(),
    complete: false,
    simulated: false,
    browserId: connection.browserId,
    sessionId,
  });
}

/** Creates a simulated session: a server with a sandbox key sends the facts that a browser would send. */
export function simulate(
  deps: SessionDeps,
  viewer: Viewer,
  requestId: string,
  input: SessionFactsInput,
  simulated: SimulatedFacts,
  /** A new one by default. */
  sessionId?: string,
) {
  assertMay(viewer, 'session.simulate');
  if (viewer.project.environment !== 'sandbox') throw simulatedSessionInProduction();
  const headers = lowerCaseKeys(simulated.headers ?? {});
  const browserId = simulated.browserId ?? '';
  const facts: StoredFacts = {
    input,
    observed: {
      ip: normalizeIp(simulated.ipAddress ?? '') ?? '',
      userAgent: (headers['user-agent'] ?? input.browser?.userAgent ?? '').slice(0, MAX_HEADER_LENGTH),
      acceptLanguage: (headers['accept-language'] ?? '').slice(0, MAX_HEADER_LENGTH),
      browserId,
      // A simulated browser does not identify its device.
      device: simulated.deviceId || deviceOf(input, ''),
      headers: pick(headers, OBSERVED_HEADERS),
      edge: pick(headers, EDGE_HEADERS),
    },
  };
  return store(deps, viewer.project, facts, {
    requestId,
    startTime: simulated.startTime ?? deps.clock.now(),
    complete: simulated.open !== true,
    simulated: true,
    browserId: '',
    sessionId,
  });
}

async function store(
  deps: SessionDeps,
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
  checkFactsSize(facts.input);
  const now = deps.clock.now();
  const sessionId = options.sessionId ?? newId(now.getTime());
  const identity = identityColumns(project, facts);
  const past = await readHistoryWithoutAccount(project.database, {
    session_id: sessionId,
    start_time: options.startTime,
    ...identity,
  });
  const alone = assessFacts(deps, project, facts, options.startTime, []);
  const history = compareWithHistory(project.cipher, alone.trace, past, null);
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

function pick(headers: Readonly<Record<string, string>>, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = headers[name];
      return value ? [[name, value.slice(0, MAX_HEADER_LENGTH)]] : [];
    }),
  );
}

function lowerCaseKeys(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
