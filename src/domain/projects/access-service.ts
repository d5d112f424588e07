import { timingSafeEqual } from 'node:crypto';
import type { TokenScope } from '@vouchgraph/events';
import type { Clock } from '@vouchgraph/platform/clock';
import { type MasterKey, type ProjectCipher, sha256 } from '@vouchgraph/platform/crypto';
import { type AppError, unauthenticated } from '@vouchgraph/platform/errors';
import { isUuid, NIL_UUID } from '@vouchgraph/platform/ids';
import { parseCalibration } from '@vouchgraph/signals';
import { LRUCache } from 'lru-cache';
import type { Database } from '../../storage/database.ts';
import { includesRole, type KeyRole, projectOfApiKey, startsLikeApiKey } from './api-key.ts';
import {
  type BrowserTokenClaims,
  isExpiredToken,
  projectOfBrowserToken,
  readBrowserToken,
} from './browser-token.ts';
import { keyMalformed, tokenAsKey, tokenExpired, tokenMalformed } from './credential-errors.ts';
import type { PersonRole } from './person-role.ts';
import type { Project } from './project.ts';
import { findKey, findKeyById, findProject, type ProjectRow, touchKey } from './project-store.ts';
import { projectOfSessionSecret } from './session-secret.ts';
import { findSessionOfSecret, type SessionOfSecret } from './session-secret-store.ts';
import { parseSettings } from './settings.ts';

/** Sender of a request. `actor` is shown in the audit log. */
export type Viewer = {
  readonly project: Project;
  readonly kind: 'key' | 'person' | 'browser_token' | 'collector' | 'verification_secret';
  /** Role of a key; null for all others but browser tokens, which have the lowest. */
  readonly role: KeyRole | null;
  /** Role of a person in the project; no other viewer has it. */
  readonly personRole?: PersonRole;
  /** Id of a person. */
  readonly personId?: string;
  /** What a person reads of itself. */
  readonly person?: {
    readonly name: string;
    readonly email: string;
    readonly twoFactorEnabled: boolean;
    readonly memberships: readonly { readonly projectId: string; readonly role: PersonRole }[];
  };
  readonly actor: string;
  /** Address of the client of the request; absent for commands and workers. */
  readonly address?: string | undefined;
  /** The key's id, the token's holder or the collector's address: what limits are counted by. */
  readonly limitKey: string;
  /** The one account that a browser token is limited to. */
  readonly accountId?: string | undefined;
  /** The one session that a browser token, or the token of a page, is limited to. */
  readonly sessionId?: string | undefined;
  /** Scopes of a browser token; no other viewer has scopes. */
  readonly scopes?: readonly TokenScope[];
  /** The key itself, or the key that made a browser token. */
  readonly keyId?: string;
  /** The secret that an app holds of a verification session; operations compare it with their session's. */
  readonly secret?: string;
};

/** Answers are kept this long, so that a revoked key stops within a second in every process. */
const CACHE_MS = 900;
const TOUCH_EVERY_MS = 60_000;
/** Value that a hash is compared with when the key does not exist. */
const NO_HASH = Buffer.alloc(32);

type KnownKey = {
  keyId: string;
  hash: Uint8Array;
  prefix: string;
  role: KeyRole;
  expiresAt: Date | null;
  project: Project;
};

type AccessDeps = { database: Database; masterKey: MasterKey; clock: Clock };

/** Projects and keys that this process has cached. */
type Access = AccessDeps & {
  readonly ciphers: LRUCache<string, ProjectCipher>;
  readonly keys: LRUCache<string, Promise<KnownKey | null>>;
  readonly projects: LRUCache<string, Promise<Project | null>>;
  readonly secrets: LRUCache<string, Promise<SessionOfSecret | null>>;
  readonly touched: LRUCache<string, number>;
};

export type AccessService = ReturnType<typeof createAccessService>;

/** Authenticates a request: by API key, by browser token, by session secret, or by the public id of a project. */
export function createAccessService(deps: AccessDeps) {
  const access: Access = {
    ...deps,
    ciphers: new LRUCache({ max: 1000 }),
    keys: new LRUCache({ max: 10_000, ttl: CACHE_MS }),
    projects: new LRUCache({ max: 10_000, ttl: CACHE_MS }),
    secrets: new LRUCache({ max: 10_000, ttl: CACHE_MS }),
    touched: new LRUCache({ max: 10_000 }),
  };
  return {
    /**
     * The viewer of an API key. Throws the same `auth.unauthenticated` for an unknown, an expired and a revoked key. A
     * malformed key is looked up in a project that does not exist, and has another error code.
     */
    viewerOfKey: (key: string) => viewerOfKey(access, key),
    /** The viewer of a browser token; throws `auth.unauthenticated` when it is forged or its key is not valid. */
    viewerOfBrowserToken: (token: string) => viewerOfBrowserToken(access, token),
    /**
     * The viewer of the secret of a verification session: an app that may upload to that session alone. Throws
     * `auth.unauthenticated` alike for an unknown project and an unknown secret.
     */
    viewerOfSecret: (secret: string) => viewerOfSecret(access, secret),
    /** The project with this id, or null. Known to pages: it is not a secret. */
    findProjectById: (projectId: string) => findProjectById(access, projectId),
    /** Drops the cached project and its keys, so that this process uses a change immediately. */
    forgetProject: (projectId: string) => forgetProject(access, projectId),
  };
}

async function viewerOfKey(access: Access, key: string): Promise<Viewer> {
  const projectId = projectOfApiKey(key) ?? NIL_UUID;
  const hash = sha256(key);
  const known = await cached(access.keys, `${projectId} ${hash.toString('base64')}`, () =>
    loadKey(access, findKey(access.database.forProject(projectId), hash)),
  );
  const now = access.clock.now();
  if (!timingSafeEqual(known?.hash ?? NO_HASH, hash) || !known) throw invalidKeyError(key);
  if (hasExpired(known, now)) throw unauthenticated();
  noteUse(access, known, now);
  return {
    project: known.project,
    kind: 'key',
    role: known.role,
    actor: known.prefix,
    limitKey: known.keyId,
    keyId: known.keyId,
  };
}

function invalidKeyError(text: string): AppError {
  if (projectOfApiKey(text) !== null) return unauthenticated();
  return startsLikeToken(text) ? tokenAsKey() : keyMalformed(startsLikeApiKey(text));
}

function startsLikeToken(text: string): boolean {
  return projectOfBrowserToken(text) !== null || projectOfSessionSecret(text) !== null;
}

async function viewerOfBrowserToken(access: Access, token: string): Promise<Viewer> {
  const { keys, clock } = access;
  const projectId = projectOfBrowserToken(token);
  if (projectId === null) throw tokenMalformed();
  const project = await findProjectById(access, projectId);
  const claims: BrowserTokenClaims | null = project && readBrowserToken(project.cipher, token, clock.now());
  if (project && !claims && isExpiredToken(project.cipher, token, clock.now())) throw tokenExpired();
  if (!project || !claims) throw unauthenticated();
  const { keyId } = claims;
  const key = await cached(keys, `${project.projectId} id:${keyId}`, () =>
    loadKey(access, findKeyById(project.database, keyId)),
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
    scopes: claims.scopes,
    accountId: claims.accountId,
    sessionId: claims.sessionId,
  };
}

async function viewerOfSecret(access: Access, secret: string): Promise<Viewer> {
  const projectId = projectOfSessionSecret(secret);
  const project = projectId === null ? null : await findProjectById(access, projectId);
  if (!project) throw unauthenticated();
  const hash = sha256(secret);
  const found = await cached(access.secrets, `${project.projectId} ${hash.toString('base64')}`, () =>
    findSessionOfSecret(project.database, hash),
  );
  if (!timingSafeEqual(found?.secret_hash ?? NO_HASH, hash) || !found) throw unauthenticated();
  const limitKey = `verification:${found.session_id}`;
  return { project, kind: 'verification_secret', role: null, actor: 'app', limitKey, secret };
}

function findProjectById(access: Access, projectId: string): Promise<Project | null> {
  if (!isUuid(projectId)) return Promise.resolve(null);
  const id = projectId.toLowerCase();
  return cached(access.projects, id, async () => {
    const row = await findProject(access.database.forProject(id));
    return row && toProject(access, row);
  });
}

function forgetProject({ projects, keys }: Access, projectId: string): void {
  projects.delete(projectId);
  for (const key of [...keys.keys()]) if (key.startsWith(`${projectId} `)) keys.delete(key);
}

function toProject({ ciphers, masterKey, database }: Access, row: ProjectRow): Project {
  let cipher = ciphers.get(row.project_id);
  if (!cipher) {
    cipher = masterKey.cipherFor(row.project_id, row.encrypted_key);
    ciphers.set(row.project_id, cipher);
  }
  return {
    projectId: row.project_id,
    name: row.name,
    environment: row.environment,
    settings: parseSettings(row.settings),
    settingsVersion: row.settings_version,
    operationsVersion: row.operations_version,
    createdAt: row.created_at,
    calibration: parseCalibration(row.calibration),
    cipher,
    database: database.forProject(row.project_id),
  };
}

/** A key that is not revoked. */
async function loadKey(access: Access, finding: ReturnType<typeof findKey>): Promise<KnownKey | null> {
  const row = await finding;
  if (!row || row.revoked_at) return null;
  return {
    keyId: row.key_id,
    hash: row.hash,
    prefix: row.prefix,
    role: row.role,
    expiresAt: row.expires_at,
    project: toProject(access, row),
  };
}

function noteUse({ touched }: Access, key: KnownKey, now: Date): void {
  if (now.getTime() - (touched.get(key.keyId) ?? 0) < TOUCH_EVERY_MS) return;
  touched.set(key.keyId, now.getTime());
  // The time of last use is a courtesy to the operator: losing one is no error.
  touchKey(key.project.database, key.keyId, now).catch(() => {});
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
