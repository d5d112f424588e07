import { AppError, unavailable } from '../../platform/errors.ts';
import type { MediaStorage, OpenFile } from '../../storage/media/media-storage.ts';
import type { Project } from '../projects/project.ts';
import { type ByteSpan, chunksOf, plainLength } from './chunk-layout.ts';
import { type MediaFile, mediaKey } from './media-key.ts';
import type { GoneMedia, MediaRow } from './media-store.ts';
import { type MediaPlace, openMedia, sealedFile } from './sealed-media.ts';

type Deps = {
  readonly storage: MediaStorage;
  readonly onError: (error: unknown) => void;
};

/** An object that is open to be read; close it. */
export type OpenMedia = {
  readonly contentType: string;
  /** Plain bytes of the whole. */
  readonly size: number;
  read(span?: ByteSpan): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

/** What a file is sealed to: an older version does not open in the place of a newer one. */
export function placeOf(projectId: string, { objectId, version }: MediaFile): MediaPlace {
  return { projectId, objectId: `${objectId}.${version}` };
}

/** Whether the file is gone, or never was. */
export async function removeFile(
  deps: Deps,
  projectId: string,
  { objectId, version }: GoneMedia,
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

/** An open file as its plain bytes. */
export async function opened(
  deps: Pick<Deps, 'onError'>,
  project: Project,
  row: MediaRow,
  place: MediaPlace,
  file: OpenFile,
): Promise<OpenMedia> {
  const size = plainLength(file.size);
  if (size === null) throw new Error('a stored file has an impossible length');
  const sealed = sealedFile(project.cipher, place, file.head, size);
  return {
    contentType: row.contentType,
    size,
    read(span = { start: 0, end: size }) {
      const part = chunksOf(span, size).sealed;
      return openMedia(sealed, span, piecesOf(deps, file, part));
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

/** Reports an error of the storage, and throws it as one of the service. */
export async function fromStorage<T>({ onError }: Pick<Deps, 'onError'>, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    onError(error);
    throw error instanceof AppError ? error : unavailable(error);
  }
}
