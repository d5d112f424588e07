import { invalidInput } from '@vouchgraph/platform/errors';
import { type ColumnChoice, type Columns, detectColumns } from './detect-columns.ts';
import { importDiffers, importTooLarge } from './errors.ts';
import { type CsvRow, ROW_PROBLEMS } from './read-rows.ts';

/** Rows of a batch: fewer when together they are larger than `MAX_BATCH_BYTES`. */
const MAX_BATCH_ROWS = 1000;
/** Maximum size of the text of a batch's rows, which limits the memory. */
const MAX_BATCH_BYTES = 4 * 1024 * 1024;
/** Rows by which columns are found. */
const SAMPLE_ROWS = 100;

/** File that is being received. */
export type ImportSource = {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** Bytes after which the file is refused; no limit by default. */
  readonly maxBytes?: number;
  readonly onProgress?: (progress: { rows: number; bytes: number }) => void;
};

/** The chunks of a file, and the number of bytes read so far. Throws `email.import_too_large` over the limit. */
export function countBytes({ chunks, maxBytes = Number.POSITIVE_INFINITY }: ImportSource) {
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
export async function takeSample(
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
export function readableFields(
  sample: readonly CsvRow[],
  choice: ColumnChoice | undefined,
): (readonly string[])[] {
  const [first] = sample;
  if (first?.problem && choice?.hasHeader !== false)
    throw invalidInput(`The first row cannot be read: ${ROW_PROBLEMS[first.problem]}`);
  return sample.filter(({ problem }) => problem === null).map(({ fields }) => fields);
}

/** Rows of a file that is received again, after a check of its header. */
export async function afterSameHeader(
  rows: AsyncGenerator<CsvRow[]>,
  columns: Columns,
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

/** The rows after the first one. */
export async function* withoutFirst(rows: AsyncGenerator<CsvRow[]>): AsyncGenerator<CsvRow[]> {
  let isFirst = true;
  for await (const block of rows) {
    yield isFirst ? block.slice(1) : block;
    isFirst = false;
  }
}

/** Rows in batches. The limits of a batch depend on the rows alone, so that a file always yields the same batches. */
export async function* inBatches(rows: AsyncGenerator<CsvRow[]>): AsyncGenerator<CsvRow[]> {
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
