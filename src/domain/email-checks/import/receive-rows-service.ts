import { createHash } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type CsvRow,
  type ImportRow,
  type ImportSource,
  importDiffers,
  importRowOf,
  inBatches,
  ROW_PROBLEMS,
  withoutFirst,
} from '@vouchgraph/email/files';
import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import { mapInSlices } from '@vouchgraph/platform/slices';
import type { Viewer } from '../../projects/access-service.ts';
import type { Project } from '../../projects/project.ts';
import { encryptChecks } from '../email-check-row.ts';
import { importNotFound } from './errors.ts';
import type { ImportDescription } from './import-record.ts';
import { addImportBatch, noteReceived, readDigests } from './import-store.ts';

/** Longest rest between two batches. */
const MAX_REST_MS = 400;

export type ImportDependencies = {
  readonly clock: Clock;
  /** Called when a batch was added. */
  readonly onAdded: () => void;
};

/** The import that receives rows, on behalf of a request. */
export type Receiving = {
  readonly viewer: Viewer;
  readonly requestId: string;
  readonly importId: string;
  readonly description: ImportDescription;
};

/** The rows of a file as they arrive. */
export type ReceivedRows = {
  readonly rows: AsyncGenerator<CsvRow[]>;
  readonly source: ImportSource;
  readonly bytes: () => number;
};

/**
 * Stores the rows of a file in batches. Rows that the import already has are compared. Throws `email.import_differs` for a
 * difference.
 */
export async function receiveRows(
  deps: ImportDependencies,
  receiving: Receiving,
  { rows, source, bytes }: ReceivedRows,
): Promise<void> {
  const { importId, description } = receiving;
  const { project } = receiving.viewer;
  const digests = await readDigests(project, importId);
  const dataRows = description.columns.hasHeader ? withoutFirst(rows) : rows;
  let number = 0;
  let count = 0;
  // Between two batches, the event loop and the database are free for other requests for twice the duration of the first.
  let restUntil = 0;
  for await (const batch of inBatches(dataRows)) {
    const digest = await digestOf(project, batch);
    const known = digests[number];
    if (known !== undefined && !digest.equals(known))
      throw importDiffers(`at line ${batch[0]!.line} or later`);
    if (known === undefined) {
      await delay(Math.max(0, restUntil - performance.now()));
      const began = performance.now();
      await addBatch(deps, receiving, { number, digest, bytes: bytes() }, batch);
      const ended = performance.now();
      restUntil = ended + Math.min(2 * (ended - began), MAX_REST_MS);
    }
    number += 1;
    count += batch.length;
    source.onProgress?.({ rows: count, bytes: bytes() });
  }
  if (number < digests.length) throw importDiffers('where it ends: it has fewer rows');
  await noteReceived(project, importId, deps.clock.now());
}

type Place = { readonly number: number; readonly digest: Buffer; readonly bytes: number };

async function addBatch(
  { clock, onAdded }: ImportDependencies,
  { viewer, requestId, importId, description }: Receiving,
  place: Place,
  rows: readonly CsvRow[],
): Promise<void> {
  const { project, actor } = viewer;
  const { name, columns, emitsEach, identityIntelligence } = description;
  const createdAt = clock.now();
  const checks = await mapInSlices(rows, (row) => ({
    checkId: newId(createdAt.getTime()),
    ...importRowOf(row, columns, identityIntelligence),
  }));
  const { number: importNumber, digest } = place;
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
  if (outcome === 'differs') throw importDiffers(`at line ${rows[0]!.line} or later`);
  if (outcome === 'closed') throw importDiffers('where it ends: it has more rows');
  onAdded();
}

/** A keyed hash of rows: it distinguishes two files without keeping them. */
async function digestOf({ cipher }: Project, rows: readonly CsvRow[]): Promise<Buffer> {
  const hash = createHash('sha256');
  await mapInSlices(rows, ({ line, fields, problem }) => {
    hash.update(JSON.stringify([line, problem, fields]));
  });
  return cipher.blindIndex('email_import_rows', hash.digest('base64'));
}

function badRow({ checkId, problem }: ImportRow & { checkId: string }) {
  return problem === null ? [] : [{ checkId, error: { code: problem, message: ROW_PROBLEMS[problem] } }];
}
