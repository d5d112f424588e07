import { isDeepStrictEqual } from 'node:util';
import type { EmailAssessment } from '@vouchgraph/email';
import {
  afterSameHeader,
  BOM,
  type ColumnChoice,
  countBytes,
  detectColumns,
  type ImportSource,
  importDiffers,
  openCsv,
  readableFields,
  resultHeader,
  resultLine,
  type TextEncoding,
  takeSample,
} from '@vouchgraph/email/files';
import { invalidInput } from '@vouchgraph/platform/errors';
import { isUuid, newId } from '@vouchgraph/platform/ids';
import { type KeysetPage, type KeysetPosition, pageAfter } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import { auditEntry } from '../../audit/audit-entry.ts';
import { auditCall } from '../../audit/audit-store.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import type { Project } from '../../projects/project.ts';
import { listChecks } from '../email-check-store.ts';
import { importNotFound } from './errors.ts';
import type { EmailImport } from './import-record.ts';
import {
  countImports,
  eraseImport,
  findImport,
  findImports,
  insertImport,
  listImports,
  noteCompleted,
  readBatchIds,
} from './import-store.ts';
import { countProblems, listProblems, type PlacedProblem } from './problem-store.ts';
import { type ImportDependencies, receiveRows } from './receive-rows-service.ts';

export type { ImportSource } from '@vouchgraph/email/files';
export type { PlacedProblem } from './problem-store.ts';

/** Rows of a result per read. */
const PAGE_ROWS = 250;

/** Format of a file. Missing values are detected. */
export type ImportOptions = {
  readonly name?: string;
  readonly columns?: ColumnChoice;
  readonly encoding?: TextEncoding | null;
  readonly delimiter?: string | null;
  /** Whether each address emits an event; false by default. */
  readonly emitsEach?: boolean;
  readonly identityIntelligence?: boolean;
  /** Id of the new import, chosen by the caller; a new one by default. */
  readonly importId?: string;
};

export type EmailImportService = ReturnType<typeof createEmailImportService>;

/** Receives files of addresses as batches of checks, and returns them with their results. */
export function createEmailImportService(deps: ImportDependencies) {
  return {
    /**
     * Receives a new file. Rows of an interrupted upload stay stored; `resume` continues it. A file without an address
     * column, or a too large one, stores nothing. With the id of an existing import, it continues that import as `resume`
     * does.
     */
    start: (viewer: Viewer, requestId: string, source: ImportSource, options: ImportOptions = {}) =>
      start(deps, viewer, requestId, source, options),
    /**
     * Receives the file of an import again: stored rows are compared, new ones are added. Throws `email.import_differs` for
     * another file, of which nothing is stored.
     */
    resume: (viewer: Viewer, requestId: string, importId: string, source: ImportSource) =>
      resume(deps, viewer, requestId, importId, source),
    find,
    findOrNull,
    list,
    count,
    problems,
    result,
    /** Erases an import with its rows and results. */
    erase: (viewer: Viewer, requestId: string, importId: string) => erase(deps, viewer, requestId, importId),
  };
}

async function start(
  deps: ImportDependencies,
  viewer: Viewer,
  requestId: string,
  source: ImportSource,
  options: ImportOptions,
): Promise<EmailImport> {
  assertMay(viewer, 'email_import.write');
  const { project, actor } = viewer;
  const counted = countBytes(source);
  const name = importName(options.name ?? '');
  const {
    importId = newId(deps.clock.now().getTime()),
    emitsEach = false,
    identityIntelligence = false,
  } = options;
  const reader = await openCsv(counted.chunks, options);
  const { sample, rows } = await takeSample(reader.rows);
  const columns = detectColumns(readableFields(sample, options.columns), options.columns);
  const delimiter = String.fromCharCode(reader.dialect.delimiter);
  const { encoding } = reader;
  const description = { name, columns, encoding, delimiter, emitsEach, identityIntelligence };
  const isNew = await insertImport(project, {
    importId,
    description,
    actor,
    requestId,
    createdAt: deps.clock.now(),
  });
  if (!isNew && !isDeepStrictEqual((await get(viewer, importId)).description, description))
    throw importDiffers('in its header or form');
  try {
    const received = { rows, source, bytes: counted.bytes };
    await receiveRows(deps, { viewer, requestId, importId, description }, received);
  } catch (error) {
    if (isNew && isTooLarge(error)) await eraseImport(project, importId);
    throw error;
  }
  return get(viewer, importId);
}

async function resume(
  deps: ImportDependencies,
  viewer: Viewer,
  requestId: string,
  importId: string,
  source: ImportSource,
): Promise<EmailImport> {
  assertMay(viewer, 'email_import.write');
  const { description } = await get(viewer, importId);
  const counted = countBytes(source);
  const reader = await openCsv(counted.chunks, description);
  await receiveRows(
    deps,
    { viewer, requestId, importId, description },
    {
      rows: await afterSameHeader(reader.rows, description.columns),
      source,
      bytes: counted.bytes,
    },
  );
  return get(viewer, importId);
}

async function get({ project }: Viewer, importId: string): Promise<EmailImport> {
  const found = isUuid(importId) ? await findImport(project, importId) : null;
  if (!found) throw importNotFound();
  return found;
}

/** An import with its progress. */
async function find(viewer: Viewer, importId: string): Promise<EmailImport> {
  assertMay(viewer, 'email_import.read');
  const found = await get(viewer, importId);
  if (found.status === 'completed') await noteCompleted(viewer.project, importId, found.completedAt!);
  return found;
}

/** The same; null when it does not exist. */
async function findOrNull(viewer: Viewer, importId: string): Promise<EmailImport | null> {
  assertMay(viewer, 'email_import.read');
  return isUuid(importId) ? findImport(viewer.project, importId) : null;
}

/** Imports by their ids, in this order; null for unknown ones. */
export async function readImports(
  viewer: Viewer,
  importIds: readonly string[],
): Promise<(EmailImport | null)[]> {
  assertMay(viewer, 'email_import.read');
  const found = await findImports(viewer.project, importIds);
  const byId = new Map(found.map((each) => [each.importId, each]));
  return importIds.map((id) => byId.get(id) ?? null);
}

/** A page of imports, the newest first. */
async function list(viewer: Viewer, page: KeysetPage): Promise<EmailImport[]> {
  assertMay(viewer, 'email_import.read');
  return listImports(viewer.project, page);
}

/** Number of imports, counted up to a limit. */
async function count(viewer: Viewer, limit: number): Promise<number> {
  assertMay(viewer, 'email_import.read');
  return countImports(viewer.project, limit);
}

/** A page of the rows without a result, in the order of the file. */
async function problems(viewer: Viewer, importId: string, page: KeysetPage): Promise<PlacedProblem[]> {
  assertMay(viewer, 'email_import.read');
  const { importId: id } = await get(viewer, importId);
  return (await listProblems(viewer.project, [id], page)).get(id) ?? [];
}

/** The same page of several imports, in the order of their ids. */
export async function listProblemsOfImports(
  viewer: Viewer,
  importIds: readonly string[],
  page: KeysetPage,
): Promise<PlacedProblem[][]> {
  assertMay(viewer, 'email_import.read');
  const found = await listProblems(viewer.project, importIds, page);
  return importIds.map((id) => found.get(id) ?? []);
}

/** Numbers of rows without a result of imports, in the order of their ids, each counted up to a limit. */
export async function countProblemsOfImports(
  viewer: Viewer,
  importIds: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'email_import.read');
  return countProblems(viewer.project, importIds, limit);
}

/** The lines of the result file, some at a time. Throws `email.import_not_found` before the first. */
async function result(
  viewer: Viewer,
  importId: string,
  { bom = false } = {},
): Promise<AsyncGenerator<string>> {
  assertMay(viewer, 'email_import.read_result');
  const found = await get(viewer, importId);
  return resultLines(viewer.project, found, bom);
}

async function erase(
  { clock }: ImportDependencies,
  viewer: Viewer,
  requestId: string,
  importId: string,
): Promise<void> {
  assertMay(viewer, 'email_import.erase');
  const { project } = viewer;
  if (!isUuid(importId) || !(await eraseImport(project, importId))) throw importNotFound();
  const change = { action: 'email_import.erase', target: `email_import:${importId}` } as const;
  const entry = auditEntry(viewer, requestId, clock.now(), change);
  await project.database.query(...auditCall(project.projectId, entry));
}

function importName(name: string): string {
  const trimmed = name.trim();
  // The names of its batches end in their number.
  const max = LIMITS.emailBatchNameLength - 10;
  if (trimmed.length > max) throw invalidInput(`name: must be at most ${max} characters`, ['name']);
  return trimmed;
}

function isTooLarge(error: unknown): boolean {
  return (error as { code?: string }).code === 'email.import_too_large';
}

function isDisposable({ signals }: EmailAssessment): boolean {
  return signals.some(({ code, side }) => side === 'risk' && code === 'disposable_email');
}

async function* resultLines(
  project: Project,
  { importId, description }: EmailImport,
  bom: boolean,
): AsyncGenerator<string> {
  const { names } = description.columns;
  const added = { identity: description.identityIntelligence };
  yield `${bom ? BOM : ''}${resultHeader(names, added)}`;
  for (const batchId of await readBatchIds(project, importId)) {
    for (let last: KeysetPosition | null = null; ; ) {
      const page: KeysetPage = pageAfter(last, PAGE_ROWS);
      const checks = await listChecks(project, [batchId], { isCompleted: false, page });
      if (checks.length === 0) break;
      last = [checks.at(-1)!.position!];
      yield checks
        .map(({ input, status, assessment, error }) =>
          resultLine(
            {
              fields: input?.row ?? [],
              line: input?.line ?? 0,
              status: status === 'pending' ? null : status,
              assessment,
              disposable: assessment && isDisposable(assessment),
              error: error?.code ?? '',
            },
            names.length,
            added,
          ),
        )
        .join('');
      if (checks.length < PAGE_ROWS) break;
    }
  }
}
