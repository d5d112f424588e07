import { invalidInput } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import { parseEmail } from '../email-address.ts';
import { COLUMN_NAMES, COLUMN_ROLES, type ColumnRole, foldName } from './column-names.ts';

/** Columns that the caller names, each by its name or 1-based number; and whether the first row names the columns. */
export type ColumnChoice = { readonly [Role in ColumnRole]?: string } & { readonly hasHeader?: boolean };

/** The columns of a table: their names as written, and the index of each used one; null for a missing one. */
export type Columns = {
  readonly hasHeader: boolean;
  readonly names: readonly string[];
  readonly email: number;
} & { readonly [Role in Exclude<ColumnRole, 'email'>]: number | null };

/** Share of the sampled cells of a column that must be addresses. */
const MIN_SHARE = 0.5;

/**
 * Finds the columns of a table by the names in its first row, else by content: the column whose sampled cells are
 * addresses. `sample` are the first rows. Throws `input.invalid` with the columns found when no column can be used.
 */
export function detectColumns(sample: readonly (readonly string[])[], choice: ColumnChoice = {}): Columns {
  const [first, ...rest] = sample;
  if (first === undefined) throw invalidInput('The file is empty');
  const hasHeader = choice.hasHeader ?? isHeader(first, choice);
  const names = hasHeader ? first.map(headerName) : first.map((_cell, index) => `column_${index + 1}`);
  const rows = hasHeader ? rest : sample;
  const indexOf = (role: ColumnRole): number | null => {
    const asked = choice[role];
    if (asked !== undefined && asked !== '') return chosenColumn(role, asked, names, hasHeader);
    return hasHeader ? namedColumn(role, names, rows) : null;
  };
  const email = indexOf('email') ?? columnOfAddresses(rows, names.length);
  if (email === null) throw noEmailColumn(names, hasHeader);
  const firstName = indexOf('firstName');
  const lastName = indexOf('lastName');
  const others = { name: indexOf('name'), phone: indexOf('phone'), country: indexOf('country') };
  return { hasHeader, names, email, firstName, lastName, ...others };
}

/** A first row with an address in it is a row of data. */
function isHeader(first: readonly string[], choice: ColumnChoice): boolean {
  if (COLUMN_ROLES.some((role) => isName(choice[role], first))) return true;
  return !first.some(isAddress);
}

function isName(asked: string | undefined, first: readonly string[]): boolean {
  return asked !== undefined && asked !== '' && first.some((cell) => foldName(cell) === foldName(asked));
}

function headerName(cell: string, index: number): string {
  const name = cell.trim();
  return name === '' ? `column_${index + 1}` : name;
}

function chosenColumn(role: ColumnRole, asked: string, names: readonly string[], hasHeader: boolean): number {
  const exact = hasHeader ? names.indexOf(asked.trim()) : -1;
  const folded =
    hasHeader && exact < 0 ? names.findIndex((name) => foldName(name) === foldName(asked)) : exact;
  if (folded >= 0) return folded;
  const number = /^\d{1,5}$/.test(asked.trim()) ? Number(asked) : 0;
  if (number >= 1 && number <= names.length) return number - 1;
  throw invalidInput(`${optionOf(role)}: must be ${listOf(names, hasHeader)}`, [optionOf(role)]);
}

/** The name of the option or query parameter that chooses a column. */
export function optionOf(role: ColumnRole): string {
  return `${role.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_column`;
}

function namedColumn(
  role: ColumnRole,
  names: readonly string[],
  rows: readonly (readonly string[])[],
): number | null {
  const folded = names.map(foldName);
  const candidates = COLUMN_NAMES[role].map((name) => folded.indexOf(name)).filter((index) => index >= 0);
  if (role !== 'email') return candidates[0] ?? null;
  // A column such as "email consent" has the name of an address column and contains no address.
  candidates.push(...folded.flatMap((name, index) => (/e?mail/.test(name) ? [index] : [])));
  const filled = candidates.filter((index) => rows.some((row) => (row[index] ?? '').trim() !== ''));
  return (
    filled.find((index) => shareOfAddresses(rows, index) >= MIN_SHARE) ??
    candidates.find((index) => COLUMN_NAMES.email.includes(folded[index]!)) ??
    null
  );
}

function columnOfAddresses(rows: readonly (readonly string[])[], columns: number): number | null {
  let best = { index: -1, share: 0 };
  for (let index = 0; index < columns; index += 1) {
    const share = shareOfAddresses(rows, index);
    if (share >= MIN_SHARE && share > best.share) best = { index, share };
  }
  return best.index < 0 ? null : best.index;
}

/** Share of the cells of a column that are addresses; empty cells do not count. */
function shareOfAddresses(rows: readonly (readonly string[])[], index: number): number {
  const cells = rows.map((row) => (row[index] ?? '').trim()).filter((cell) => cell !== '');
  return cells.length === 0 ? 0 : cells.filter(isAddress).length / cells.length;
}

/** Whether a cell is an email address. Longer texts are none, and are not parsed. */
export function isAddress(cell: string): boolean {
  const text = cell.trim();
  return text.length <= LIMITS.emailLength && text.includes('@') && parseEmail(text).valid;
}

function listOf(names: readonly string[], hasHeader: boolean): string {
  const numbers = names.length === 1 ? 'the number 1' : `a number from 1 to ${names.length}`;
  if (!hasHeader) return numbers;
  const shown = names.slice(0, 20).map((name) => JSON.stringify(name.slice(0, 60)));
  const more = names.length > shown.length ? ` and ${names.length - shown.length} more` : '';
  return `one of the columns ${shown.join(', ')}${more}, or ${numbers}`;
}

function noEmailColumn(names: readonly string[], hasHeader: boolean) {
  return invalidInput(`email_column: no column contains addresses; it must be ${listOf(names, hasHeader)}`, [
    'email_column',
  ]);
}
