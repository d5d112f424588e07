import type { Database, ProjectDatabase } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import type { Environment, KeyRole } from './api-key.ts';

export type ProjectRow = {
  project_id: string;
  name: string;
  environment: Environment;
  settings: unknown;
  settings_version: number;
  operations_version: number;
  encrypted_key: Uint8Array;
  created_at: Date;
  /** The newest calibration as stored; null until one is fitted. */
  calibration?: unknown;
};

/** The newest calibration of project `p`. */
const NEWEST_CALIBRATION =
  '(select c.calibration from calibrations c where c.project_id = p.project_id and c.retired_at is null order by c.version desc limit 1) as calibration';

export type KeyRow = {
  key_id: string;
  hash: Uint8Array;
  prefix: string;
  label: string;
  role: KeyRole;
  created_at: Date;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
};

const PROJECT_COLUMNS =
  'project_id, name, environment, settings, settings_version, operations_version, encrypted_key, created_at';
const KEY_COLUMNS = 'key_id, hash, prefix, label, role, created_at, expires_at, revoked_at, last_used_at';

const FIND_PROJECT = {
  name: 'project.find',
  text: `select ${PROJECT_COLUMNS}, ${NEWEST_CALIBRATION} from projects p where project_id = $1`,
};

export async function findProject(database: ProjectDatabase): Promise<ProjectRow | null> {
  const rows = await database.query<ProjectRow>(FIND_PROJECT, [database.projectId]);
  return rows[0] ?? null;
}

const keyStatement = (name: string, column: string) => ({
  name,
  text: `select k.key_id, k.hash, k.prefix, k.role, k.expires_at, k.revoked_at,
           p.project_id, p.name, p.environment, p.settings, p.settings_version, p.operations_version, p.encrypted_key, p.created_at, ${NEWEST_CALIBRATION}
         from api_keys k join projects p on p.project_id = k.project_id
         where k.project_id = $1 and k.${column} = $2`,
});
const FIND_KEY = keyStatement('key.find', 'hash');
const FIND_KEY_BY_ID = keyStatement('key.find_by_id', 'key_id');

type KeyOfProject = Pick<KeyRow, 'key_id' | 'hash' | 'prefix' | 'role' | 'expires_at' | 'revoked_at'> &
  ProjectRow;

/** The key with this hash together with its project, in one statement. */
export async function findKey(database: ProjectDatabase, hash: Uint8Array): Promise<KeyOfProject | null> {
  const rows = await database.query(FIND_KEY, [database.projectId, hash]);
  return rows[0] ?? null;
}

/** The same for a key by its id. */
export async function findKeyById(database: ProjectDatabase, keyId: string): Promise<KeyOfProject | null> {
  const rows = await database.query(FIND_KEY_BY_ID, [database.projectId, keyId]);
  return rows[0] ?? null;
}

const TOUCH_KEY = {
  name: 'key.touch',
  text: 'update api_keys set last_used_at = $3 where project_id = $1 and key_id = $2',
};

export async function touchKey(database: ProjectDatabase, keyId: string, at: Date): Promise<void> {
  await database.query(TOUCH_KEY, [database.projectId, keyId, at]);
}

const INSERT_PROJECT = namedStatement(
  'project.insert',
  `with project as (
           insert into projects (project_id, name, environment, settings, encrypted_key, created_at)
           values (:projectId, :name, :environment, '{}', :encryptedKey, :createdAt)
         ), stats as (
           insert into stats_positions (project_id) values (:projectId)
         )
         insert into lists (project_id, list_id, name, description, effect, standard, created_at)
         select :projectId, l.list_id, l.name, l.description, l.effect, true, :createdAt
         from unnest(:listIds::uuid[], :listNames::text[], :listDescriptions::text[], :listEffects::text[]) as l (list_id,
           name, description, effect)`,
);

export type NewList = { listId: string; name: string; description: string; effect: string };
type NewProject = {
  projectId: string;
  name: string;
  environment: Environment;
  encryptedKey: Uint8Array;
  createdAt: Date;
};

function valuesOf(project: NewProject, lists: readonly NewList[]) {
  return {
    projectId: project.projectId,
    name: project.name,
    environment: project.environment,
    encryptedKey: project.encryptedKey,
    createdAt: project.createdAt,
    listIds: lists.map((list) => list.listId),
    listNames: lists.map((list) => list.name),
    listDescriptions: lists.map((list) => list.description),
    listEffects: lists.map((list) => list.effect),
  };
}

/** Creates a project with its standard lists and the position of its statistics, whole or not at all. */
export async function insertProject(
  system: Database['system'],
  project: NewProject,
  lists: readonly NewList[],
): Promise<void> {
  await system.query(...INSERT_PROJECT.call(valuesOf(project, lists)));
}

const INSERT_FIRST_PROJECT = namedStatement(
  'project.insert_first',
  `with turn as materialized (select pg_advisory_xact_lock(hashtext('vouchgraph_first_project'))),
         project as (
           insert into projects (project_id, name, environment, settings, encrypted_key, created_at)
           select :projectId, :name, :environment, '{}', :encryptedKey, :createdAt from turn where not exists (select 1 from projects)
           returning project_id
         ), stats as (
           insert into stats_positions (project_id) select p.project_id from project p
         ), list as (
           insert into lists (project_id, list_id, name, description, effect, standard, created_at)
           select p.project_id, l.list_id, l.name, l.description, l.effect, true, :createdAt
           from project p, unnest(:listIds::uuid[], :listNames::text[], :listDescriptions::text[],
             :listEffects::text[]) as l (list_id, name, description, effect)
         ), key as (
           insert into api_keys (project_id, key_id, hash, prefix, label, role, created_at)
           select p.project_id, :keyId, :hash, :prefix, :label, :role, :createdAt from project p
         ), audited as (
           insert into audit_log (project_id, audit_id, at, actor, action, target)
           select p.project_id, :auditId, :createdAt, :actor, 'project.create', 'project:' || p.project_id::text from project p
         )
         select project_id from project`,
);

/** Creates the very first project with a key; false when there is one already. */
export async function insertFirstProject(
  system: Database['system'],
  project: NewProject,
  lists: readonly NewList[],
  key: NewKey,
  audit: { auditId: string; actor: string },
): Promise<boolean> {
  const rows = await system.query(
    ...INSERT_FIRST_PROJECT.call({
      ...valuesOf(project, lists),
      keyId: key.keyId,
      hash: key.hash,
      prefix: key.prefix,
      label: key.label,
      role: key.role,
      auditId: audit.auditId,
      actor: audit.actor,
    }),
  );
  return rows.length === 1;
}

const LIST_PROJECTS = {
  name: 'project.list',
  text: `select ${PROJECT_COLUMNS} from projects order by created_at, project_id limit $1`,
};

export function listProjects(system: Database['system'], limit: number): Promise<ProjectRow[]> {
  return system.query<ProjectRow>(LIST_PROJECTS, [limit]);
}

const EXISTING_IDS = {
  name: 'project.existing_ids',
  text: 'select project_id from projects where project_id = any ($1::uuid[])',
};

/** Those of the ids that are projects. */
export async function existingProjectIds(
  system: Database['system'],
  ids: readonly string[],
): Promise<string[]> {
  const rows = await system.query<{ project_id: string }>(EXISTING_IDS, [ids]);
  return rows.map((row) => row.project_id);
}

const HAS_PRODUCTION = {
  name: 'project.has_production',
  text: `select exists (select from projects where environment = 'production') as found`,
};

export async function hasProductionProject(system: Database['system']): Promise<boolean> {
  const [row] = await system.query<{ found: boolean }>(HAS_PRODUCTION, []);
  return row!.found;
}

const INSERT_KEY = namedStatement(
  'key.insert',
  `with written as (
           insert into api_keys (project_id, key_id, hash, prefix, label, role, created_at, expires_at)
           select p.project_id, :keyId, :hash, :prefix, :label, :role, :createdAt,
             :expiresAt from projects p where p.project_id = :projectId
           returning project_id
         )
         insert into audit_log (project_id, audit_id, at, actor, action, target, after)
         select project_id, :auditId, :createdAt, :actor, 'key.create', 'key:' || :keyId::text,
           :after from written returning project_id`,
);

export type NewKey = {
  keyId: string;
  hash: Uint8Array;
  prefix: string;
  label: string;
  role: KeyRole;
  createdAt: Date;
  expiresAt: Date | null;
};

/** Stores a key with its audit line; false when the project does not exist. */
export async function insertKey(
  system: Database['system'],
  projectId: string,
  key: NewKey,
  audit: { auditId: string; actor: string },
): Promise<boolean> {
  const rows = await system.query(
    ...INSERT_KEY.call({
      projectId,
      keyId: key.keyId,
      hash: key.hash,
      prefix: key.prefix,
      label: key.label,
      role: key.role,
      createdAt: key.createdAt,
      expiresAt: key.expiresAt,
      auditId: audit.auditId,
      actor: audit.actor,
      after: JSON.stringify({
        prefix: key.prefix,
        role: key.role,
        label: key.label,
        expires_at: key.expiresAt,
      }),
    }),
  );
  return rows.length === 1;
}

const LIST_KEYS = {
  name: 'key.list',
  text: `select ${KEY_COLUMNS} from api_keys where project_id = $1 order by created_at, key_id`,
};

export function listKeys(system: Database['system'], projectId: string): Promise<KeyRow[]> {
  return system.query<KeyRow>(LIST_KEYS, [projectId]);
}

const REVOKE_KEY = {
  name: 'key.revoke',
  text: `with revoked as (
           update api_keys set revoked_at = coalesce(revoked_at, $3) where project_id = $1 and key_id = $2
           returning project_id, revoked_at
         ), audited as (
           insert into audit_log (project_id, audit_id, at, actor, action, target)
           select project_id, $4, $3, $5, 'key.revoke', 'key:' || $2::text from revoked where revoked_at = $3
         )
         select revoked_at from revoked`,
};

/** When the key was revoked (now, or before), or null when there is no such key. */
export async function revokeKey(
  system: Database['system'],
  projectId: string,
  keyId: string,
  at: Date,
  audit: { auditId: string; actor: string },
): Promise<Date | null> {
  const rows = await system.query<{ revoked_at: Date }>(REVOKE_KEY, [
    projectId,
    keyId,
    at,
    audit.auditId,
    audit.actor,
  ]);
  return rows[0]?.revoked_at ?? null;
}
