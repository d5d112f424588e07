import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { COLUMN_ROLES, optionOf } from '@vouchgraph/email/files';
import { AppError } from '@vouchgraph/platform/errors';
import { importNotFound } from '../../../domain/email-checks/import/errors.ts';
import type { ImportProblem } from '../../../domain/email-checks/import/import-record.ts';
import type { ImportOptions } from '../../../domain/email-checks/import/import-service.ts';
import { openRemoteApi } from '../../support/remote-api.ts';
import {
  addressOf,
  foreignAnswer,
  type Gateway,
  objectOf,
  retryAfter,
  send,
  unreachable,
} from '../../support/remote-http.ts';
import { failureOf } from '../../support/rest-failure.ts';
import { uploadFile } from '../../support/upload-file.ts';
import type { ImportAccess, ImportSource, ShownImport } from './import-access.ts';

const POLL_MS = 2000;
const MAX_RATE_LIMITED = 5;
const ROOT = '/email/imports';

/** The imports of the project of a key, over the REST interface of its gateway. */
export function openRemoteImports(gateway: Gateway): ImportAccess {
  const { key } = gateway;
  const read = async (path: string) => readJson(gateway, 'GET', `${ROOT}${path}`);
  const importOf = (answer: unknown) => shownImport(addressOf(gateway, ROOT), answer);
  const rowsOf = (rows: unknown): unknown[] => {
    if (Array.isArray(rows)) return rows;
    throw foreignAnswer(addressOf(gateway, ROOT), 200);
  };
  const find = async (importId: string) => importOf(await read(pathOf(importId)));
  const upload = async (path: string, source: ImportSource, headers: Record<string, string>) =>
    importOf(
      await uploadFile(addressOf(gateway, `${ROOT}${path}`), { 'x-api-key': key, ...headers }, source),
    );
  return {
    async projectId() {
      const { run } = openRemoteApi(gateway);
      const { project } = await run<{ project: { projectId: string } }>('{ project { projectId } }');
      return project.projectId;
    },
    list: async () => rowsOf((await read('?limit=100')).imports).map(importOf),
    find,
    findOrNull: (importId) => find(importId).catch(nullIfNotFound),
    problems: async (importId, limit) =>
      rowsOf((await read(`${pathOf(importId)}/problems?limit=${limit}`)).problems) as ImportProblem[],
    async result(importId, bom) {
      const path = `${ROOT}${pathOf(importId)}/result.csv?bom=${bom}`;
      const { body } = await request(gateway, { method: 'GET', isDownload: true }, path);
      return bytesOf(addressOf(gateway, path), body!);
    },
    erase: async (importId) => void (await readJson(gateway, 'DELETE', `${ROOT}${pathOf(importId)}`)),
    // The key finds the import again if the response with its id is lost.
    start: async (importId, source, options) =>
      (await upload(`?${queryOf(options)}`, source, { 'idempotency-key': importId })).import_id,
    resume: async (importId, source) => void (await upload(pathOf(importId), source, {})),
    work: async () => {},
    stop: async () => {},
    pollMs: POLL_MS,
  };
}

const pathOf = (importId: string) => `/${encodeURIComponent(importId)}`;

/** The import of an answer, without the id of its request. */
function shownImport(address: string, answer: unknown): ShownImport {
  if (typeof (answer as ShownImport | null)?.import_id !== 'string') throw foreignAnswer(address, 200);
  const { request_id: _requestId, ...shown } = answer as ShownImport & { request_id?: string };
  return shown;
}

/** REST answers an unknown import with 400, as every other wrong input. */
const isNotFound = (error: unknown) => error instanceof AppError && error.code === importNotFound().code;

function nullIfNotFound(error: unknown): null {
  if (isNotFound(error)) return null;
  throw error;
}

function queryOf({ name, columns, encoding, delimiter, emitsEach, identityIntelligence }: ImportOptions) {
  const query = new URLSearchParams({
    name: name ?? '',
    emit_each: String(emitsEach === true),
    identity_intelligence: String(identityIntelligence === true),
    encoding: encoding ?? '',
    delimiter: delimiter ?? '',
  });
  if (columns?.hasHeader === false) query.set('header', 'false');
  for (const role of COLUMN_ROLES) query.set(optionOf(role), columns?.[role] ?? '');
  return query;
}

async function readJson(gateway: Gateway, method: string, path: string): Promise<Record<string, unknown>> {
  const address = addressOf(gateway, path);
  const response = await request(gateway, { method }, path);
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(address, error);
  });
  return objectOf(address, response.status, text);
}

/** A successful response. Requests over the rate limit are repeated. */
async function request(
  gateway: Gateway,
  options: { method: string; isDownload?: boolean },
  path: string,
): Promise<Response> {
  const address = addressOf(gateway, path);
  for (let refused = 0; ; refused += 1) {
    const response = await send(address, gateway.key, options);
    if (response.ok) return response;
    const seconds = retryAfter(response);
    const text = await response.text();
    if (seconds === null || refused >= MAX_RATE_LIMITED) {
      const failure = failureOf(address, response.status, text);
      throw isNotFound(failure) ? importNotFound() : failure;
    }
    await delay(seconds * 1000);
  }
}

async function* bytesOf(address: string, body: NonNullable<Response['body']>): AsyncGenerator<Uint8Array> {
  try {
    yield* Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0]);
  } catch (error) {
    throw unreachable(address, error);
  }
}
