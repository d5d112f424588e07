import { type KeysetPage, keysetOf } from '../../../platform/keyset.ts';
import type { Row, Statement } from '../../../storage/database.ts';
import type { Project } from '../../projects/project.ts';
import { CHECK_FAILED, type EmailCheckInput, type EmailCheckOutcome } from '../email-check.ts';
import type { ImportProblem } from './import-record.ts';

/** A bad row with its place in the order of its file. */
export type PlacedProblem = ImportProblem & { readonly place: readonly [batch: number, position: number] };

const ORDER = [
  { sql: 'b.import_number', type: 'int' },
  { sql: 'c.position', type: 'int' },
] as const;

/** Rows without a result of the import `i.id`. */
const BAD_ROWS = `email_batches b join email_checks c on c.project_id = b.project_id and c.batch_id = b.batch_id
  where b.project_id = $1 and b.import_id = i.id and b.failed_count > 0 and c.status = 'error'`;

/** The same page of rows without a result of several imports, in the order of their files; of a backward page reversed. */
export async function listProblems(
  { projectId, cipher, database }: Project,
  importIds: readonly string[],
  page: KeysetPage,
): Promise<Map<string, PlacedProblem[]>> {
  const values: unknown[] = [projectId, importIds];
  const keyset = keysetOf(ORDER, 'ASC', page, (value) => `$${values.push(value)}`);
  const direction = page.isBackward ? 'desc' : 'asc';
  const rows = await database.query(
    {
      name: `email_import.problems:${keyset.shape}`,
      text: `select p.* from unnest($2::uuid[]) i (id) cross join lateral (
               select b.import_id, c.check_id, c.input, c.result, b.import_number, c.position
               from ${[BAD_ROWS, ...keyset.conditions].join(' and ')} ${keyset.order}
             ) p order by p.import_id, p.import_number ${direction}, p.position ${direction}`,
    },
    values,
  );
  const byImport = Map.groupBy(rows, (row) => row.import_id as string);
  return new Map([...byImport].map(([id, found]) => [id, found.map((row) => toProblem(cipher, row))]));
}

function toProblem(cipher: Project['cipher'], row: Row): PlacedProblem {
  const { line = 0 } = cipher.decryptJson<EmailCheckInput>('email_checks.input', row.check_id, row.input);
  const outcome = cipher.decryptJson<EmailCheckOutcome>('email_checks.result', row.check_id, row.result);
  const error = 'error' in outcome ? outcome.error : { code: CHECK_FAILED, message: '' };
  return { line, code: error.code, message: error.message, place: [row.import_number, row.position] };
}

const COUNT: Statement = {
  name: 'email_import.count_problems',
  text: `select i.id as import_id, p.total from unnest($2::uuid[]) i (id) cross join lateral (
           select count(*)::int as total from (select from ${BAD_ROWS} limit $3) found
         ) p`,
};

/** Numbers of rows without a result of imports, each counted up to a limit. */
export async function countProblems(
  { projectId, database }: Project,
  importIds: readonly string[],
  limit: number,
): Promise<Map<string, number>> {
  const rows = await database.query(COUNT, [projectId, importIds, limit]);
  return new Map(rows.map((row) => [row.import_id, row.total]));
}
