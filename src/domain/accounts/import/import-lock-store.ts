import { acquireFolderLock, EmbeddedPostgresError, type FolderLock } from '@vouchgraph/embedded-postgres';
import { importConflict, nameOf } from './import-progress.ts';

/** Locks the progress of an import against other processes, until the lock is removed or this process exits. */
export async function lockProgress(progressFile: string): Promise<FolderLock> {
  try {
    return await acquireFolderLock(`${progressFile}.lock`, () => {}, { isTemporary: true });
  } catch (error) {
    if (!(error instanceof EmbeddedPostgresError)) throw error;
    const pid = /\(pid (\d+)\)/.exec(error.message)?.[1];
    throw importConflict(`Another process${pid ? ` (pid ${pid})` : ''} imports with ${nameOf(progressFile)}`);
  }
}
