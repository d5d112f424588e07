import type { SessionFactsInput, SimulatedFacts } from '@vouchgraph/signals';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { addFacts, complete } from './change-session-service.ts';
import { sessionNotFound } from './errors.ts';
import { type ConnectionFacts, open, type SessionDeps, simulate } from './open-session-service.ts';
import type { Session } from './session.ts';
import { readSessions, visibleSessionIds } from './session-read-service.ts';

export type { ConnectionFacts } from './open-session-service.ts';

export type SessionService = ReturnType<typeof createSessionService>;

/** Creates, changes, completes and finds sessions. */
export function createSessionService(deps: SessionDeps) {
  return {
    open: (
      viewer: Viewer,
      requestId: string,
      facts: SessionFactsInput,
      connection: ConnectionFacts,
      sessionId?: string,
    ) => open(deps, viewer, requestId, facts, connection, sessionId),
    simulate: (
      viewer: Viewer,
      requestId: string,
      facts: SessionFactsInput,
      simulated: SimulatedFacts,
      sessionId?: string,
    ) => simulate(deps, viewer, requestId, facts, simulated, sessionId),
    addFacts: (viewer: Viewer, sessionId: string, facts: SessionFactsInput, ip: string) =>
      addFacts(deps, viewer, sessionId, facts, ip),
    complete: (viewer: Viewer, sessionId: string) => complete(deps, viewer, sessionId),
    get,
  };
}

/** Throws `session.not_found` for unknown, foreign and malformed ids alike. */
async function get(viewer: Viewer, sessionId: string): Promise<Session> {
  assertMay(viewer, 'session.read');
  const [visible] = await visibleSessionIds(viewer, [sessionId]);
  const [session] = visible === undefined ? [] : await readSessions(viewer, [visible]);
  if (!session) throw sessionNotFound();
  return session;
}
