import type { Database, ProjectDatabase, Statement } from '../../storage/database.ts';
import type { MediaObject } from '../../storage/generated/prisma/client.ts';
import { idList } from '../../storage/prisma-page.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import type { MediaFile } from './media-key.ts';
import type { MediaKind } from './media-kind.ts';

export type MediaState = 'expected' | 'stored' | 'gone';

/** A slot for one image or video of a session: `bytes` is 0 and `version` null until it is stored. */
export type MediaRow = MediaObject & { readonly kind: MediaKind; readonly state: MediaState };

/** Rows that are not erased. */
const LIVE = { state: { not: 'gone' } } as const;

export type NewMedia = Pick<
  MediaRow,
  'objectId' | 'sessionId' | 'kind' | 'sequence' | 'contentType' | 'createdAt' | 'expiresAt'
>;

/** Creates a row, or returns the existing one of the slot. */
export async function expectMedia(
  { projectId, prisma }: ProjectDatabase,
  media: NewMedia,
): Promise<MediaRow> {
  const { sessionId, kind, sequence } = media;
  const row = await prisma.mediaObject.upsert({
    where: { projectId_sessionId_kind_sequence: { projectId, sessionId, kind, sequence } },
    create: { projectId, ...media },
    // Changes nothing: one statement returns the existing row.
    update: { sequence },
  });
  return row as MediaRow;
}

/** Resets a slot for another content type, with a new id; null when a concurrent request already did. */
export async function renewMedia(
  { projectId, prisma }: ProjectDatabase,
  objectId: string,
  renewed: { objectId: string; contentType: string },
): Promise<MediaRow | null> {
  const [row] = await prisma.mediaObject.updateManyAndReturn({
    where: { projectId, objectId, ...LIVE },
    data: { ...renewed, bytes: 0, state: 'expected', version: null },
  });
  return (row ?? null) as MediaRow | null;
}

/** A row that is neither erased nor expired. */
export async function findMedia(
  { projectId, prisma }: ProjectDatabase,
  objectId: string,
  now: Date,
): Promise<MediaRow | null> {
  const row = await prisma.mediaObject.findUnique({
    where: { projectId_objectId: { projectId, objectId }, expiresAt: { gt: now }, ...LIVE },
  });
  return row as MediaRow | null;
}

/** Expected and stored rows of sessions. */
export async function mediaOfSessions(
  { projectId, prisma }: ProjectDatabase,
  sessionIds: readonly string[],
  now: Date,
): Promise<MediaRow[]> {
  const rows = await prisma.mediaObject.findMany({
    where: { projectId, sessionId: { in: idList(sessionIds) }, expiresAt: { gt: now }, ...LIVE },
    orderBy: [{ sessionId: 'asc' }, { kind: 'asc' }, { sequence: 'asc' }],
  });
  return rows as MediaRow[];
}

/**
 * $5: whether the session must be capturing. The session's row is locked until the end of the statement, and a submit locks it
 * too: an image is either stored before the submit, or rejected.
 */
const MARK_STORED: Statement = {
  name: 'media.mark_stored',
  text: `with session as (
           select 1 from verification_sessions v
           where v.project_id = $1 and v.state = 'capturing' and exists (
             select 1 from media_objects o
             where o.project_id = $1 and o.object_id = $2 and o.session_id = v.session_id
               and (v.document_retakes = 0 or o.kind in ('id_front', 'id_back')))
           for share of v
         ), earlier as (
           select m.object_id, m.version from media_objects m
           where m.project_id = $1 and m.object_id = $2 and m.state <> 'gone'
             and (not $5::boolean or exists (select 1 from session))
           for update of m
         )
         update media_objects m set state = 'stored', bytes = $3, version = $4
         from earlier where m.project_id = $1 and m.object_id = earlier.object_id
         returning earlier.version`,
};

/** Makes a file the object's content, and returns the previous version; null when uploads are no longer accepted. */
export async function markStored(
  database: ProjectDatabase,
  { objectId, version }: MediaFile,
  bytes: number,
  needsCapturing: boolean,
): Promise<{ version: string | null } | null> {
  const values = [database.projectId, objectId, bytes, version, needsCapturing];
  const [earlier] = await database.query<{ version: string | null }>(MARK_STORED, values);
  return earlier ?? null;
}

/** An erased object with the version of its file; null without a file. */
export type ErasedMedia = Pick<MediaRow, 'objectId' | 'version'>;

/** Marks the media of sessions as erased. Their files are deleted afterwards, or by the next purge. */
export function markErased(
  { projectId, prisma }: ProjectDatabase,
  sessionIds: readonly string[],
): Promise<ErasedMedia[]> {
  return prisma.mediaObject.updateManyAndReturn({
    where: { projectId, sessionId: { in: idList(sessionIds) } },
    data: { state: 'gone' },
    select: { objectId: true, version: true },
  });
}

const FORGET: Statement = {
  name: 'media.delete',
  text: `delete from media_objects where project_id = $1 and object_id = any($2::uuid[]) and state = 'gone'`,
};

/** Deletes rows of erased objects whose files are deleted. */
export async function deleteMedia(
  database: Pick<Database['system'], 'query'>,
  projectId: string,
  objectIds: readonly string[],
): Promise<void> {
  await database.query(FORGET, [projectId, objectIds]);
}

/* Statements of the purge, for all projects. */

const expire = createPurge({
  name: 'media_expired',
  table: 'media_objects',
  key: ['object_id'],
  column: 'expires_at',
  first: '-infinity',
  condition: `x.state <> 'gone'`,
  index: 'all',
  change: `update media_objects x set state = 'gone' from chosen c
           where x.project_id = c.project_id and x.object_id = c.object_id`,
});

export const expireMedia = (run: PurgeRun): Promise<number> => expire(run, run.now);

const PROJECTS: Statement = {
  name: 'media.purge_projects',
  text: 'select project_id as "projectId" from projects order by 1',
};

export async function findProjectIds(system: Pick<Database['system'], 'query'>): Promise<string[]> {
  const rows = await system.query<{ projectId: string }>(PROJECTS, []);
  return rows.map(({ projectId }) => projectId);
}

const FIND_ERASED: Statement = {
  name: 'media.purge_erased',
  text: `select object_id as "objectId", version from media_objects
         where project_id = $1 and state = 'gone' and object_id > $2 order by object_id limit 500`,
};

/** A page of a project's erased objects after an id. */
export function findErased(
  system: Pick<Database['system'], 'query'>,
  projectId: string,
  after: string,
): Promise<ErasedMedia[]> {
  return system.query(FIND_ERASED, [projectId, after]);
}

const FIND_LIVE: Statement = {
  name: 'media.purge_live',
  text: `select version from media_objects
         where project_id = $1 and version is not null and object_id = any($2::uuid[]) and state <> 'gone'`,
};

/** The current versions of a project's objects. */
export async function findLive(
  system: Pick<Database['system'], 'query'>,
  projectId: string,
  objectIds: readonly string[],
): Promise<Set<string>> {
  const rows = await system.query<{ version: string }>(FIND_LIVE, [projectId, objectIds]);
  return new Set(rows.map(({ version }) => version));
}
