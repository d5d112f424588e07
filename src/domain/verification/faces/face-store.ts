import { FACE_PIPELINE_VERSION } from '@vouchgraph/vision';
import type { ProjectDatabase, Row, Statement, Transaction } from '../../../storage/database.ts';
import { namedStatement } from '../../../storage/named-statement.ts';
import type { Project } from '../../projects/project.ts';
export type FaceTemplateRow = {
  template_id: string;
  account_id: string | null;
  session_id: string;
  account_group: string;
  is_enrolled: boolean;
  descriptor: Buffer;
  /** A bigint as PostgreSQL writes it. */
  change_number: string;
  pipeline_version: number;
};

/** Whether a template can be compared with those of this version. */
export function isComparable({
  pipeline_version: version,
}: Pick<FaceTemplateRow, 'pipeline_version'>): boolean {
  return version === FACE_PIPELINE_VERSION;
}

const READ_NEXT: Statement = {
  name: 'face.read_on',
  text: `select template_id, account_id, session_id, account_group, is_enrolled, descriptor, change_number, pipeline_version
         from face_templates
         where project_id = $1 and change_number > $2 and pipeline_version = ${FACE_PIPELINE_VERSION}
         order by change_number limit $3`,
};

/** Templates of the current pipeline version after a change number, in order. */
export function readNextTemplates(
  database: Pick<ProjectDatabase, 'projectId' | 'query'>,
  after: string,
  limit: number,
): Promise<FaceTemplateRow[]> {
  return database.query<FaceTemplateRow>(READ_NEXT, [database.projectId, after, limit]);
}

/** Reads them in a transaction. */
export const readNextCall = (projectId: string, after: string, limit: number) =>
  [READ_NEXT, [projectId, after, limit]] as const;

/**
 * Whether an account is on a blocking list or decided Fake, by its latest score unless a list allows it. `fakeFrom`:
 * the score from which an account is Fake.
 */
const isFraud = (account: string) => `(
  exists (
    select 1 from list_members m join lists l on l.project_id = m.project_id and l.list_id = m.list_id
    where m.project_id = $1 and m.account_id = ${account} and l.effect = 'block'
      and (m.expires_at is null or m.expires_at > :now)
  ) or (
    coalesce((
      select d.account_score from decisions d where d.project_id = $1 and d.account_id = ${account}
      order by d.decision_id desc limit 1
    ) >= :fakeFrom::float8, false)
    and not exists (
      select 1 from list_members m join lists l on l.project_id = m.project_id and l.list_id = m.list_id
      where m.project_id = $1 and m.account_id = ${account} and l.effect = 'allow'
        and (m.expires_at is null or m.expires_at > :now)
    )
  ))`;

const READ_CURRENT = namedStatement(
  'face.read_current',
  `select t.template_id, t.account_id, t.session_id, t.account_group, t.is_enrolled,
           ${isFraud('t.account_id')} as is_fraud,
           t.session_id is not distinct from :referringSessionId::uuid or exists (
             select 1 from verification_sessions v
             where v.project_id = :projectId and v.session_id = t.session_id and v.referring_session_id in (:sessionId::uuid,
               :referringSessionId::uuid)
           ) or exists (
             select 1 from sessions s
             where s.project_id = :projectId and s.session_id = t.session_id
               and (s.browser_hash = :browserHash::bytea or s.device_hash = :deviceHash::bytea)
           ) as agrees
         from face_templates t
         where t.project_id = :projectId and t.template_id = any(:templateIds::uuid[])
           and (t.expires_at is null or t.expires_at > :now)
           and t.pipeline_version = ${FACE_PIPELINE_VERSION}`,
  ['fakeFrom'],
);

/** Existing template, with the facts of its session and account. */
export type CurrentTemplate = Omit<FaceTemplateRow, 'descriptor' | 'change_number' | 'pipeline_version'> & {
  is_fraud: boolean;
  agrees: boolean;
};

/** Facts of a session for comparisons. */
export type ComparedKeys = {
  readonly sessionId: string;
  readonly referringSessionId: string | null;
  readonly browserHash: Buffer | null;
  readonly deviceHash: Buffer | null;
};

export async function readCurrentTemplates(
  { database: { projectId }, settings }: Pick<Project, 'database' | 'settings'>,
  transaction: Transaction,
  templateIds: readonly string[],
  { sessionId, referringSessionId, browserHash, deviceHash }: ComparedKeys,
  now: Date,
): Promise<CurrentTemplate[]> {
  if (templateIds.length === 0) return [];
  const [rows = []] = await transaction.run(
    READ_CURRENT.call({
      projectId,
      now,
      fakeFrom: settings.fakeFrom,
      templateIds,
      sessionId,
      referringSessionId,
      browserHash,
      deviceHash,
    }),
  );
  return rows as Row[] as CurrentTemplate[];
}

/** Current facts of sessions with a face, and of accounts. */
const READ_STANDING = namedStatement(
  'face.read_standing',
  `select t.session_id, t.account_id, t.account_group, ${isFraud('t.account_id')} as is_fraud
         from face_templates t
         where t.project_id = :projectId and t.session_id = any(:sessionIds::uuid[])
           and (t.expires_at is null or t.expires_at > :now)
         union all
         select null, a.id, a.account_group, ${isFraud('a.id')} as is_fraud
         from accounts a where a.project_id = :projectId and a.id = any(:accounts::uuid[])`,
  ['fakeFrom'],
);

/** A session with a face, or an account (`session_id` null). */
export type FaceHolder = {
  session_id: string | null;
  account_id: string | null;
  account_group: string;
  is_fraud: boolean;
};

export const readStandingCall = (
  { projectId, settings }: Pick<Project, 'projectId' | 'settings'>,
  of: { sessionIds: readonly string[]; accounts: readonly string[] },
  now: Date,
) =>
  READ_STANDING.call({
    projectId,
    now,
    fakeFrom: settings.fakeFrom,
    sessionIds: of.sessionIds,
    accounts: of.accounts,
  });

export const FIND_OF_SESSION: Statement = {
  name: 'face.find_of_session',
  text: `select template_id, account_id, session_id, account_group, is_enrolled, descriptor, change_number, pipeline_version
         from face_templates where project_id = $1 and session_id = $2`,
};

export async function findFaceOfSession(
  database: ProjectDatabase,
  sessionId: string,
): Promise<FaceTemplateRow | null> {
  const [row] = await database.query<FaceTemplateRow>(FIND_OF_SESSION, [database.projectId, sessionId]);
  return row ?? null;
}

export const FIND_ENROLLED: Statement = {
  name: 'face.find_enrolled',
  text: `select t.template_id, t.account_id, t.session_id, t.account_group, t.is_enrolled, t.descriptor, t.change_number,
           t.pipeline_version
         from face_templates t join accounts a on a.project_id = $1 and a.id = t.account_id
         where t.project_id = $1 and a.account_id = $2 and t.is_enrolled`,
};

/** Enrolled face of the account with the client's id. */
export async function findEnrolledFace(
  database: ProjectDatabase,
  accountId: string,
): Promise<FaceTemplateRow | null> {
  const [row] = await database.query<FaceTemplateRow>(FIND_ENROLLED, [database.projectId, accountId]);
  return row ?? null;
}

export const FIND_OWNER: Statement = {
  name: 'verification.find_owner',
  text: 'select id, account_group from accounts where project_id = $1 and account_id = $2',
};

/** Account with the client's id, read in a transaction. */
export async function findOwner(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  accountId: string,
): Promise<{ id: string; account_group: string } | null> {
  const [rows] = await transaction.run([FIND_OWNER, [projectId, accountId]]);
  return rows?.[0] ?? null;
}

const FIND_DOCUMENT: Statement = {
  name: 'document.find_earlier',
  text: `select d.session_id, d.account_id, exists (
           select 1 from list_members m join lists l on l.project_id = m.project_id and l.list_id = m.list_id
           where m.project_id = $1 and m.account_id = d.account_id and l.effect = 'block'
             and (m.expires_at is null or m.expires_at > $4)
         ) as is_blocked
         from document_sightings d
         where d.project_id = $1 and d.number_hash = $2 and d.session_id <> $3 and d.account_group = $5
           and (d.expires_at is null or d.expires_at > $4)
         order by d.created_at desc limit 100`,
};

export type DocumentSighting = { session_id: string; account_id: string | null; is_blocked: boolean };

/** Other sessions with the document, latest first. */
export async function findDocumentSightings(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  document: { numberHash: Buffer; sessionId: string; group: string; now: Date },
): Promise<DocumentSighting[]> {
  const { numberHash, sessionId, group, now } = document;
  const [rows = []] = await transaction.run([FIND_DOCUMENT, [projectId, numberHash, sessionId, now, group]]);
  return rows as Row[] as DocumentSighting[];
}

const FIND_DEVICE: Statement = {
  name: 'verification.find_device',
  text: `select 1 from identifiers i
         where i.project_id = $1 and i.kind = $2 and i.value_hash = $3 and i.account_group = $4
           and i.account_id is distinct from $5::uuid limit 1`,
};

/** Whether another account used the device. */
export async function isDeviceOfAnother(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  device: { kind: number; hash: Buffer; group: string; accountId: string | null },
): Promise<boolean> {
  const { kind, hash, group, accountId } = device;
  const [rows = []] = await transaction.run([FIND_DEVICE, [projectId, kind, hash, group, accountId]]);
  return rows.length > 0;
}

/**
 * $2 the session, $3 the account, $4 its group. Assigns face and document of the session to the account. Documents of
 * accounts are compared while the account exists. Faces in memory move to the account's group by the change number.
 */
export const BIND_SIGHTINGS: Statement = {
  name: 'verification.bind_sightings',
  text: `with bound as (
           update verification_sessions set bound_account_id = $3 where project_id = $1 and session_id = $2
         ), face as (
           update face_templates set account_id = $3, account_group = $4, change_number = default
           where project_id = $1 and session_id = $2
         )
         update document_sightings set account_id = $3, account_group = $4, expires_at = null
         where project_id = $1 and session_id = $2`,
};

/** Enrolls the face of session $2 for account $3. An earlier enrolled face is kept as a seen face until $4. */
export const REPLACE_ENROLLED: Statement = {
  name: 'face.retire_enrolled',
  text: `update face_templates set is_enrolled = false, expires_at = $4
         where project_id = $1 and account_id = $3 and is_enrolled and session_id <> $2`,
};
export const ENROLL: Statement = {
  name: 'face.enroll',
  text: `update face_templates set is_enrolled = true, expires_at = null, change_number = default
         where project_id = $1 and session_id = $2 and account_id = $3`,
};
