import { FACE_PIPELINE_VERSION } from '@vouchgraph/vision';
import type { Database, ProjectDatabase, Row, Statement } from '../../../storage/database.ts';

/*
 * Stale templates, which are those of another version of the face pipeline. They are pending unless the current version could not
 * recompute them from the stored images. The condition is that of the partial index `face_templates_stale_<version>`.
 */

const IS_STALE = `pipeline_version <> ${FACE_PIPELINE_VERSION}`;
const IS_PENDING = `${IS_STALE} and unreadable_version <> ${FACE_PIPELINE_VERSION}`;
const PENDING = {
  pipelineVersion: { not: FACE_PIPELINE_VERSION },
  unreadableVersion: { not: FACE_PIPELINE_VERSION },
};

const FIND_PROJECTS: Statement = {
  name: 'face.find_projects_with_stale',
  text: `select p.project_id from projects p
         where exists (select 1 from face_templates where project_id = p.project_id and ${IS_PENDING})`,
};

/** Projects with templates to recompute, across all projects. */
export async function findProjectsWithPending(system: Pick<Database['system'], 'query'>): Promise<string[]> {
  const rows = await system.query<{ project_id: string }>(FIND_PROJECTS, []);
  return rows.map(({ project_id }) => project_id);
}

/** Pending template, with its session. */
export type PendingTemplate = { readonly id: string; readonly sessionId: string };

const FIND_PENDING: Statement = {
  name: 'face.find_pending',
  text: `select template_id as id, session_id as "sessionId" from face_templates
         where project_id = $1 and ${IS_PENDING} and template_id > $2::uuid order by template_id limit $3`,
};

/** Page of pending templates after an id. */
export function findPendingTemplates(
  database: ProjectDatabase,
  after: string,
  limit: number,
): Promise<PendingTemplate[]> {
  return database.query(FIND_PENDING, [database.projectId, after, limit]);
}

const FIND_PENDING_ENROLLED: Statement = {
  name: 'face.find_pending_enrolled',
  text: `select t.template_id as id, t.session_id as "sessionId"
         from face_templates t join accounts a on a.project_id = $1 and a.id = t.account_id
         where t.project_id = $1 and a.account_id = $2 and t.is_enrolled and ${IS_PENDING}`,
};

/** Enrolled face of the account with the client's id, if it is pending. */
export async function findPendingEnrolled(
  database: ProjectDatabase,
  accountId: string,
): Promise<PendingTemplate | null> {
  const [row] = await database.query<PendingTemplate>(FIND_PENDING_ENROLLED, [database.projectId, accountId]);
  return row ?? null;
}

/** Face of a session, if it is pending. */
export async function findPendingOfSession(
  { projectId, prisma }: ProjectDatabase,
  sessionId: string,
): Promise<PendingTemplate | null> {
  const where = { projectId, sessionId, ...PENDING };
  const found = await prisma.faceTemplate.findFirst({ where, select: { templateId: true } });
  return found && { id: found.templateId, sessionId };
}

/** Requires the lock of the project's faces: searches continue by the change number. Ignores erased templates. */
export const WRITE_RECOMPUTED: Statement = {
  name: 'face.write_recomputed',
  text: `update face_templates
         set descriptor = $3, pipeline_version = ${FACE_PIPELINE_VERSION}, change_number = default
         where project_id = $1 and template_id = $2 and ${IS_STALE} returning template_id`,
};

export async function markUnreadable(
  { projectId, prisma }: ProjectDatabase,
  templateId: string,
): Promise<void> {
  const data = { unreadableVersion: FACE_PIPELINE_VERSION };
  await prisma.faceTemplate.updateMany({ where: { projectId, templateId, ...PENDING }, data });
}

/** Templates of a project by whether they can be compared. */
export type FaceTemplateCounts = {
  readonly comparable: number;
  /** Waiting to be recomputed from stored images. */
  readonly pending: number;
  /** Stale, without a stored image of the face. */
  readonly notComparable: number;
  /** Number of accounts whose enrolled face is among them. */
  readonly enrolledNotComparable: number;
};

const COUNT: Statement = {
  name: 'face.count_templates',
  text: `select count(*) filter (where not (${IS_STALE}))::int as comparable,
           count(*) filter (where ${IS_PENDING})::int as pending,
           count(*) filter (where ${IS_STALE} and not (${IS_PENDING}))::int as "notComparable",
           count(*) filter (where ${IS_STALE} and not (${IS_PENDING}) and is_enrolled)::int as "enrolledNotComparable"
         from face_templates where project_id = $1`,
};

export async function countTemplates(database: ProjectDatabase): Promise<FaceTemplateCounts> {
  const [row] = await database.query<Row>(COUNT, [database.projectId]);
  return row;
}
