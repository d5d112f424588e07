import type { SessionResult } from '@vouchgraph/signals';
import type { Project } from '../projects/project.ts';
import type { StoredSession } from './session-store.ts';

/** A session as readers see it; the result is decrypted on first access. */
export class Session {
  readonly project: Project;
  readonly row: StoredSession;
  #result: SessionResult | undefined;

  /** `result`: the decrypted result if it is known already; may differ from the stored one. */
  constructor(project: Project, row: StoredSession, result?: SessionResult) {
    this.project = project;
    this.row = row;
    this.#result = result;
  }

  get sessionId(): string {
    return this.row.session_id;
  }

  get result(): SessionResult {
    const { project, row } = this;
    this.#result ??= project.cipher.decryptJson<SessionResult>('sessions', row.session_id, row.result);
    return this.#result;
  }
}
