import type { MediaFile, MediaKind } from '@vouchgraph/media';
import type { Database, ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';

export type MediaState = 'expected' | 'stored' | 'gone';

/** A slot for one image or video of a session. */
export type MediaRow = {
  readonly objectId: string;
  readonly sessionId: string;
  readonly kind: MediaKind;
  readonly sequence: number;
  readonly contentType: string;
  /** Size of the plain bytes; 0 until stored. */
  readonly bytes: number;
  readonly state: MediaState;
  /** Version of the file; null until stored. */
  readonly version: string | null;
  readonly createdAt: Date;
  /** Expiry time. */
  readonly expiresAt: Date;
};

const COLUMNS = `object_id as "objectId", session_id as "sessionId", kind, sequence, content_type as "contentType",
  bytes, state, version, created_at as "createdAt", expires_at as "expiresAt"`;

/** Returns an existing row unchanged: the no-op update returns it, unlike `do nothing`. */
const EXPECT = namedStatement(
  'media.expect',
  `insert into media_objects as m
           (project_id, object_id, session_id, kind, sequence, content_type, created_at, expires_at)
         values (:projectId, :objectId, :sessionId, :kind, :sequence, :contentType, :createdAt, :expiresAt)
         on conflict (project_id, session_id, kind, sequence) do update set content_type = m.content_type
           where m.project_id = :projectId
         returning ${COLUMNS}`,
);

export type NewMedia = Pick<
  MediaRow,
  'objectId' | 'sessionId' | 'kind' | 'sequence' | 'contentType' | 'createdAt' | 'expiresAt'
>;

/** Creates a row, or returns the existing one of the slot. */
export async function expectMedia(database: ProjectDatabase, media: NewMedia): Promise<MediaRow> {
  const { objectId, sessionId, kind, sequence, contentType, createdAt, expiresAt } = media;
  const [row] = await database.query<MediaRow>(
    ...EXPECT.call({
      projectId: database.projectId,
      objectId,
      sessionId,
      kind,
      sequence,
      contentType,
      createdAt,
      expiresAt,
    }),
  );
  return row!;
}

const RENEW: Statement = {
  name: 'media.renew',
  text: `update media_objects set object_id = $3, content_type = $4, bytes = 0, state = 'expected', version = null
         where project_id = $1 and object_id = $2 and state <> 'gone'
         returning ${COLUMNS}`,
};

/** Resets a slot for another content type, with a new id; null when a concurrent request already did. */
export async function renewMedia(
  database: ProjectDatabase,
  objectId: string,
  renewed: { objectId: string; contentType: string },
): Promise<MediaRow | null> {
  const values = [database.projectId, objectId, renewed.objectId, renewed.contentType];
  const [row] = await database.query<MediaRow>(RENEW, values);
  return row ?? null;
}

const FIND: Statement = {
  name: 'media.find',
  text: `select ${COLUMNS} from media_objects
         where project_id = $1 and object_id = $2 and state <> 'gone' and expires_at > $3`,
};

/** A row that is neither erased nor expired. */
export async function findMedia(
  database: ProjectDatabase,
  objectId: string,
  now: Date,
): Promise<MediaRow | null> {
  const [row] = await database.query<MediaRow>(FIND, [database.projectId, objectId, now]);
  return row ?? null;
}

const OF_SESSION: Statement = {
  name: 'media.of_session',
  text: `select ${COLUMNS} from media_objects
         where project_id = $1 and session_id = $2 and state <> 'gone' and expires_at > $3
         order by kind, sequence`,
};

/** Expected and stored rows of a session. */
export function findMediaOfSession(
  database: ProjectDatabase,
  sessionId: string,
  now: Date,
): Promise<MediaRow[]> {
  return database.query(OF_SESSION, [database.projectId, sessionId, now]);
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

const MARK_ERASED: Statement = {
  name: 'media.mark_erased',
  text: `update media_objects set state = 'gone'
         where project_id = $1 and session_id = any($2::uuid[]) returning object_id as "objectId", version`,
};

/** An erased object with the version of its file; null without a file. */
export type ErasedMedia = { readonly objectId: string; readonly version: string | null };

/** Marks the media of sessions as erased. Their files are deleted afterwards, or by the next purge. */
export function markErased(database: ProjectDatabase, sessionIds: readonly string[]): Promise<ErasedMedia[]> {
  return database.query(MARK_ERASED, [database.projectId, sessionIds]);
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

const LIVE: Statement = {
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
  const rows = await system.query<{ version: string }>(LIVE, [projectId, objectIds]);
  return new Set(rows.map(({ version }) => version));
}
