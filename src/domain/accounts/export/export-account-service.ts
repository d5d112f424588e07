import type { Clock } from '@vouchgraph/platform/clock';
import { decodeCursor, encodeCursor } from '@vouchgraph/platform/cursor';
import { invalidInput } from '@vouchgraph/platform/errors';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { KeysetPosition } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import { betweenText } from '@vouchgraph/platform/wording';
import { accountHash } from '../../audit/account-hash.ts';
import { auditEntry } from '../../audit/audit-entry.ts';
import { auditCall } from '../../audit/audit-store.ts';
import {
  type AccountExport,
  type ExportedAccount,
  type ExportRecord,
  readExportRows,
} from '../../model/account-export-store.ts';
import type { ExportSection } from '../../model/export-sections.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import { findAccountByAccountId } from '../account-store.ts';
import { mailboxesOf } from '../erase-account-service.ts';
import { accountNotFound } from '../errors.ts';
import { maskOtherAccounts } from './mask-other-accounts.ts';

/** Rows per read: a session can have 256 KB. */
const BATCH_SIZE = 20;
/** A page ends with the record that exceeds this size. */
const MAX_PAGE_BYTES = 1_000_000;

export type ExportInput = {
  readonly accountId: string;
  readonly first: number;
  readonly after: string | null;
};

export type ExportedRecord = { readonly section: ExportSection; readonly data: ExportRecord };

export type ExportPage = {
  readonly records: readonly ExportedRecord[];
  /** Cursor of the next page; null on the last page. */
  readonly endCursor: string | null;
};

/** Section and position of a row; a null position is before the section's first row. */
type Place = { readonly index: number; readonly after: KeysetPosition | null };

export type ExportService = ReturnType<typeof createExportService>;

/** Exports all data of an account. `exports`: exports of all folders, in order. */
export function createExportService(deps: { clock: Clock; exports: readonly AccountExport[] }) {
  return {
    /** A page of the export, recorded in the audit log. */
    exportAccount: (viewer: Viewer, requestId: string, input: ExportInput) =>
      exportAccount(deps, viewer, requestId, input),
  };
}

async function exportAccount(
  { clock, exports }: { clock: Clock; exports: readonly AccountExport[] },
  viewer: Viewer,
  requestId: string,
  { accountId, first, after }: ExportInput,
): Promise<ExportPage> {
  assertMay(viewer, 'account.export');
  if (first < 1 || first > LIMITS.exportedRecords)
    throw invalidInput(`first: ${betweenText(1, LIMITS.exportedRecords)}`, ['first']);
  const { project } = viewer;
  const { cipher } = project;
  const scope = `export ${accountHash(cipher, accountId).whole}`;
  const start =
    after === null ? { index: 0, after: null } : placeOf(exports, decodeCursor(cipher, scope, after));
  const row = await findAccountByAccountId(project.database, accountId);
  const account = {
    project,
    id: row?.id ?? NIL_UUID,
    accountId,
    addressHashes: row ? mailboxesOf(project, row) : [],
  };
  const { records, next } = await readPage(exports, account, start, first);
  if (row === null && after === null && records.length === 0) throw accountNotFound();
  await project.database.transaction((transaction) =>
    transaction.commit(
      auditCall(
        project.projectId,
        auditEntry(viewer, requestId, clock.now(), {
          action: 'account.export',
          target: `account:${accountHash(cipher, accountId).whole}`,
          after: { records: records.length, isFirstPage: after === null, isLastPage: next === null },
        }),
      ),
    ),
  );
  const endCursor =
    next && encodeCursor(cipher, scope, [exports[next.index]!.section, ...(next.after ?? [])]);
  return { records, endCursor };
}

function placeOf(
  exports: readonly AccountExport[],
  [section, ...after]: readonly (string | number)[],
): Place {
  const index = exports.findIndex((each) => each.section === section);
  return { index, after: after.length === 0 ? null : after };
}

/** Reads records after a place, section by section. */
async function readPage(
  exports: readonly AccountExport[],
  account: ExportedAccount,
  start: Place,
  limit: number,
): Promise<{ records: ExportedRecord[]; next: Place | null }> {
  const records: ExportedRecord[] = [];
  let bytes = 0;
  let { index, after } = start;
  while (index < exports.length) {
    const part = exports[index]!;
    const rows = await readExportRows(part, account, after, BATCH_SIZE);
    for (const row of rows) {
      const data = await recordOf(part, row, account);
      records.push({ section: part.section, data });
      bytes += Buffer.byteLength(JSON.stringify(data));
      after = part.order.map(({ position }) => position(row));
      if (records.length === limit || bytes > MAX_PAGE_BYTES) return { records, next: { index, after } };
    }
    if (rows.length < BATCH_SIZE) {
      index += 1;
      after = null;
    }
  }
  return { records, next: null };
}

async function recordOf(
  part: AccountExport,
  row: Parameters<AccountExport['record']>[0],
  account: ExportedAccount,
): Promise<ExportRecord> {
  const { cipher } = account.project;
  const record = await part.record(row, account);
  return maskOtherAccounts(record, account.accountId, (id) => accountHash(cipher, id).short) as ExportRecord;
}
