import { fileOfKey, mediaKey } from '@vouchgraph/media';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Database } from '../../storage/database.ts';
import type { MediaStorage, StoredFile } from '../../storage/media/media-storage.ts';
import type { PurgeRun } from '../../storage/purge.ts';
import { deleteMedia, expireMedia, findErased, findLive, findProjectIds } from './media-store.ts';

type System = Pick<Database['system'], 'query'>;

/** Minimum age of a file without a row: a newer file may belong to a running upload. */
const ORPHAN_AGE_MS = 3_600_000;
const BATCH_SIZE = 500;

/** Deletes files of expired and erased objects, and files without a row. Several processes can run it concurrently. */
export function createMediaPurge(deps: { storage: MediaStorage; onError: (error: unknown) => void }) {
  const { storage, onError } = deps;

  async function purge(run: PurgeRun): Promise<void> {
    await expireMedia(run);
    let removed = 0;
    // Folders of unknown projects belong to another installation.
    for (const projectId of await findProjectIds(run.system)) {
      await removeErased(run, projectId, (count) => {
        removed += count;
        run.onProgress('media', removed);
      });
      await removeOrphans(run, projectId).catch(onError);
    }
  }

  /** Deletes files of expired and erased rows, then the rows. */
  async function removeErased(
    { system, signal }: PurgeRun,
    projectId: string,
    onRemoved: (count: number) => void,
  ): Promise<void> {
    for (let after = NIL_UUID; !signal.aborted; ) {
      const erased = await findErased(system, projectId, after);
      if (erased.length === 0) return;
      const removed: string[] = [];
      for (const { objectId, version } of erased)
        if (version === null || (await remove(mediaKey(projectId, { objectId, version }))))
          removed.push(objectId);
      await deleteMedia(system, projectId, removed);
      onRemoved(removed.length);
      after = erased.at(-1)!.objectId;
    }
  }

  /** Deletes files without a row and replaced files, which remain after a crash or a storage error. */
  async function removeOrphans({ system, now, signal }: PurgeRun, projectId: string): Promise<void> {
    const before = now.getTime() - ORPHAN_AGE_MS;
    for await (const files of storage.list(projectId)) {
      if (signal.aborted) return;
      for (let at = 0; at < files.length; at += BATCH_SIZE) {
        for (const file of await withoutRow(system, projectId, files.slice(at, at + BATCH_SIZE))) {
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
