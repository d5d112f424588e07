import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  COLUMN_ROLES,
  importTooLarge,
  optionOf,
  parseDelimiter,
  parseEncoding,
} from '@vouchgraph/email/files';
import { createUploadBodies, type RateLimit, type UploadBodies } from '@vouchgraph/pacing';
import { maskValue } from '@vouchgraph/persons/masking';
import { decodeCursor, encodeCursor } from '@vouchgraph/platform/cursor';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import {
  HttpError,
  headerOf,
  jsonAnswer,
  methodNotAllowed,
  rejectEncodedBody,
  sendAnswer,
} from '@vouchgraph/platform/http';
import { newId } from '@vouchgraph/platform/ids';
import { pageAfter } from '@vouchgraph/platform/keyset';
import { wholeText } from '@vouchgraph/platform/wording';
import { readFlag, readText, rejectUnknown } from '@vouchgraph/rest';
import { presentImport } from '../../domain/email-checks/import/import-record.ts';
import type { EmailImportService, ImportOptions } from '../../domain/email-checks/import/import-service.ts';
import { type IdempotencyService, otherBody } from '../../domain/idempotency/idempotency-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { expectBody } from '../body-time.ts';
import { allowOrigin } from '../cors.ts';
import type { Exchange } from '../exchange.ts';
import { presentRouteError } from '../rest/errors.ts';
import { sendCompressed } from '../send-compressed.ts';
import { dropBody, streamBody } from '../streamed-body.ts';

const ROOT = '/email/imports';
const PATH = /^\/email\/imports(?:\/([^/]+)(?:\/(result\.csv|problems))?)?$/;
/** A client that reads nothing for this time is disconnected. */
const STALLED_MS = 30_000;
/** A client that sends all of a file of this size before it reads receives a refusal too. */
const REFUSED_FILE_BYTES = 12 * 1024 * 1024;
const MAX_PAGE = 1000;
const DEFAULT_PAGE = 100;
const TYPES = /^(text\/csv|text\/plain|text\/tab-separated-values|application\/octet-stream)\s*(;|$)/i;

export type EmailImportRoutes = {
  answer(exchange: Exchange, findViewer: () => Promise<Viewer>): Promise<void>;
};

/** Whether a path is one of the imports of email addresses. */
export function isOfEmailImports(path: string): boolean {
  return path === ROOT || path.startsWith(`${ROOT}/`);
}

type Source = Parameters<EmailImportService['start']>[2];
type EmailImport = Awaited<ReturnType<EmailImportService['start']>>;

type Deps = {
  imports: EmailImportService;
  idempotency: IdempotencyService;
  keyLimit: RateLimit;
  /** Largest file that is received. */
  maxBytes: number;
};
type OpenDeps = Deps & { bodies: UploadBodies };

/** A request and its viewer. */
type Call = Exchange & { viewer: Viewer };

/** A request: its operation, whose name is logged, its query parameters, and its handler. */
type Operation = {
  name: string;
  query?: readonly string[];
  run: (deps: OpenDeps, call: Call, importId: string) => Promise<void>;
};
type Operations = Readonly<Record<string, Operation>>;

const PAGE_QUERY = ['limit', 'cursor'];
const FILE_QUERY = [
  ...['name', 'header', 'encoding', 'delimiter', 'emit_each', 'identity_intelligence'],
  ...COLUMN_ROLES.map(optionOf),
];

const OF_ALL: Operations = {
  GET: { name: 'email.list_imports', query: PAGE_QUERY, run: list },
  POST: { name: 'email.import', query: FILE_QUERY, run: receiveNew },
};
const OF_ONE: Operations = {
  GET: { name: 'email.find_import', run: find },
  POST: { name: 'email.resume_import', run: resume },
  DELETE: { name: 'email.erase_import', run: erase },
};
const OF_PROBLEMS: Operations = {
  GET: { name: 'email.import_problems', query: PAGE_QUERY, run: problems },
};
const OF_RESULT: Operations = { GET: { name: 'email.import_result', query: ['bom'], run: result } };

/** `/email/imports`: files of addresses, streamed in as they arrive and out as they are read. */
export function createEmailImportRoutes(deps: Deps): EmailImportRoutes {
  const open = { ...deps, bodies: createUploadBodies() };
  return { answer: (exchange, findViewer) => answer(open, exchange, findViewer) };
}

async function answer(deps: OpenDeps, exchange: Exchange, findViewer: () => Promise<Viewer>): Promise<void> {
  const { request, response } = exchange;
  expectBody(request, REFUSED_FILE_BYTES);
  try {
    const { operation, importId } = operationOf(exchange);
    exchange.operation = operation.name;
    const viewer = await findViewer();
    allowOrigin(viewer.project, request, response);
    await deps.keyLimit.take(viewer.limitKey, response);
    rejectUnknown(exchange.query, operation.query ?? []);
    await operation.run(deps, { ...exchange, viewer }, importId);
  } catch (error) {
    if (!(error instanceof AppError) || response.headersSent) throw error;
    sendAnswer(response, presentRouteError(ROOT, error, exchange.requestId));
  } finally {
    dropBody(request);
  }
}

/** An import as the viewer sees it: persons see neither its name nor the names of its columns. */
function importFor({ kind }: Viewer, found: EmailImport): object {
  const shown = presentImport(found);
  return kind === 'person' ? { ...shown, name: hide(shown.name), columns: hide(shown.columns) } : shown;
}

const hide = (value: unknown): unknown => maskValue('values', value, () => undefined);

/** A message can quote a value of the file. */
const messageFor = ({ kind }: Viewer, message: string): unknown =>
  kind === 'person' ? maskValue('sentence', message, () => undefined) : message;

function operationOf({ request: { method = 'GET' }, path }: Exchange): {
  operation: Operation;
  importId: string;
} {
  const match = PATH.exec(path);
  if (!match) throw new HttpError(404, 'Not Found');
  const [, importId, part] = match;
  const operations =
    importId === undefined
      ? OF_ALL
      : part === undefined
        ? OF_ONE
        : part === 'problems'
          ? OF_PROBLEMS
          : OF_RESULT;
  const operation = operations[method === 'HEAD' ? 'GET' : method];
  if (operation) return { operation, importId: importId ?? '' };
  const allowed = Object.keys(operations).flatMap((each) => (each === 'GET' ? ['GET', 'HEAD'] : [each]));
  throw methodNotAllowed([...allowed, 'OPTIONS']);
}

/* Receiving */

function receiveNew(deps: OpenDeps, call: Call): Promise<void> {
  return receive(deps, call, (source) => start(deps, call, source));
}

function resume(deps: OpenDeps, call: Call, importId: string): Promise<void> {
  const { viewer, requestId } = call;
  return receive(deps, call, (source) => deps.imports.resume(viewer, requestId, importId, source));
}

async function receive(
  { bodies, maxBytes }: OpenDeps,
  { request, response, requestId, ip, viewer }: Call,
  work: (source: Source) => Promise<EmailImport>,
): Promise<void> {
  checkHeaders(request, maxBytes);
  const received = await bodies.track({ sessionId: viewer.limitKey, ip }, () =>
    work({ chunks: streamBody(request), maxBytes }),
  );
  sendAnswer(response, jsonAnswer(200, { request_id: requestId, ...importFor(viewer, received) }));
}

/** Receives a new file, or with an Idempotency-Key that was used before the file of its import again. */
async function start({ imports, idempotency }: Deps, call: Call, source: Source): Promise<EmailImport> {
  const { viewer, requestId } = call;
  const options = optionsOf(call);
  const importId = viewer.kind === 'key' ? await importIdOf(idempotency, call) : null;
  const started = imports.start(viewer, requestId, source, { ...options, ...(importId && { importId }) });
  return started.catch((error: unknown) => {
    throw importId && (error as AppError).code === 'email.import_differs' ? otherBody() : error;
  });
}

/** The id that the import of an Idempotency-Key has for 24 hours; null without a key. */
async function importIdOf(
  idempotency: IdempotencyService,
  { request, path, query, requestId, viewer: { project, role } }: Call,
): Promise<string | null> {
  const key = headerOf(request, 'idempotency-key');
  if (key === '') return null;
  const pathWithQuery = query.size > 0 ? `${path}?${query}` : path;
  // The rows of the import are compared instead of the body, which is streamed.
  const repeatable = { key, scope: `key:${role}`, method: 'POST', pathWithQuery, body: '' };
  const options = { requestId, isIdempotent: true };
  const { body } = await idempotency.once(project, repeatable, options, async () => ({
    status: 200,
    contentType: 'text/plain',
    body: newId(),
  }));
  return body;
}

/* Reading and erasing */

async function find(
  { imports }: Deps,
  { response, requestId, viewer }: Call,
  importId: string,
): Promise<void> {
  const found = await imports.find(viewer, importId);
  sendAnswer(response, jsonAnswer(200, { request_id: requestId, ...importFor(viewer, found) }));
}

async function erase(
  { imports }: Deps,
  { response, requestId, viewer }: Call,
  importId: string,
): Promise<void> {
  await imports.erase(viewer, requestId, importId);
  sendAnswer(response, jsonAnswer(200, { request_id: requestId, import_id: importId, success: true }));
}

async function list({ imports }: Deps, { request, response, requestId, query, viewer }: Call): Promise<void> {
  const limit = limitOf(query, 100, 20);
  const after = positionOf(viewer, query, 'email imports');
  const rows = await imports.list(viewer, pageAfter(after, limit + 1));
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)! : null;
  const next_cursor = last && encodeCursor(viewer.project.cipher, 'email imports', [last.importId]);
  await sendCompressed(
    request,
    response,
    jsonAnswer(200, {
      request_id: requestId,
      imports: shown.map((each) => importFor(viewer, each)),
      next_cursor,
    }),
  );
}

async function problems(
  { imports }: Deps,
  { request, response, requestId, query, viewer }: Call,
  importId: string,
): Promise<void> {
  const limit = limitOf(query, MAX_PAGE, DEFAULT_PAGE);
  const scope = `problems of email import ${importId.toLowerCase()}`;
  const after = positionOf(viewer, query, scope);
  const rows = await imports.problems(viewer, importId, pageAfter(after, limit + 1));
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1)! : null;
  const next_cursor = last && encodeCursor(viewer.project.cipher, scope, last.place);
  const found = shown.map(({ line, code, message }) => ({
    line,
    code,
    message: messageFor(viewer, message),
  }));
  const answer = jsonAnswer(200, { request_id: requestId, problems: found, next_cursor });
  await sendCompressed(request, response, answer);
}

async function result(
  { imports }: Deps,
  { request, response, query, viewer }: Call,
  importId: string,
): Promise<void> {
  const lines = await imports.result(viewer, importId, { bom: readFlag(query, 'bom') });
  response.setHeader('content-type', 'text/csv; charset=utf-8');
  response.setHeader(
    'content-disposition',
    `attachment; filename="email-import-${importId.toLowerCase()}.csv"`,
  );
  response.writeHead(200);
  if (request.method === 'HEAD') return void response.end();
  response.setTimeout(STALLED_MS, () => response.destroy());
  try {
    await pipeline(Readable.from(lines, { highWaterMark: 1 }), response);
  } catch (error) {
    // The reader is gone.
    if ((error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
  }
}

function checkHeaders(request: IncomingMessage, maxBytes: number): void {
  if (!TYPES.test(headerOf(request, 'content-type')))
    throw new HttpError(415, 'Unsupported Media Type: send text/csv or application/octet-stream');
  rejectEncodedBody(request);
  if (Number(headerOf(request, 'content-length')) > maxBytes) throw importTooLarge(maxBytes);
}

function optionsOf({ request, query }: Exchange): ImportOptions {
  const text = (name: string) => readText(query, name);
  const isHeaderSent = query.getAll('header').some((value) => value !== '');
  const header = isHeaderSent ? { hasHeader: readFlag(query, 'header') } : {};
  const columns = Object.fromEntries(COLUMN_ROLES.map((role) => [role, text(optionOf(role))]));
  const charset = /charset="?([\w-]+)"?/i.exec(headerOf(request, 'content-type'))?.[1] ?? '';
  return {
    name: text('name'),
    columns: { ...columns, ...header },
    encoding: parseEncoding(text('encoding') || knownCharset(charset)),
    delimiter: parseDelimiter(text('delimiter')),
    emitsEach: readFlag(query, 'emit_each'),
    identityIntelligence: readFlag(query, 'identity_intelligence'),
  };
}

/** UTF-8 and UTF-16 are detected by the byte order mark. */
function knownCharset(charset: string): string {
  return /^(windows-1252|utf-16[lb]e)$/i.test(charset) ? charset : '';
}

function limitOf(query: URLSearchParams, max: number, usual: number): number {
  const text = readText(query, 'limit');
  if (text === '') return usual;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit < 1 || limit > max) throw invalidInput(`limit: ${wholeText(1, max)}`);
  return limit;
}

function positionOf({ project }: Viewer, query: URLSearchParams, scope: string) {
  const cursor = readText(query, 'cursor');
  if (cursor === '') return null;
  try {
    return decodeCursor(project.cipher, scope, cursor);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw invalidInput(error.message.replace(/^after:/, 'cursor:'));
  }
}
