import type { EmailCheckError } from '@vouchgraph/email/checks';
import { COLUMN_ROLES, type Columns, optionOf, type TextEncoding } from '@vouchgraph/email/files';

/** `receiving` until the whole file is received, `processing` until all its rows are checked. */
export const EMAIL_IMPORT_STATUSES = ['receiving', 'processing', 'completed'] as const;
export type EmailImportStatus = (typeof EMAIL_IMPORT_STATUSES)[number];

/** How an import reads its file; stored encrypted, since names of columns are the customer's. */
export type ImportDescription = {
  /** '' when it has none. */
  readonly name: string;
  readonly columns: Columns;
  readonly encoding: TextEncoding;
  readonly delimiter: string;
  readonly emitsEach: boolean;
  readonly identityIntelligence: boolean;
};

/** A file of addresses with how far it is. */
export type EmailImport = {
  readonly importId: string;
  readonly description: ImportDescription;
  readonly status: EmailImportStatus;
  /** Rows that are stored, bad ones included. */
  readonly rowsReceived: number;
  readonly completedCount: number;
  /** Rows that ended without a result. */
  readonly badRows: number;
  readonly batches: number;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
};

/** A row without a result: its line in the file and why. */
export type ImportProblem = EmailCheckError & { readonly line: number };

/** An import as clients receive it. */
export function presentImport(found: EmailImport) {
  const { description, status } = found;
  return {
    import_id: found.importId,
    name: description.name === '' ? null : description.name,
    status,
    rows_received: found.rowsReceived,
    bad_rows: found.badRows,
    // Rows that are not received yet are unknown.
    total_count: status === 'receiving' ? null : found.rowsReceived,
    completed_count: found.completedCount,
    batches: found.batches,
    created_at: found.createdAt.toISOString(),
    completed_at: found.completedAt?.toISOString() ?? null,
    columns: presentColumns(description.columns),
    encoding: description.encoding,
    delimiter: description.delimiter,
    emit_each: description.emitsEach,
    identity_intelligence: description.identityIntelligence,
    ...(status === 'receiving' ? {} : { result_url: `/email/imports/${found.importId}/result.csv` }),
  };
}

/** All columns in order, and the names of the used columns; null for a missing one. */
function presentColumns(columns: Columns) {
  const used = COLUMN_ROLES.map((role) => {
    const index = columns[role];
    return [optionOf(role), index === null ? null : columns.names[index]!];
  });
  return { names: columns.names, has_header: columns.hasHeader, ...Object.fromEntries(used) };
}
