import {
  type ByteSpan,
  chunksOf,
  decryptMedia,
  encryptedFile,
  type MediaFile,
  type MediaPlace,
  mediaKey,
  plainLength,
} from '@vouchgraph/media';
import { AppError, unavailable } from '@vouchgraph/platform/errors';
import type { MediaStorage, OpenFile } from '../../storage/media/media-storage.ts';
import type { Project } from '../projects/project.ts';
import type { ErasedMedia, MediaRow } from './media-store.ts';

type Deps = {
  readonly storage: MediaStorage;
  readonly onError: (error: unknown) => void;
};

/** An object opened for reading, which must be closed. */
export type OpenMedia = {
  readonly contentType: string;
  /** Number of plain bytes. */
  readonly size: number;
  read(span?: ByteSpan): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

/** Authenticated identity of a file: an older version cannot replace a newer one. */
export function placeOf(projectId: string, { objectId, version }: MediaFile): MediaPlace {
  return { projectId, objectId: `${objectId}.${version}` };
}

/** Deletes a file. True if it no longer exists, or never existed. */
export async function removeFile(
  deps: Deps,
  projectId: string,
  { objectId, version }: ErasedMedia,
): Promise<boolean> {
  if (version === null) return true;
  try {
    await deps.storage.delete(mediaKey(projectId, { objectId, version }));
    return true;
  } catch (error) {
    deps.onError(error);
    return false;
  }
}

/** Wraps an open file for reading its plain bytes. */
export async function opened(
  deps: Pick<Deps, 'onError'>,
  project: Project,
  row: MediaRow,
  place: MediaPlace,
  file: OpenFile,
): Promise<OpenMedia> {
  const size = plainLength(file.size);
  if (size === null) throw new Error('a stored file has an impossible length');
  const encrypted = encryptedFile(project.cipher, place, file.head, size);
  return {
    contentType: row.contentType,
    size,
    read(span = { start: 0, end: size }) {
      const part = chunksOf(span, size).encrypted;
      return decryptMedia(encrypted, span, piecesOf(deps, file, part));
    },
    close: () => file.close(),
  };
}

/** Distinguishes errors of the storage from bytes that cannot be decrypted. */
async function* piecesOf(
  deps: Pick<Deps, 'onError'>,
  file: OpenFile,
  { start, end }: ByteSpan,
): AsyncGenerator<Uint8Array> {
  try {
    yield* file.read(start, end);
  } catch (error) {
    deps.onError(error);
    throw unavailable(error);
  }
}

/** Reports an error of the storage, and rethrows it as an AppError. */
export async function fromStorage<T>({ onError }: Pick<Deps, 'onError'>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    onError(error);
    throw error instanceof AppError ? error : unavailable(error);
  }
}
