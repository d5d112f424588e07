import { randomBytes, randomUUID } from 'node:crypto';
import { mediaKey } from '@vouchgraph/media/internals/media-key';
import { systemClock } from '@vouchgraph/platform/clock';
import { MasterKey } from '@vouchgraph/platform/crypto';
import sharp from 'sharp';
import type { MediaSlot } from '../../src/domain/media/media-service.ts';
import { createAccessService } from '../../src/domain/projects/access-service.ts';
import type { Project } from '../../src/domain/projects/project.ts';
import type { Gateway, TestProject } from './gateway.ts';

const INSERT_SESSION = {
  name: 'test.verification_session',
  text: `insert into verification_sessions (project_id, session_id, kind, state, secret_hash, request_id, created_at, expires_at)
         values ($1, $2, 'id', $3, $4, $5, now(), now() + interval '1 day')`,
};

/** A verification session that captures images, or is in another state. */
export async function verificationSession(
  gateway: Gateway,
  { projectId }: TestProject,
  state = 'capturing',
): Promise<string> {
  const sessionId = randomUUID();
  const values = [projectId, sessionId, state, randomBytes(32), randomUUID()];
  await gateway.app.database.system.query(INSERT_SESSION, values);
  return sessionId;
}

const SET_STATE = {
  name: 'test.verification_state',
  text: 'update verification_sessions set state = $3 where project_id = $1 and session_id = $2',
};

export async function setVerificationState(
  gateway: Gateway,
  { projectId }: TestProject,
  sessionId: string,
  state: string,
): Promise<void> {
  await gateway.app.database.system.query(SET_STATE, [projectId, sessionId, state]);
}

const FIND_FILE = {
  name: 'test.media_file',
  text: `select object_id as "objectId", version from media_objects where project_id = $1 and object_id = $2`,
};

/** The key of the current file of an object. */
export async function storedKey(gateway: Gateway, projectId: string, objectId: string): Promise<string> {
  const [file] = await gateway.app.database.system.query(FIND_FILE, [projectId, objectId]);
  if (!file?.version) throw new Error('nothing is stored');
  return mediaKey(projectId, file);
}

/** The project context of a resolver, with its keys. */
export async function openProject(gateway: Gateway, masterKey: string, projectId: string): Promise<Project> {
  const { database } = gateway.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock: systemClock });
  return (await access.findProjectById(projectId))!;
}

/** A slot in a new session, or in a given one, with its signed URLs. */
export async function expectedMedia(
  { gateway, masterKey }: { gateway: Gateway; masterKey: string },
  client: TestProject,
  { contentType = 'image/jpeg', ...given }: Partial<MediaSlot> & { contentType?: string } = {},
) {
  const { media } = gateway.app;
  const project = await openProject(gateway, masterKey, client.projectId);
  const sessionId = given.sessionId ?? (await verificationSession(gateway, client));
  const slot: MediaSlot = { kind: 'id_front', sequence: 0, ...given, sessionId };
  const { objectId } = await media.expect(project, slot, contentType);
  const uploadUrl = media.uploadUrl(project, objectId);
  return { project, sessionId, slot, objectId, uploadUrl, readUrl: media.readUrl(project, objectId, 900) };
}

/** One upload; its status and body. */
export async function upload(
  url: string,
  bytes: Uint8Array,
  contentType = 'image/jpeg',
  headers: Record<string, string> = {},
) {
  const body = bytes as Uint8Array<ArrayBuffer>;
  const response = await fetch(url, {
    method: 'PUT',
    body,
    headers: { 'content-type': contentType, ...headers },
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as unknown };
}

/** The bytes of a URL, or a range of them. */
export async function download(url: string, headers: Record<string, string> = {}, method = 'GET') {
  const response = await fetch(url, { method, headers });
  return {
    status: response.status,
    headers: response.headers,
    bytes: Buffer.from(await response.arrayBuffer()),
  };
}

/** An image of noise, which hardly compresses: about `side` × `side` × 2 bytes as PNG, less as JPEG. */
export async function noiseImage(side = 64, format: 'jpeg' | 'png' | 'webp' = 'jpeg'): Promise<Buffer> {
  const raw = { width: side, height: side, channels: 3 as const };
  return sharp(randomBytes(side * side * 3), { raw })
    .toFormat(format)
    .toBuffer();
}

/** The header of a WebM video, followed by other bytes. */
export function videoBytes(length = 1000): Buffer {
  const header = Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d', 'hex');
  return Buffer.concat([header, randomBytes(length)]);
}
