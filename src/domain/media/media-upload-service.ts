import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { MediaStorage } from '../../storage/media/media-storage.ts';
import type { Project } from '../projects/project.ts';
import { sealedLength } from './chunk-layout.ts';
import {
  mediaErased,
  mediaNotFound,
  mediaTooLarge,
  mediaTypeMismatch,
  wrongContentType,
  wrongSequence,
} from './errors.ts';
import { type CheckImage, contentProblem } from './media-content.ts';
import { fromStorage, placeOf, removeFile } from './media-files-adapter.ts';
import { mediaKey } from './media-key.ts';
import { bareType, MEDIA_BYTES, MEDIA_LIMITS, type MediaKind } from './media-kind.ts';
import { expectMedia, findMedia, type MediaRow, markStored, renewMedia } from './media-store.ts';
import { sealMedia } from './sealed-media.ts';

type Deps = {
  readonly storage: MediaStorage;
  readonly clock: Clock;
  readonly retentionDays: number;
  readonly checkImage: CheckImage;
  readonly mayUpload: (project: Project, slot: Pick<MediaSlot, 'sessionId' | 'kind'>) => Promise<void>;
  readonly onError: (error: unknown) => void;
};

/** A place for one picture or clip of a session. */
export type MediaSlot = { readonly sessionId: string; readonly kind: MediaKind; readonly sequence: number };

const DAY_MS = 86_400_000;

function checkSlot({ kind, sequence }: MediaSlot, type: string): void {
  const { count, contentTypes } = MEDIA_LIMITS[kind];
  if (!Number.isInteger(sequence) || sequence < 0 || sequence >= count) throw wrongSequence(kind);
  if (!contentTypes.includes(type)) throw wrongContentType(kind);
}

/** The object of a place: the same one as long as the type of its content is the same. */
export async function expect(
  deps: Deps,
  project: Project,
  slot: MediaSlot,
  contentType: string,
): Promise<MediaRow> {
  const type = bareType(contentType);
  checkSlot(slot, type);
  const createdAt = deps.clock.now();
  const expiresAt = new Date(createdAt.getTime() + deps.retentionDays * DAY_MS);
  const row = await expectMedia(project.database, {
    objectId: newId(createdAt.getTime()),
    ...slot,
    contentType: type,
    createdAt,
    expiresAt,
  });
  if (row.state === 'gone') throw mediaErased();
  return row.contentType === type ? row : renew(deps, project, row, slot, type);
}

async function renew(
  deps: Deps,
  project: Project,
  row: MediaRow,
  slot: MediaSlot,
  type: string,
): Promise<MediaRow> {
  const objectId = newId(deps.clock.now().getTime());
  const renewed = await renewMedia(project.database, row.objectId, { objectId, contentType: type });
  if (!renewed) return expect(deps, project, slot, type);
  await removeFile(deps, project.projectId, row);
  return renewed;
}

/** Keeps bytes that the service made itself, in place of earlier ones. */
export async function store(
  deps: Deps,
  project: Project,
  slot: MediaSlot,
  contentType: string,
  bytes: Uint8Array,
): Promise<{ objectId: string }> {
  const { objectId } = await expect(deps, project, slot, contentType);
  if (!(await write(deps, project, objectId, bytes, false))) throw mediaNotFound();
  return { objectId };
}

/**
 * Takes an upload. Whether it may come is asked before `readBody`, so that a refused one costs nothing, and again when
 * its file becomes the object's: the session may have been submitted meanwhile.
 */
export async function receive(
  deps: Deps,
  project: Project,
  objectId: string,
  contentType: string,
  readBody: () => Promise<Uint8Array>,
): Promise<void> {
  const row = await findMedia(project.database, objectId, deps.clock.now());
  if (!row) throw mediaNotFound();
  await deps.mayUpload(project, row);
  if (bareType(contentType) !== row.contentType) throw mediaTypeMismatch(row.contentType);
  const bytes = await readBody();
  if (bytes.byteLength > MEDIA_BYTES) throw mediaTooLarge();
  const problem = await contentProblem(bytes, row.contentType, deps.checkImage);
  if (problem) throw problem;
  await deps.mayUpload(project, row);
  if (await write(deps, project, objectId, bytes, true)) return;
  await deps.mayUpload(project, row);
  throw mediaNotFound();
}

/** The file first: what a row calls stored is there. Whether it became the object's. */
async function write(
  deps: Deps,
  project: Project,
  objectId: string,
  bytes: Uint8Array,
  needsCapturing: boolean,
): Promise<boolean> {
  const { projectId, cipher, database } = project;
  const file = { objectId, version: newId() };
  const sealed = sealMedia(cipher, placeOf(projectId, file), bytes);
  await fromStorage(
    deps,
    deps.storage.put(mediaKey(projectId, file), sealed, sealedLength(bytes.byteLength)),
  );
  const earlier = await markStored(database, file, bytes.byteLength, needsCapturing);
  await removeFile(deps, projectId, earlier ? { objectId, version: earlier.version } : file);
  return earlier !== null;
}
