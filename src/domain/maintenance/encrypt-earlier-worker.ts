import type { ProjectCipher } from '../../platform/crypto.ts';
import type { Database } from '../../storage/database.ts';
import { encryptReason } from '../lists/member-reason.ts';
import type { Project } from '../projects/project.ts';
import { encryptRedirect } from '../verification/redirect-url.ts';
import {
  findPlainRows,
  findProjectsWithPlain,
  PLAIN_REASONS,
  PLAIN_REDIRECTS,
  type PlainColumn,
  writeEncrypted,
} from './plain-text-store.ts';

type Work = {
  readonly column: PlainColumn;
  readonly encrypt: (cipher: ProjectCipher, ownerId: string, text: string) => Buffer | null;
};

const WORKS: readonly Work[] = [
  { column: PLAIN_REASONS, encrypt: encryptReason },
  { column: PLAIN_REDIRECTS, encrypt: encryptRedirect },
];
const BATCH = 500;

/**
 * Encrypts values that earlier versions stored in clear text, in batches: reasons of list members and redirect URLs of
 * verifications. It can be stopped at any time and continued later. Concurrent processes can run it.
 */
export async function encryptEarlierRows(deps: {
  database: Database;
  getProject: (projectId: string) => Promise<Project | null>;
  signal: AbortSignal;
}): Promise<void> {
  const { database, getProject, signal } = deps;

  async function encryptIn(project: Project, { column, encrypt }: Work): Promise<void> {
    for (;;) {
      const rows = signal.aborted ? [] : await findPlainRows(project.database, column, BATCH);
      if (rows.length === 0) return;
      // A reason whose account was erased is dropped.
      const encrypted = rows.map(({ ownerId, text }) =>
        ownerId === null ? null : encrypt(project.cipher, ownerId, text),
      );
      // Rows that others hold are left to them, or to the next time.
      if ((await writeEncrypted(project.database, column, rows, encrypted)) === 0) return;
    }
  }

  async function encryptAll(work: Work): Promise<void> {
    const seen = new Set<string>();
    for (;;) {
      const found = signal.aborted ? [] : await findProjectsWithPlain(database.system, work.column);
      // Rows that a gateway of an earlier version writes meanwhile are left for the next time.
      const fresh = found.filter((projectId) => !seen.has(projectId));
      if (fresh.length === 0) return;
      for (const projectId of fresh) {
        seen.add(projectId);
        const project = await getProject(projectId);
        if (project) await encryptIn(project, work);
      }
    }
  }

  for (const work of WORKS) await encryptAll(work);
}
