import { NIL_UUID } from '../../platform/ids.ts';
import type { Database } from '../../storage/database.ts';
import type { MediaStorage, StoredFile } from '../../storage/media/media-storage.ts';
import type { PurgeRun } from '../../storage/purge.ts';
import { fileOfKey, mediaKey } from './media-key.ts';
import { expireMedia, findGone, findLive, findProjectIds, forgetMedia } from './media-store.ts';

type System = Pick<Database['system'], 'query'>;

/** A file that is younger may belong to what is just happening. */
const ORPHAN_AGE_MS = 3_600_000;
const ROWS_AT_ONCE = 500;

/** Removes what nobody is to see any more. Several processes may do so at once. */
export function createMediaPurge(deps: { storage: MediaStorage; onError: (error: unknown) => void }) {
  const { storage, onError } = deps;

  async function purge(run: PurgeRun): Promise<void> {
    await expireMedia(run);
    let removed = 0;
    // Folders of projects that this database does not know are another installation's.
    for (const projectId of await findProjectIds(run.system)) {
      await removeGone(run, projectId, (count) => {
        removed += count;
        run.onProgress('media', removed);
      });
      await removeOrphans(run, projectId).catch(onError);
    }
  }

  /** Files of rows that are over or erased, and then those rows. */
  async function removeGone(
    { system, signal }: PurgeRun,
    projectId: string,
    onRemoved: (count: number) => void,
  ): Promise<void> {
    for (let after = NIL_UUID; !signal.aborted; ) {
      const gone = await findGone(system, projectId, after);
      if (gone.length === 0) return;
      const removed: string[] = [];
      for (const { objectId, version } of gone)
        if (version === null || (await remove(mediaKey(projectId, { objectId, version }))))
          removed.push(objectId);
      await forgetMedia(system, projectId, removed);
      onRemoved(removed.length);
      after = gone.at(-1)!.objectId;
    }
  }

  /** Files without a row, or that were replaced: a process died, or lost the storage, between the two. */
  async function removeOrphans({ system, now, signal }: PurgeRun, projectId: string): Promise<void> {
    const before = now.getTime() - ORPHAN_AGE_MS;
    for await (const files of storage.list(projectId)) {
      if (signal.aborted) return;
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
  system: System,
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
