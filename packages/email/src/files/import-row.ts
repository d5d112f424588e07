import { LIMITS } from '@vouchgraph/platform/limits';
import type { EmailCheckInput } from '../checks/email-check.ts';
import type { EmailClaims } from '../email-evidence.ts';
import { countryOfCell } from './country-name.ts';
import { type Columns, isAddress } from './detect-columns.ts';
import type { CsvRow, RowProblem } from './read-rows.ts';

/** A row of an import: the input of its check, and the reason why it cannot be checked; null when it can. */
export type ImportRow = {
  readonly input: EmailCheckInput;
  readonly problem: RowProblem | null;
  /** Address whose erasure erases the row. For a row that cannot be checked, the first address in any column. */
  readonly address: string;
};

/** The check of a row. A claim that exceeds its limit is omitted. */
export function importRowOf(row: CsvRow, columns: Columns, identityIntelligence: boolean): ImportRow {
  const problem = problemOf(row, columns);
  const input = {
    email: problem === null ? cellOf(row, columns.email) : '',
    claims: problem === null ? claimsOf(row, columns) : null,
    identityIntelligence,
    line: row.line,
    row: row.fields,
  };
  const address = problem === null ? input.email : (row.fields.find(isAddress)?.trim() ?? '');
  return { input, problem, address };
}

function problemOf(row: CsvRow, { names, email }: Columns): RowProblem | null {
  if (row.problem !== null) return row.problem;
  if (row.fields.length !== names.length) return 'wrong_field_count';
  const address = cellOf(row, email);
  if (address === '') return 'email_missing';
  return address.length > LIMITS.emailLength ? 'email_too_long' : null;
}

function cellOf({ fields }: CsvRow, index: number | null): string {
  return index === null ? '' : (fields[index] ?? '').trim();
}

/** Null when nothing is claimed. */
function claimsOf(row: CsvRow, columns: Columns): EmailClaims | null {
  const short = (text: string, max: number) => (text.length <= max ? text : '');
  const whole = splitName(cellOf(row, columns.name));
  const claims = {
    firstName: short(cellOf(row, columns.firstName) || whole.firstName, LIMITS.nameLength),
    lastName: short(cellOf(row, columns.lastName) || whole.lastName, LIMITS.nameLength),
    phone: short(cellOf(row, columns.phone), LIMITS.phoneLength),
    country: countryOfCell(cellOf(row, columns.country)),
  };
  return Object.values(claims).some((claim) => claim !== '') ? claims : null;
}

/** A whole name ends in the last name, unless a comma follows it: "Lee, Ann". */
function splitName(name: string): { firstName: string; lastName: string } {
  const [before, after] = name.split(',', 2).map((part) => part.trim());
  if (before && after) return { firstName: after, lastName: before };
  const space = name.lastIndexOf(' ');
  if (space < 0) return { firstName: name, lastName: '' };
  return { firstName: name.slice(0, space).trim(), lastName: name.slice(space + 1) };
}
