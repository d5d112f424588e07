import { buffer } from 'node:stream/consumers';
import {
  type ByteSpan,
  HEADER_BYTES,
  MediaFileMissingError,
  mediaKey,
  mediaNotFound,
} from '@vouchgraph/media';
import type { Clock } from '@vouchgraph/platform/clock';
import type { MediaStorage } from '../../storage/media/media-storage.ts';
import type { Project } from '../projects/project.ts';
import { fromStorage, type OpenMedia, opened, placeOf } from './media-files-adapter.ts';
import { findMedia } from './media-store.ts';

type Deps = {
  readonly storage: MediaStorage;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
};

/** Opens an object; null for an unknown, not yet stored, erased or expired object. */
export async function open(deps: Deps, project: Project, objectId: string): Promise<OpenMedia | null> {
  const { projectId, database } = project;
  const row = await findMedia(database, objectId, deps.clock.now());
  if (row?.state !== 'stored' || row.version === null) return null;
  const stored = { objectId, version: row.version };
  const file = await fromStorage(deps, deps.storage.open(mediaKey(projectId, stored), HEADER_BYTES));
  if (file)
    return opened(deps, project, row, placeOf(projectId, stored), file).catch(async (error: unknown) => {
      await file.close();
      throw error;
    });
  // The object was erased or replaced since the first read, or the file was lost.
  const still = await findMedia(database, objectId, deps.clock.now());
  if (still?.state === 'stored' && still.version !== row.version) return open(deps, project, objectId);
  if (still?.state === 'stored') throw new MediaFileMissingError();
  return null;
}

/** The plain bytes, or a span of them. Throws `media.not_found`, also for an object that is not stored yet. */
export async function read(deps: Deps, project: Project, objectId: string, span?: ByteSpan): Promise<Buffer> {
  const media = await open(deps, project, objectId);
  if (!media) throw mediaNotFound();
  try {
    return await buffer(media.read(span));
  } finally {
    await media.close();
  }
}
