import { buffer } from 'node:stream/consumers';
import pLimit from 'p-limit';
import type { Clock } from '../../platform/clock.ts';
import { AppError, unavailable } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { MediaStorage, OpenFile } from '../../storage/media/media-storage.ts';
import type { Project } from '../projects/project.ts';
import { type ByteSpan, chunksOf, HEADER_BYTES, plainLength, sealedLength } from './chunk-layout.ts';
import {
  MediaFileMissingError,
  mediaErased,
  mediaNotFound,
  mediaTooLarge,
  mediaTypeMismatch,
  wrongContentType,
  wrongSequence,
} from './errors.ts';
import { type CheckImage, contentProblem } from './media-content.ts';
import { type MediaFile, mediaKey } from './media-key.ts';
import { bareType, MEDIA_BYTES, MEDIA_LIMITS, type MediaKind } from './media-kind.ts';
import { createMediaPurge } from './media-purge-service.ts';
import {
  expectMedia,
  findMedia,
  forgetMedia,
  type GoneMedia,
  type MediaRow,
  markGone,
  markStored,
  mediaOfSessions,
  renewMedia,
} from './media-store.ts';
import { signedMediaUrl, UPLOAD_URL_SECONDS } from './media-url.ts';
import { type MediaPlace, openMedia, sealedFile, sealMedia } from './sealed-media.ts';

export type MediaDeps = {
  storage: MediaStorage;
  clock: Clock;
  /** How long pictures and clips are kept, from the time when they were first expected. */
  retentionDays: number;
  /** What clients reach the service by. */
  baseUrl: () => string;
  checkImage: CheckImage;
  /** Throws when a session accepts no uploads of this kind now, or does not exist. */
  mayUpload: (project: Project, slot: Pick<MediaSlot, 'sessionId' | 'kind'>) => Promise<void>;
  /** Told of what is tried again later, and of the storage's own errors. */
  onError: (error: unknown) => void;
};

/** A place for one picture or clip of a session. */
export type MediaSlot = { readonly sessionId: string; readonly kind: MediaKind; readonly sequence: number };

/** An object that is open to be read; close it. */
export type OpenMedia = {
  readonly contentType: string;
  /** Plain bytes of the whole. */
  readonly size: number;
  read(span?: ByteSpan): AsyncIterable<Buffer>;
  close(): Promise<void>;
};

const DAY_MS = 86_400_000;
const REMOVALS_AT_ONCE = 8;

export type MediaService = ReturnType<typeof createMediaService>;

/**
 * Pictures and clips of verifications: sealed files, and a row for each. The row is there before the file and goes out
 * of sight before it: a file without one is nobody's, and the purge removes it.
 */
export function createMediaService(deps: MediaDeps) {
  const { storage, clock, retentionDays, checkImage, mayUpload, onError } = deps;
  const { purge } = createMediaPurge({ storage, onError });

  /** The object of a place: the same one as long as the type of its content is the same. */
  async function expect(project: Project, slot: MediaSlot, contentType: string): Promise<MediaRow> {
    const type = bareType(contentType);
    checkSlot(slot, type);
    const createdAt = clock.now();
    const expiresAt = new Date(createdAt.getTime() + retentionDays * DAY_MS);
    const row = await expectMedia(project.database, {
      objectId: newId(createdAt.getTime()),
      ...slot,
      contentType: type,
      createdAt,
      expiresAt,
    });
    if (row.state === 'gone') throw mediaErased();
    return row.contentType === type ? row : renew(project, row, slot, type);
  }

  async function renew(project: Project, row: MediaRow, slot: MediaSlot, type: string): Promise<MediaRow> {
    const objectId = newId(clock.now().getTime());
    const renewed = await renewMedia(project.database, row.objectId, { objectId, contentType: type });
    if (!renewed) return expect(project, slot, type);
    await removeFile(project.projectId, row);
    return renewed;
  }

  /** Keeps bytes that the service made itself, in place of earlier ones. */
  async function store(
    project: Project,
    slot: MediaSlot,
    contentType: string,
    bytes: Uint8Array,
  ): Promise<{ objectId: string }> {
    const { objectId } = await expect(project, slot, contentType);
    if (!(await write(project, objectId, bytes, false))) throw mediaNotFound();
    return { objectId };
  }

  /**
   * Takes an upload. Whether it may come is asked before `readBody`, so that a refused one costs nothing, and again when
   * its file becomes the object's: the session may have been submitted meanwhile.
   */
  async function receive(
    project: Project,
    objectId: string,
    contentType: string,
    readBody: () => Promise<Uint8Array>,
  ): Promise<void> {
    const row = await findMedia(project.database, objectId, clock.now());
    if (!row) throw mediaNotFound();
    await mayUpload(project, row);
    if (bareType(contentType) !== row.contentType) throw mediaTypeMismatch(row.contentType);
    const bytes = await readBody();
    if (bytes.byteLength > MEDIA_BYTES) throw mediaTooLarge();
    const problem = await contentProblem(bytes, row.contentType, checkImage);
    if (problem) throw problem;
    await mayUpload(project, row);
    if (await write(project, objectId, bytes, true)) return;
    await mayUpload(project, row);
    throw mediaNotFound();
  }

  /** The file first: what a row calls stored is there. Whether it became the object's. */
  async function write(
    project: Project,
    objectId: string,
    bytes: Uint8Array,
    needsCapturing: boolean,
  ): Promise<boolean> {
    const { projectId, cipher, database } = project;
    const file = { objectId, version: newId() };
    const sealed = sealMedia(cipher, placeOf(projectId, file), bytes);
    await fromStorage(storage.put(mediaKey(projectId, file), sealed, sealedLength(bytes.byteLength)));
    const earlier = await markStored(database, file, bytes.byteLength, needsCapturing);
    await removeFile(projectId, earlier ? { objectId, version: earlier.version } : file);
    return earlier !== null;
  }

  /** Opens an object; null for what is unknown, not stored yet, erased or over. */
  async function open(project: Project, objectId: string): Promise<OpenMedia | null> {
    const { projectId, database } = project;
    const row = await findMedia(database, objectId, clock.now());
    if (row?.state !== 'stored' || row.version === null) return null;
    const stored = { objectId, version: row.version };
    const file = await fromStorage(storage.open(mediaKey(projectId, stored), HEADER_BYTES));
    if (file)
      return opened(project, row, placeOf(projectId, stored), file).catch(async (error: unknown) => {
        await file.close();
        throw error;
      });
    // Erased or replaced between the two, or lost.
    const still = await findMedia(database, objectId, clock.now());
    if (still?.state === 'stored' && still.version !== row.version) return open(project, objectId);
    if (still?.state === 'stored') throw new MediaFileMissingError();
    return null;
  }

  /** The plain bytes, whole or a span of them. Throws `media.not_found`, also for what is not stored yet. */
  async function read(project: Project, objectId: string, span?: ByteSpan): Promise<Buffer> {
    const media = await open(project, objectId);
    if (!media) throw mediaNotFound();
    try {
      return await buffer(media.read(span));
    } finally {
      await media.close();
    }
  }

  /** Erases what sessions have. Their files are removed now, or by the purge where that fails. */
  async function eraseSessions(project: Project, sessionIds: readonly string[]): Promise<void> {
    const { projectId, database } = project;
    const gone = await markGone(database, sessionIds);
    const done = await pLimit(REMOVALS_AT_ONCE).map(gone, (file) => removeFile(projectId, file));
    const removed = gone.filter((_, index) => done[index]).map(({ objectId }) => objectId);
    if (removed.length > 0) await forgetMedia(database, projectId, removed);
  }

  /** Whether the file is gone, or never was. */
  async function removeFile(projectId: string, { objectId, version }: GoneMedia): Promise<boolean> {
    if (version === null) return true;
    try {
      await storage.delete(mediaKey(projectId, { objectId, version }));
      return true;
    } catch (error) {
      onError(error);
      return false;
    }
  }

  async function opened(
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
        return openMedia(sealed, span, piecesOf(file, part));
      },
      close: () => file.close(),
    };
  }

  /** The storage's own errors are told apart from bytes that do not open. */
  async function* piecesOf(file: OpenFile, { start, end }: ByteSpan): AsyncGenerator<Uint8Array> {
    try {
      yield* file.read(start, end);
    } catch (error) {
      onError(error);
      throw unavailable(error);
    }
  }

  async function fromStorage<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      onError(error);
      throw error instanceof AppError ? error : unavailable(error);
    }
  }

  function url(project: Project, objectId: string, method: 'GET' | 'PUT', seconds: number): string {
    const { projectId, cipher } = project;
    const expiresAt = new Date(clock.now().getTime() + seconds * 1000);
    return signedMediaUrl(cipher, { projectId, objectId, expiresAt, method, baseUrl: deps.baseUrl() });
  }

  return {
    expect,
    /** The row of an object, null for what is unknown, erased or over. */
    find: (project: Project, objectId: string) => findMedia(project.database, objectId, clock.now()),
    store,
    receive,
    open,
    read,
    eraseSessions,
    /** Removes the files of rows that no longer exist; the purge removes those whose removal fails. */
    async removeFiles(project: Project, files: readonly GoneMedia[]): Promise<void> {
      for (const file of files) await removeFile(project.projectId, file);
    },
    /** Removes what is over, files whose removal failed, and files without a row, of all projects. */
    purge,
    /** Rows of a session: expected ones and stored ones, by kind and sequence. */
    ofSession: (project: Project, sessionId: string) =>
      mediaOfSessions(project.database, [sessionId], clock.now()),
    /** The same of several sessions. */
    ofSessions: (project: Project, sessionIds: readonly string[]) =>
      mediaOfSessions(project.database, sessionIds, clock.now()),
    /** An address to read an object by, for so many seconds. */
    readUrl: (project: Project, objectId: string, seconds: number) => url(project, objectId, 'GET', seconds),
    /** An address to upload an object by, for an hour. */
    uploadUrl: (project: Project, objectId: string) => url(project, objectId, 'PUT', UPLOAD_URL_SECONDS),
  };
}

/** What a file is sealed to: an older version does not open in the place of a newer one. */
function placeOf(projectId: string, { objectId, version }: MediaFile): MediaPlace {
  return { projectId, objectId: `${objectId}.${version}` };
}

function checkSlot({ kind, sequence }: MediaSlot, type: string): void {
  const { count, contentTypes } = MEDIA_LIMITS[kind];
  if (!Number.isInteger(sequence) || sequence < 0 || sequence >= count) throw wrongSequence(kind);
  if (!contentTypes.includes(type)) throw wrongContentType(kind);
}
