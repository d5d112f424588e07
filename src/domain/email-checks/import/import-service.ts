import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { Clock } from '../../../platform/clock.ts';
import { invalidInput } from '../../../platform/errors.ts';
import { isUuid, newId } from '../../../platform/ids.ts';
import { LIMITS } from '../../../platform/limits.ts';
import { inTurns } from '../../../platform/slices.ts';
import { auditCall } from '../../audit/audit-store.ts';
import type { EmailAssessment } from '../../email/email-assessment.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import type { Project } from '../../projects/project.ts';
import { encryptChecks, listChecks } from '../email-check-store.ts';
import { type ColumnChoice, detectColumns } from './detect-columns.ts';
import { importDiffers, importNotFound, importTooLarge } from './errors.ts';
import type { EmailImport, ImportDescription } from './import-record.ts';
import { type ImportRow, importRowOf } from './import-row.ts';
import {
  addImportBatch,
  eraseImport,
  findImport,
  insertImport,
  listImports,
  listProblems,
  noteCompleted,
  noteReceived,
  type PlacedProblem,
  readBatchIds,
  readDigests,
} from './import-store.ts';
import { type CsvRow, openCsv, ROW_PROBLEMS } from './read-rows.ts';
import { BOM, resultHeader, resultLine } from './result-file.ts';
import type { TextEncoding } from './text-encoding.ts';

export type { PlacedProblem } from './import-store.ts';

/** Rows of a batch: fewer when together they are larger than `MAX_BATCH_BYTES`. */
const MAX_BATCH_ROWS = 1000;
/** Of the text of a batch's rows; bounds what is held in memory. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Longest rest between two batches. */
const MAX_REST_MS = 400;
/** Rows by which columns are found. */
const SAMPLE_ROWS = 100;
/** Rows of a result that are read at once. */
const PAGE_ROWS = 250;

/** How a file is to be read; what is left out is found in the file. */
export type ImportOptions = {
  readonly name?: string;
  readonly columns?: ColumnChoice;
  readonly encoding?: TextEncoding | null;
  readonly delimiter?: string | null;
  /** Whether each address emits an event of its own; false by default. */
  readonly emitsEach?: boolean;
  readonly identityIntelligence?: boolean;
  /** Id of the new import, chosen by the caller; a new one by default. */
  readonly importId?: string;
};

/** A file that arrives. */
export type ImportSource = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes after which the file is refused; no limit by default. */
  readonly maxBytes?: number;
  readonly onProgress?: (progress: { rows: number; bytes: number }) => void;
};

export type EmailImportService = ReturnType<typeof createEmailImportService>;

/** Receives files of addresses as batches of checks, and returns them with their results. */
export function createEmailImportService(deps: {
  clock: Clock;
  /** Called when a batch was added. */
  onAdded: () => void;
}) {
  const { clock, onAdded } = deps;

  async function get({ project }: Viewer, importId: string): Promise<EmailImport> {
    const found = isUuid(importId) ? await findImport(project, importId) : null;
    if (!found) throw importNotFound();
    return found;
  }

  /**
   * Receives a new file. What is stored of a file that is cut off stays; `resume` continues it. Nothing is stored of a file
   * that has no column of addresses, or is too large. With the id of an import that exists, it continues that import as
   * `resume` does.
   */
  async function start(
    viewer: Viewer,
    requestId: string,
    source: ImportSource,
    options: ImportOptions = {},
  ): Promise<EmailImport> {
    assertMay(viewer, 'email_import.write');
    const { project, actor } = viewer;
    const counted = countBytes(source);
    const name = importName(options.name ?? '');
    const {
      importId = newId(clock.now().getTime()),
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
      createdAt: clock.now(),
    });
    if (!isNew && !isDeepStrictEqual((await get(viewer, importId)).description, description))
      throw importDiffers('in its header or form');
    try {
      await receive(viewer, requestId, importId, description, { rows, source, bytes: counted.bytes });
    } catch (error) {
      if (isNew && isTooLarge(error)) await eraseImport(project, importId);
      throw error;
    }
    return get(viewer, importId);
  }

  /**
   * Receives the file of an import again: rows that are stored are compared, the others are added. Throws
   * `email.import_differs` for another file, of which nothing is stored.
   */
  async function resume(
    viewer: Viewer,
    requestId: string,
    importId: string,
    source: ImportSource,
  ): Promise<EmailImport> {
    assertMay(viewer, 'email_import.write');
    const { description } = await get(viewer, importId);
    const counted = countBytes(source);
    const reader = await openCsv(counted.chunks, description);
    await receive(viewer, requestId, importId, description, {
      rows: await afterSameHeader(reader.rows, description),
      source,
      bytes: counted.bytes,
    });
    return get(viewer, importId);
  }

  type Received = { rows: AsyncGenerator<CsvRow[]>; source: ImportSource; bytes: () => number };

  async function receive(
    viewer: Viewer,
    requestId: string,
    importId: string,
    description: ImportDescription,
    { rows, source, bytes }: Received,
  ): Promise<void> {
    const { project } = viewer;
    const digests = await readDigests(project, importId);
    const dataRows = description.columns.hasHeader ? withoutFirst(rows) : rows;
    let number = 0;
    let count = 0;
    // Between two batches other requests have the event loop and the database for twice as long as the first one took.
    let restUntil = 0;
    for await (const batch of inBatches(dataRows)) {
      const digest = await digestOf(project, batch);
      const known = digests[number];
      if (known !== undefined && !known.equals(digest))
        throw importDiffers(`at line ${batch[0]!.line} or behind it`);
      if (known === undefined) {
        await delay(Math.max(0, restUntil - performance.now()));
        const began = performance.now();
        await add(viewer, requestId, { importId, number, digest, bytes: bytes() }, batch, description);
        const ended = performance.now();
        restUntil = ended + Math.min(2 * (ended - began), MAX_REST_MS);
      }
      number += 1;
      count += batch.length;
      source.onProgress?.({ rows: count, bytes: bytes() });
    }
    if (number < digests.length) throw importDiffers('where it ends: it has fewer rows');
    await noteReceived(project, importId, clock.now());
  }

  async function add(
    { project, actor }: Viewer,
    requestId: string,
    place: { importId: string; number: number; digest: Buffer; bytes: number },
    rows: readonly CsvRow[],
    { name, columns, emitsEach, identityIntelligence }: ImportDescription,
  ): Promise<void> {
    const createdAt = clock.now();
    const checks = await inTurns(rows, (row) => ({
      checkId: newId(createdAt.getTime()),
      ...importRowOf(row, columns, identityIntelligence),
    }));
    const { importId, number: importNumber, digest } = place;
    const batchName = name === '' ? '' : `${name} (${importNumber + 1})`;
    const batchId = newId(createdAt.getTime());
    const batch = {
      batchId,
      importId,
      importNumber,
      digest,
      name: batchName,
      emitsEach,
      identityIntelligence,
    };
    const outcome = await addImportBatch(
      project,
      { ...batch, actor, requestId, createdAt },
      await encryptChecks(project, checks),
      checks.flatMap(badRow),
      place.bytes,
    );
    if (outcome === 'missing') throw importNotFound();
    if (outcome === 'differs') throw importDiffers(`at line ${rows[0]!.line} or behind it`);
    if (outcome === 'closed') throw importDiffers('where it ends: it has more rows');
    onAdded();
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

  /** Imports behind one, the newest first; null for the first page. */
  async function list(viewer: Viewer, after: string | null, limit: number): Promise<EmailImport[]> {
    assertMay(viewer, 'email_import.read');
    return listImports(viewer.project, after, limit);
  }

  /** Rows without a result behind a place, in the order of the file; null for the first page. */
  async function problems(
    viewer: Viewer,
    importId: string,
    after: readonly [number, number] | null,
    limit: number,
  ): Promise<PlacedProblem[]> {
    assertMay(viewer, 'email_import.read');
    await get(viewer, importId);
    return listProblems(viewer.project, importId, after ?? [-1, -1], limit);
  }

  /** The lines of the result file, some at a time. Throws `email.import_not_found` before the first. */
  async function result(
    viewer: Viewer,
    importId: string,
    { bom = false } = {},
  ): Promise<AsyncGenerator<string>> {
    assertMay(viewer, 'email_import.read');
    const found = await get(viewer, importId);
    return resultLines(viewer.project, found, bom);
  }

  /** Erases an import with its rows and results. */
  async function erase(viewer: Viewer, requestId: string, importId: string): Promise<void> {
    assertMay(viewer, 'email_import.erase');
    const { project, actor } = viewer;
    if (!isUuid(importId) || !(await eraseImport(project, importId))) throw importNotFound();
    const entry = { auditId: newId(), at: clock.now(), actor, action: 'email_import.erase', requestId };
    await project.database.query(
      ...auditCall(project.projectId, { ...entry, target: `email_import:${importId}` }),
    );
  }

  return { start, resume, find, findOrNull, list, problems, result, erase };
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

function countBytes({ chunks, maxBytes = Number.POSITIVE_INFINITY }: ImportSource) {
  let bytes = 0;
  async function* counted() {
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > maxBytes) throw importTooLarge(maxBytes);
      yield chunk;
    }
  }
  return { chunks: counted(), bytes: () => bytes };
}

/** The first rows, and all rows including these. */
async function takeSample(
  rows: AsyncGenerator<CsvRow[]>,
): Promise<{ sample: CsvRow[]; rows: AsyncGenerator<CsvRow[]> }> {
  const sample: CsvRow[] = [];
  while (sample.length < SAMPLE_ROWS) {
    const next = await rows.next();
    if (next.done) break;
    sample.push(...next.value);
  }
  const all = async function* () {
    try {
      if (sample.length > 0) yield sample;
      yield* rows;
    } finally {
      await rows.return(undefined);
    }
  };
  return { sample, rows: all() };
}

/** The rows that can be read; a first row that cannot is no header. */
function readableFields(sample: readonly CsvRow[], choice: ColumnChoice | undefined): (readonly string[])[] {
  const [first] = sample;
  if (first?.problem && choice?.hasHeader !== false)
    throw invalidInput(`The first row cannot be read: ${ROW_PROBLEMS[first.problem]}`);
  return sample.filter(({ problem }) => problem === null).map(({ fields }) => fields);
}

/** The rows of a file that is received again, after a look at its header. */
async function afterSameHeader(
  rows: AsyncGenerator<CsvRow[]>,
  { columns }: ImportDescription,
): Promise<AsyncGenerator<CsvRow[]>> {
  const { sample, rows: all } = await takeSample(rows);
  if (!columns.hasHeader) return all;
  const again = sample[0] ? detectNames(sample[0].fields) : [];
  if (JSON.stringify(again) !== JSON.stringify(columns.names)) throw importDiffers('in its header');
  return all;
}

function detectNames(fields: readonly string[]): readonly string[] {
  return detectColumns([fields], { hasHeader: true, email: '1' }).names;
}

async function* withoutFirst(rows: AsyncGenerator<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  let isFirst = true;
  for await (const block of rows) {
    yield isFirst ? block.slice(1) : block;
    isFirst = false;
  }
}

/** Rows in batches whose limits depend on the rows alone, so that a file gives the same ones again. */
async function* inBatches(rows: AsyncGenerator<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  let batch: CsvRow[] = [];
  let bytes = 0;
  for await (const block of rows) {
    for (const row of block) {
      batch.push(row);
      // An empty field takes memory too.
      for (const field of row.fields) bytes += field.length + 1;
      if (batch.length < MAX_BATCH_ROWS && bytes < MAX_BATCH_BYTES) continue;
      yield batch;
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) yield batch;
}

/** A keyed hash of rows: it distinguishes two files without keeping them. */
async function digestOf({ cipher }: Project, rows: readonly CsvRow[]): Promise<Buffer> {
  const hash = createHash('sha256');
  await inTurns(rows, ({ line, fields, problem }) => {
    hash.update(JSON.stringify([line, problem, fields]));
  });
  return cipher.blindIndex('email_import_rows', hash.digest('base64'));
}

function badRow({ checkId, problem }: ImportRow & { checkId: string }) {
  return problem === null ? [] : [{ checkId, error: { code: problem, message: ROW_PROBLEMS[problem] } }];
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
    for (let after = -1; ; ) {
      const checks = await listChecks(project, [batchId], { after, isCompleted: false, limit: PAGE_ROWS });
      if (checks.length === 0) break;
      after = checks.at(-1)!.position!;
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
