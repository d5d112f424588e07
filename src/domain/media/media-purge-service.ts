import type { Database } from '../../storage/database.ts';
import type { MediaStorage, StoredFile } from '../../storage/media/media-storage.ts';
import { fileOfKey, mediaKey } from './media-key.ts';
import { expireMedia, findGone, findLive, findProjectIds, forgetMedia } from './media-store.ts';

/** A file that is younger may belong to what is just happening. */
const ORPHAN_AGE_MS = 3_600_000;
const NO_ID = '00000000-0000-0000-0000-000000000000';
const ROWS_AT_ONCE = 500;

/** Removes what nobody is to see any more. Several processes may do so at once. */
export function createMediaPurge(deps: { storage: MediaStorage; onError: (error: unknown) => void }) {
  const { storage, onError } = deps;

  async function purge(system: Database['system'], now: Date): Promise<void> {
    await expireMedia(system, now);
    // Folders of projects that this database does not know are another installation's.
    for (const projectId of await findProjectIds(system)) {
      await removeGone(system, projectId);
      await removeOrphans(system, projectId, now).catch(onError);
    }
  }

  /** Files of rows that are over or erased, and then those rows. */
  async function removeGone(system: Database['system'], projectId: string): Promise<void> {
    for (let after = NO_ID; ; ) {
      const gone = await findGone(system, projectId, after);
      if (gone.length === 0) return;
      const removed: string[] = [];
      for (const { objectId, version } of gone)
        if (version === null || (await remove(mediaKey(projectId, { objectId, version }))))
          removed.push(objectId);
      await forgetMedia(system, projectId, removed);
      after = gone.at(-1)!.objectId;
    }
  }

  /** Files without a row, or that were replaced: a process died, or lost the storage, between the two. */
  async function removeOrphans(system: Database['system'], projectId: string, now: Date): Promise<void> {
    const before = now.getTime() - ORPHAN_AGE_MS;
    for await (const files of storage.list(projectId)) {
      for (let at = 0; at < files.length; at += ROWS_AT_ONCE) {
        for (const file of await withoutRow(system, projectId, files.slice(at, at + ROWS_AT_ONCE))) {
          const modifiedAt = await file.modifiedAt();
          if (modifiedAt && modifiedAt.getTime() < before) await remove(file.key);
        }
      }
    }
  }

  async function remove(key: string): Promise<boolean> {
    try {
      await storage.delete(key);
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  return { purge };
}

async function withoutRow(
  system: Database['system'],
  projectId: string,
  files: readonly StoredFile[],
): Promise<StoredFile[]> {
  const ours = files.flatMap((file) => {
    const known = fileOfKey(file.key);
    return known ? [{ file, ...known }] : [];
  });
  if (ours.length === 0) return [];
  const live = await findLive(
    system,
    projectId,
    ours.map(({ objectId }) => objectId),
  );
  return ours
    .filter(({ version, isUnfinished }) => isUnfinished || !live.has(version))
    .map(({ file }) => file);
}
