import { isUuid } from '@vouchgraph/platform/ids';
import {
  areTooManyPatches,
  assessedColumns,
  assessFacts,
  checkFactsSize,
  encryptPatch,
  encryptSessionFacts,
  mergePatch,
  type SessionFactsInput,
  type SessionResult,
  type StoredPatch,
  sessionFactsOf,
} from '@vouchgraph/signals';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { sessionComplete, sessionExpired, sessionNotFound } from './errors.ts';
import { identityColumns } from './identity-columns.ts';
import type { SessionDeps } from './open-session-service.ts';
import { Session } from './session.ts';
import { completedEvent } from './session-events.ts';
import { changeSession, type SessionRow } from './session-store.ts';

/** Adds facts to an open session. `ip` is the address that they were sent from; '' when a server adds them. */
export function addFacts(
  deps: SessionDeps,
  viewer: Viewer,
  sessionId: string,
  input: SessionFactsInput,
  ip: string,
): Promise<Session> {
  assertMay(viewer, 'session.add_facts');
  return change(deps, viewer, sessionId, { input, ip }, false);
}

/** Completes a session. */
export function complete(deps: SessionDeps, viewer: Viewer, sessionId: string): Promise<Session> {
  assertMay(viewer, 'session.complete');
  return change(deps, viewer, sessionId, null, true);
}

/** Adds facts to an open session, or completes it. Throws for a completed or expired session. */
async function change(
  deps: SessionDeps,
  viewer: Viewer,
  sessionId: string,
  added: StoredPatch | null,
  complete: boolean,
) {
  const { project } = viewer;
  const isOwn = viewer.sessionId === undefined || viewer.sessionId === sessionId.toLowerCase();
  if (!isOwn || !isUuid(sessionId)) throw sessionNotFound();
  const row = await changeSession(project.database, sessionId, (row, patches) => {
    if (row.state === 'complete') {
      if (added === null) return null;
      throw sessionComplete();
    }
    const now = deps.clock.now();
    if (row.expires_at <= now) throw sessionExpired();
    const changed = {
      ...row,
      ...(added ? withFacts(deps, project, row, patches, added) : {}),
      ...(complete ? { state: 'complete' as const, completed_at: now } : {}),
    };
    const patch = added && encryptPatch(project, row, patches.length, added);
    const isMerged = patch ? areTooManyPatches([...patches, patch]) : complete && patches.length > 0;
    if (isMerged && !added)
      changed.facts = encryptSessionFacts(project, sessionId, sessionFactsOf(project, row, patches));
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

/** Columns of a session with added facts. The comparison with earlier sessions stays as it was at creation. */
function withFacts(
  deps: SessionDeps,
  project: Project,
  row: SessionRow,
  patches: readonly Buffer[],
  added: StoredPatch,
) {
  const before = project.cipher.decryptJson<SessionResult>('sessions', row.session_id, row.result);
  const facts = mergePatch(row, sessionFactsOf(project, row, patches), added);
  checkFactsSize(facts.input);
  return {
    ...assessedColumns(
      project,
      row.session_id,
      facts,
      assessFacts(deps, project, facts, row.start_time, before.history),
    ),
    ...identityColumns(project, facts),
  };
}
