import type { Clock } from '../../platform/clock.ts';
import { type MasterKey, sha256 } from '../../platform/crypto.ts';
import { AppError, invalidInput } from '../../platform/errors.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { PAST_TEXT } from '../../platform/wording.ts';
import type { Database } from '../../storage/database.ts';
import { type Environment, generateApiKey, type KeyRole, visiblePrefix } from './api-key.ts';
import {
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
import { STANDARD_LISTS } from './standard-lists.ts';

export type ProjectService = ReturnType<typeof createProjectService>;

/** Projects and their keys, for the command line and the first start. It sees every project. */
export function createProjectService(deps: {
  database: Database;
  masterKey: MasterKey;
  clock: Clock;
  actor: string;
}) {
  const { database, masterKey, clock, actor } = deps;

  /** Creates a project with its standard lists. Names need not be unique. */
  async function createProject(
    name: string,
    environment: Environment,
  ): Promise<{ projectId: string; name: string }> {
    const now = clock.now();
    const projectId = newId(now.getTime());
    const lists = STANDARD_LISTS.map((list) => ({ ...list, listId: newId(now.getTime()) }));
    const sealedKey = masterKey.newSealedKey(projectId);
    await insertProject(database.system, { projectId, name, environment, sealedKey, createdAt: now }, lists);
    return { projectId, name };
  }

  /**
   * Makes the sandbox project of a first start with an operator key, unless another gateway was quicker (then null).
   * `keep` is given the key before anything is stored, so that it is not lost.
   */
  async function createSandbox(
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
        sealedKey: masterKey.newSealedKey(projectId),
        createdAt: now,
      },
      STANDARD_LISTS.map((list) => ({ ...list, listId: newId(now.getTime()) })),
      newKey(key, 'operator', { label: 'first start' }),
      { auditId: newId(), actor: 'first start' },
    );
    return isFirst ? { projectId, key } : null;
  }

  function newKey(key: string, role: KeyRole, options: { label?: string; expiresAt?: Date | null }): NewKey {
    return {
      keyId: newId(),
      hash: sha256(key),
      prefix: visiblePrefix(key),
      label: options.label ?? '',
      role,
      createdAt: clock.now(),
      expiresAt: options.expiresAt ?? null,
    };
  }

  async function getProject(projectId: string): Promise<ProjectRow> {
    const rows = isUuid(projectId) ? await database.system.query<ProjectRow>(GET_PROJECT, [projectId]) : [];
    if (!rows[0]) throw noSuchProject(projectId);
    return rows[0];
  }

  /**
   * Creates a key. The returned text is the only time that it is shown. Throws `input.invalid` for an expiry that is not
   * in the future.
   */
  async function createKey(
    projectId: string,
    role: KeyRole,
    options: { label?: string; expiresAt?: Date | null } = {},
  ): Promise<{ keyId: string; key: string; prefix: string }> {
    if (options.expiresAt && options.expiresAt <= clock.now())
      throw invalidInput(`expiresAt: ${PAST_TEXT}`, ['expiresAt']);
    const project = await getProject(projectId);
    const key = generateApiKey(project.project_id, project.environment);
    const row = newKey(key, role, options);
    await insertKey(database.system, project.project_id, row, { auditId: newId(), actor });
    return { keyId: row.keyId, key, prefix: row.prefix };
  }

  /** Revokes a key; doing it again keeps the first time. Within a second no gateway takes it any more. */
  async function revoke(projectId: string, keyId: string): Promise<Date> {
    await getProject(projectId);
    const revokedAt = isUuid(keyId)
      ? await revokeKey(database.system, projectId, keyId, clock.now(), { auditId: newId(), actor })
      : null;
    if (!revokedAt)
      throw new AppError('key.not_found', 'not_found', `Key not found: ${JSON.stringify(keyId)}`);
    return revokedAt;
  }

  async function keysOf(projectId: string): Promise<KeyRow[]> {
    await getProject(projectId);
    return listKeys(database.system, projectId);
  }

  /** The oldest projects, `limit` at most. */
  function projects(limit: number): Promise<ProjectRow[]> {
    return listProjects(database.system, limit);
  }

  /** Throws when the master key does not open the keys of the projects that are stored. */
  async function checkMasterKey(): Promise<void> {
    const [first] = await listProjects(database.system, 1);
    if (first) masterKey.cipherFor(first.project_id, first.sealed_key);
  }

  return {
    createProject,
    createSandbox,
    getProject,
    createKey,
    revokeKey: revoke,
    keysOf,
    projects,
    checkMasterKey,
  };
}

const GET_PROJECT = {
  name: 'project.get',
  text: 'select project_id, name, environment, settings, sealed_key, created_at from projects where project_id = $1',
};

function noSuchProject(projectId: string): AppError {
  return new AppError('project.not_found', 'not_found', `Project not found: ${JSON.stringify(projectId)}`);
}
