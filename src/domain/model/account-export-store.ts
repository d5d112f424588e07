import { type KeysetColumn, type KeysetPosition, pageAfter } from '@vouchgraph/platform/keyset';
import type { Row } from '../../storage/database.ts';
import { findPage, selectionIn } from '../../storage/selection.ts';
import type { Project } from '../projects/project.ts';
import type { ExportSection } from './export-sections.ts';

/** An account whose data is exported. */
export type ExportedAccount = {
  readonly project: Project;
  /** Internal id; the nil UUID for an account that does not exist. */
  readonly id: string;
  /** Id of the account, assigned by the client. */
  readonly accountId: string;
  /** Keyed hashes of the mailboxes of its email. */
  readonly addressHashes: readonly Buffer[];
};

/** Values of a record: what JSON has, besides dates and bytes, which are written as ISO 8601 and hexadecimal digits. */
export type ExportRecord = Readonly<Record<string, unknown>>;

/** The exported data of an account in a folder: the rows of one section. */
export type AccountExport = {
  readonly section: ExportSection;
  /** Columns with ids of accounts, as table.column, whose rows the section contains. */
  readonly columns: readonly string[];
  readonly select: string;
  /** FROM and WHERE. $1 is the project, $2 the account's internal id, further ones are `values`. */
  readonly from: string;
  readonly values?: (account: ExportedAccount) => readonly unknown[];
  /** Unique order of the rows, by selected columns. */
  readonly order: readonly (KeysetColumn & { readonly position: (row: Row) => string | number })[];
  readonly record: (row: Row, account: ExportedAccount) => ExportRecord | Promise<ExportRecord>;
};

/** Rows of a section behind a position. */
export function readExportRows(
  { section, select, from, values = () => [], order }: AccountExport,
  account: ExportedAccount,
  after: KeysetPosition | null,
  limit: number,
): Promise<Row[]> {
  const { project, id } = account;
  // `from` ends with conditions, which are the first ones.
  const selection = selectionIn(project.database, [from], [id, ...values(account)]);
  return findPage(
    selection,
    `account.export_${section}`,
    { columns: order, direction: 'ASC', page: pageAfter(after, limit) },
    (parts) => `select ${select} from ${parts.where} ${parts.order}`,
  );
}

/** A column of an order, with its name in the rows if it differs. */
export function orderBy(
  sql: string,
  type: 'uuid' | 'timestamptz' | 'smallint' | 'int' | 'bytea' | 'text',
  column = sql.slice(sql.indexOf('.') + 1),
) {
  return { sql, type, position: (row: Row) => positionOf(row[column]) };
}

function positionOf(value: unknown): string | number {
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  return value as string | number;
}

/** Bytes as hexadecimal digits. */
export function hexOf(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString('hex');
}
