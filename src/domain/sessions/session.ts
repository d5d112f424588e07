import type { Project } from '../projects/project.ts';
import type { SessionResult } from './session-result.ts';
import type { StoredSession } from './session-store.ts';

/** A session as readers see it; the sealed result is opened when it is first asked for. */
export class Session {
  readonly project: Project;
  readonly row: StoredSession;
  #result: SessionResult | undefined;

  constructor(project: Project, row: StoredSession) {
    this.project = project;
    this.row = row;
  }

  get sessionId(): string {
    return this.row.session_id;
  }

  get result(): SessionResult {
    this.#result ??= this.project.cipher.openJson<SessionResult>(
      'sessions',
      this.row.session_id,
      this.row.result,
    );
    return this.#result;
  }
}
