import { STANDARD_LISTS } from '@vouchgraph/decisions';
import type { Clock } from '@vouchgraph/platform/clock';
import { type MasterKey, sha256 } from '@vouchgraph/platform/crypto';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import { visibleName } from '@vouchgraph/platform/visible-text';
import { PAST_TEXT } from '@vouchgraph/platform/wording';
import type { Database } from '../../storage/database.ts';
import { type Environment, generateApiKey, type KeyRole, visiblePrefix } from './api-key.ts';
import {
  existingProjectIds,
  hasProductionProject,
  insertFirstProject,
  insertKey,
  insertProject,
  type KeyRow,
  listKeys,
  listProjects,
  type NewKey,
  type ProjectRow,
  revokeKey,
} from './project-store.ts';

export type ProjectService = ReturnType<typeof createProjectService>;

/** Of projects, and labels of keys. */
const nameShape = visibleName(128);

type ProjectDeps = { database: Database; masterKey: MasterKey; clock: Clock; actor: string };
type KeyOptions = { label?: string; expiresAt?: Date | null };

/** Projects and their keys, for the command line and the first start. It sees every project. */
export function createProjectService(deps: ProjectDeps) {
  return {
    /** Creates a project with its standard lists. Names need not be unique. */
    createProject: (name: string, environment: Environment) => createProject(deps, name, environment),
    /**
     * Creates the sandbox project of a first start with an operator key; null when another gateway was faster. `keep`
     * receives the key before anything is stored, so that it is not lost.
     */
    createSandbox: (keep: (project: { projectId: string; key: string }) => Promise<void>) =>
      createSandbox(deps, keep),
    getProject: (projectId: string) => getProject(deps, projectId),
    /**
     * Creates a key. The returned text is the only time that it is shown. Throws `input.invalid` for an expiry that is
     * not in the future.
     */
    createKey: (projectId: string, role: KeyRole, options: KeyOptions = {}) =>
      createKey(deps, projectId, role, options),
    /** Revokes a key; a repetition keeps the first time. Every gateway rejects the key within a second. */
    revokeKey: (projectId: string, keyId: string) => revoke(deps, projectId, keyId),
    async keysOf(projectId: string): Promise<KeyRow[]> {
      await getProject(deps, projectId);
      return listKeys(deps.database.system, projectId);
    },
    /** The oldest projects, at most `limit`. */
    projects: (limit: number): Promise<ProjectRow[]> => listProjects(deps.database.system, limit),
    /** Those of the ids, UUIDs, that are projects. */
    existingIds: (ids: readonly string[]): Promise<string[]> => existingProjectIds(deps.database.system, ids),
    hasProductionProject: (): Promise<boolean> => hasProductionProject(deps.database.system),
    /** Throws when the master key does not decrypt the keys of the stored projects. */
    async checkMasterKey(): Promise<void> {
      const [first] = await listProjects(deps.database.system, 1);
      if (first) deps.masterKey.cipherFor(first.project_id, first.encrypted_key);
    },
  };
}

async function createProject(
  { database, masterKey, clock }: ProjectDeps,
  sentName: string,
  environment: Environment,
): Promise<{ projectId: string; name: string }> {
  const name = readName('name', sentName);
  const now = clock.now();
  const projectId = newId(now.getTime());
  const lists = STANDARD_LISTS.map((list) => ({ ...list, listId: newId(now.getTime()) }));
  const encryptedKey = masterKey.newEncryptedKey(projectId);
  await insertProject(database.system, { projectId, name, environment, encryptedKey, createdAt: now }, lists);
  return { projectId, name };
}

async function createSandbox(
  { database, masterKey, clock }: ProjectDeps,
  keep: (project: { projectId: string; key: string }) => Promise<void>,
): Promise<{ projectId: string; key: string } | null> {
  const now = clock.now();
  const projectId = newId(now.getTime());
  const key = generateApiKey(projectId, 'sandbox');
  await keep({ projectId, key });
  const isFirst = await insertFirstProject(
    database.system,
    {
      projectId,
      name: 'Sandbox',
      environment: 'sandbox',
      encryptedKey: masterKey.newEncryptedKey(projectId),
      createdAt: now,
    },
    STANDARD_LISTS.map((list) => ({ ...list, listId: newId(now.getTime()) })),
    newKey(key, 'operator', { label: 'first start' }, clock.now()),
    { auditId: newId(), actor: 'first start' },
  );
  return isFirst ? { projectId, key } : null;
}

function readName(field: string, text: string): string {
  const { data, error } = nameShape.safeParse(text);
  if (data !== undefined) return data;
  throw invalidInput(`${field}: ${error!.issues[0]!.message}`, [field]);
}

function newKey(key: string, role: KeyRole, options: KeyOptions, createdAt: Date): NewKey {
  return {
    keyId: newId(),
    hash: sha256(key),
    prefix: visiblePrefix(key),
    label: options.label ? readName('label', options.label) : '',
    role,
    createdAt,
    expiresAt: options.expiresAt ?? null,
  };
}

async function getProject({ database }: ProjectDeps, projectId: string): Promise<ProjectRow> {
  const rows = isUuid(projectId) ? await database.system.query<ProjectRow>(GET_PROJECT, [projectId]) : [];
  if (!rows[0]) throw noSuchProject(projectId);
  return rows[0];
}

async function createKey(
  deps: ProjectDeps,
  projectId: string,
  role: KeyRole,
  options: KeyOptions,
): Promise<{ keyId: string; key: string; prefix: string }> {
  const { database, clock, actor } = deps;
  if (options.expiresAt && options.expiresAt <= clock.now())
    throw invalidInput(`expiresAt: ${PAST_TEXT}`, ['expiresAt']);
  const project = await getProject(deps, projectId);
  const key = generateApiKey(project.project_id, project.environment);
  const row = newKey(key, role, options, clock.now());
  await insertKey(database.system, project.project_id, row, { auditId: newId(), actor });
  return { keyId: row.keyId, key, prefix: row.prefix };
}

async function revoke(deps: ProjectDeps, projectId: string, keyId: string): Promise<Date> {
  const { database, clock, actor } = deps;
  await getProject(deps, projectId);
  const revokedAt = isUuid(keyId)
    ? await revokeKey(database.system, projectId, keyId, clock.now(), { auditId: newId(), actor })
    : null;
  if (!revokedAt) throw new AppError('key.not_found', 'not_found', `Key not found: ${JSON.stringify(keyId)}`);
  return revokedAt;
}

const GET_PROJECT = {
  name: 'project.get',
  text: 'select project_id, name, environment, settings, encrypted_key, created_at from projects where project_id = $1',
};

function noSuchProject(projectId: string): AppError {
  return new AppError('project.not_found', 'not_found', `Project not found: ${JSON.stringify(projectId)}`);
}
