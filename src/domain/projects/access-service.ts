import { timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import { type MasterKey, type ProjectCipher, sha256 } from '../../platform/crypto.ts';
import { unauthenticated } from '../../platform/errors.ts';
import { isUuid, NIL_UUID } from '../../platform/ids.ts';
import type { Database } from '../../storage/database.ts';
import { parseCalibration } from '../signals/assessment/calibration.ts';
import { includesRole, type KeyRole, projectOfApiKey } from './api-key.ts';
import { type BrowserTokenClaims, projectOfBrowserToken, readBrowserToken } from './browser-token.ts';
import type { Project } from './project.ts';
import { findKey, findKeyById, findProject, type ProjectRow, touchKey } from './project-store.ts';
import { projectOfSessionSecret } from './session-secret.ts';
import { findSessionOfSecret, type SessionOfSecret } from './session-secret-store.ts';
import { parseSettings } from './settings.ts';

/**
 * Who is asking. `account` and `session` narrow a browser token to one of them; `actor` is what the audit log
 * shows.
 */
export type Viewer = {
  readonly project: Project;
  readonly kind: 'key' | 'browser_token' | 'collector' | 'verification_secret';
  readonly role: KeyRole | null;
  readonly actor: string;
  /** The key's id, the token's holder or the collector's address: what limits are counted by. */
  readonly limitKey: string;
  readonly accountId?: string;
  readonly sessionId?: string;
  /** The key itself, or the key that made a browser token. */
  readonly keyId?: string;
  /** The secret that an app holds of a verification session; operations compare it with their session's. */
  readonly secret?: string;
};

/** Answers are kept this long, so that a revoked key stops within a second in every process. */
const CACHE_MS = 900;
const TOUCH_EVERY_MS = 60_000;
/** What a hash is compared with when there is no key. */
const NO_HASH = Buffer.alloc(32);

type KnownKey = {
  keyId: string;
  hash: Uint8Array;
  prefix: string;
  role: KeyRole;
  expiresAt: Date | null;
  project: Project;
};

export type AccessService = ReturnType<typeof createAccessService>;

/** Finds out who is asking: by API key, by browser token, or as a page with a project's public id. */
export function createAccessService(deps: { database: Database; masterKey: MasterKey; clock: Clock }) {
  const { database, masterKey, clock } = deps;
  const ciphers = new LRUCache<string, ProjectCipher>({ max: 1000 });
  const keys = new LRUCache<string, Promise<KnownKey | null>>({ max: 10_000, ttl: CACHE_MS });
  const projects = new LRUCache<string, Promise<Project | null>>({ max: 10_000, ttl: CACHE_MS });
  const secrets = new LRUCache<string, Promise<SessionOfSecret | null>>({ max: 10_000, ttl: CACHE_MS });
  const touched = new LRUCache<string, number>({ max: 10_000 });

  function toProject(row: ProjectRow): Project {
    let cipher = ciphers.get(row.project_id);
    if (!cipher) {
      cipher = masterKey.cipherFor(row.project_id, row.sealed_key);
      ciphers.set(row.project_id, cipher);
    }
    return {
      projectId: row.project_id,
      name: row.name,
      environment: row.environment,
      settings: parseSettings(row.settings),
      createdAt: row.created_at,
      calibration: parseCalibration(row.calibration),
      cipher,
      database: database.forProject(row.project_id),
    };
  }

  /** A key that is not revoked. */
  async function loadKey(finding: ReturnType<typeof findKey>): Promise<KnownKey | null> {
    const row = await finding;
    if (!row || row.revoked_at) return null;
    return {
      keyId: row.key_id,
      hash: row.hash,
      prefix: row.prefix,
      role: row.role,
      expiresAt: row.expires_at,
      project: toProject(row),
    };
  }

  function noteUse(key: KnownKey, now: Date): void {
    if (now.getTime() - (touched.get(key.keyId) ?? 0) < TOUCH_EVERY_MS) return;
    touched.set(key.keyId, now.getTime());
    // The time of last use is a courtesy to the operator: losing one is no error.
    touchKey(key.project.database, key.keyId, now).catch(() => {});
  }

  /**
   * The viewer behind an API key; throws `auth.unauthenticated` alike for every reason. A malformed key is looked up like
   * an unknown one, in a project that does not exist: the time of the answer does not depend on the reason.
   */
  async function viewerOfKey(key: string): Promise<Viewer> {
    const projectId = projectOfApiKey(key) ?? NIL_UUID;
    const hash = sha256(key);
    const known = await cached(keys, `${projectId} ${hash.toString('base64')}`, () =>
      loadKey(findKey(database.forProject(projectId), hash)),
    );
    const now = clock.now();
    if (!timingSafeEqual(known?.hash ?? NO_HASH, hash) || !known) throw unauthenticated();
    if (hasExpired(known, now)) throw unauthenticated();
    noteUse(known, now);
    return {
      project: known.project,
      kind: 'key',
      role: known.role,
      actor: known.prefix,
      limitKey: known.keyId,
      keyId: known.keyId,
    };
  }

  /** The project with this id, or null. Known to pages: it is not a secret. */
  function findProjectById(projectId: string): Promise<Project | null> {
    if (!isUuid(projectId)) return Promise.resolve(null);
    const id = projectId.toLowerCase();
    return cached(projects, id, async () => {
      const row = await findProject(database.forProject(id));
      return row && toProject(row);
    });
  }

  /** The viewer behind a browser token; throws `auth.unauthenticated` when it is forged or has ended, or its key has. */
  async function viewerOfBrowserToken(token: string): Promise<Viewer> {
    const projectId = projectOfBrowserToken(token);
    const project = projectId === null ? null : await findProjectById(projectId);
    const claims: BrowserTokenClaims | null = project && readBrowserToken(project.cipher, token, clock.now());
    if (!project || !claims) throw unauthenticated();
    const { keyId } = claims;
    const key = await cached(keys, `${project.projectId} id:${keyId}`, () =>
      loadKey(findKeyById(project.database, keyId)),
    );
    if (!key || hasExpired(key, clock.now())) throw unauthenticated();
    return {
      project,
      kind: 'browser_token',
      // The lowest role: no key has less.
      role: 'read',
      actor: 'browser token',
      keyId,
      limitKey: `token:${token.slice(-16)}`,
      accountId: claims.accountId,
      sessionId: claims.sessionId,
    };
  }

  /**
   * An app with the secret of a verification session, and nothing else: it may upload to that session alone. Throws
   * `auth.unauthenticated` alike for an unknown project and an unknown secret.
   */
  async function viewerOfSecret(secret: string): Promise<Viewer> {
    const projectId = projectOfSessionSecret(secret);
    const project = projectId === null ? null : await findProjectById(projectId);
    if (!project) throw unauthenticated();
    const hash = sha256(secret);
    const found = await cached(secrets, `${project.projectId} ${hash.toString('base64')}`, () =>
      findSessionOfSecret(project.database, hash),
    );
    if (!timingSafeEqual(found?.secret_hash ?? NO_HASH, hash) || !found) throw unauthenticated();
    const limitKey = `verification:${found.session_id}`;
    return { project, kind: 'verification_secret', role: null, actor: 'app', limitKey, secret };
  }

  /** Forgets what is remembered of a project, so that this process sees a change of it at once. */
  function forgetProject(projectId: string): void {
    projects.delete(projectId);
    for (const key of [...keys.keys()]) if (key.startsWith(`${projectId} `)) keys.delete(key);
  }

  return { viewerOfKey, viewerOfBrowserToken, viewerOfSecret, findProjectById, forgetProject };
}

function hasExpired({ expiresAt }: KnownKey, now: Date): boolean {
  return expiresAt !== null && expiresAt <= now;
}

/** Whether the viewer holds a role; the collector holds none. */
export function hasRole(viewer: Viewer, role: KeyRole): boolean {
  return viewer.role !== null && includesRole(viewer.role, role);
}

/** One look-up at a time for each key; a failed one is not kept. */
function cached<T extends object>(
  cache: LRUCache<string, Promise<T | null>>,
  key: string,
  load: () => Promise<T | null>,
): Promise<T | null> {
  let found = cache.get(key);
  if (!found) {
    found = load();
    cache.set(key, found);
    found.catch(() => cache.delete(key));
  }
  return found;
}
