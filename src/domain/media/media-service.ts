import pLimit from 'p-limit';
import type { Clock } from '../../platform/clock.ts';
import type { MediaStorage } from '../../storage/media/media-storage.ts';
import type { Project } from '../projects/project.ts';
import type { ByteSpan } from './chunk-layout.ts';
import type { CheckImage } from './media-content.ts';
import { removeFile } from './media-files-adapter.ts';
import { createMediaPurge } from './media-purge-worker.ts';
import { open, read } from './media-read-service.ts';
import { findMedia, forgetMedia, type GoneMedia, markGone, mediaOfSessions } from './media-store.ts';
import { expect, type MediaSlot, receive, store } from './media-upload-service.ts';
import { signedMediaUrl, UPLOAD_URL_SECONDS } from './media-url.ts';

export type { OpenMedia } from './media-files-adapter.ts';
export type { MediaSlot } from './media-upload-service.ts';

const REMOVALS_AT_ONCE = 8;

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

export type MediaService = ReturnType<typeof createMediaService>;

/**
 * Pictures and clips of verifications: sealed files, and a row for each. The row is there before the file and goes out
 * of sight before it: a file without one is nobody's, and the purge removes it.
 */
export function createMediaService(deps: MediaDeps) {
  const { clock } = deps;
  return {
    /** The object of a place: the same one as long as the type of its content is the same. */
    expect: (project: Project, slot: MediaSlot, contentType: string) =>
      expect(deps, project, slot, contentType),
    /** The row of an object, null for what is unknown, erased or over. */
    find: (project: Project, objectId: string) => findMedia(project.database, objectId, clock.now()),
    /** Keeps bytes that the service made itself, in place of earlier ones. */
    store: (project: Project, slot: MediaSlot, contentType: string, bytes: Uint8Array) =>
      store(deps, project, slot, contentType, bytes),
    /**
     * Takes an upload. Whether it may come is asked before `readBody`, so that a refused one costs nothing, and again
     * when its file becomes the object's.
     */
    receive: (project: Project, objectId: string, contentType: string, readBody: () => Promise<Uint8Array>) =>
      receive(deps, project, objectId, contentType, readBody),
    /** Opens an object; null for what is unknown, not stored yet, erased or over. */
    open: (project: Project, objectId: string) => open(deps, project, objectId),
    /** The plain bytes, whole or a span of them. Throws `media.not_found`, also for what is not stored yet. */
    read: (project: Project, objectId: string, span?: ByteSpan) => read(deps, project, objectId, span),
    /** Erases what sessions have. Their files are removed now, or by the purge where that fails. */
    eraseSessions: (project: Project, sessionIds: readonly string[]) =>
      eraseSessions(deps, project, sessionIds),
    /** Removes the files of rows that no longer exist; the purge removes those whose removal fails. */
    async removeFiles(project: Project, files: readonly GoneMedia[]): Promise<void> {
      for (const file of files) await removeFile(deps, project.projectId, file);
    },
    /** Removes what is over, files whose removal failed, and files without a row, of all projects. */
    purge: createMediaPurge(deps).purge,
    /** Rows of a session: expected ones and stored ones, by kind and sequence. */
    ofSession: (project: Project, sessionId: string) =>
      mediaOfSessions(project.database, [sessionId], clock.now()),
    /** The same of several sessions. */
    ofSessions: (project: Project, sessionIds: readonly string[]) =>
      mediaOfSessions(project.database, sessionIds, clock.now()),
    /** An address to read an object by, for so many seconds. */
    readUrl: (project: Project, objectId: string, seconds: number) =>
      url(deps, project, objectId, 'GET', seconds),
    /** An address to upload an object by, for an hour. */
    uploadUrl: (project: Project, objectId: string) =>
      url(deps, project, objectId, 'PUT', UPLOAD_URL_SECONDS),
  };
}

/** Erases what sessions have. Their files are removed now, or by the purge where that fails. */
async function eraseSessions(
  deps: Pick<MediaDeps, 'storage' | 'onError'>,
  project: Project,
  sessionIds: readonly string[],
): Promise<void> {
  const { projectId, database } = project;
  const gone = await markGone(database, sessionIds);
  const done = await pLimit(REMOVALS_AT_ONCE).map(gone, (file) => removeFile(deps, projectId, file));
  const removed = gone.filter((_, index) => done[index]).map(({ objectId }) => objectId);
  if (removed.length > 0) await forgetMedia(database, projectId, removed);
}

/** A signed address of an object. */
function url(
  deps: Pick<MediaDeps, 'clock' | 'baseUrl'>,
  project: Project,
  objectId: string,
  method: 'GET' | 'PUT',
  seconds: number,
): string {
  const { projectId, cipher } = project;
  const expiresAt = new Date(deps.clock.now().getTime() + seconds * 1000);
  return signedMediaUrl(cipher, { projectId, objectId, expiresAt, method, baseUrl: deps.baseUrl() });
}
