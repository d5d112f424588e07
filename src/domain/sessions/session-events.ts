import { type OutboxEvent, outboxEvent } from '@vouchgraph/events';
import type { Project } from '../projects/project.ts';
import { Session } from './session.ts';
import { sessionSnapshot } from './session-snapshot.ts';
import type { SessionRow } from './session-store.ts';

/** The event `session.completed`. */
export function completedEvent(project: Project, row: SessionRow): OutboxEvent {
  const facts = sessionSnapshot(new Session(project, row));
  return outboxEvent(project.cipher, 'session.completed', row.session_id, facts, row.completed_at!);
}
