import { CHECK_FAILED, type EmailCheckInput, type EmailCheckOutcome } from '@vouchgraph/email/checks';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Row } from '../../../storage/database.ts';
import { countEach, countOfEach, findPage, selectionIn } from '../../../storage/selection.ts';
import type { Project } from '../../projects/project.ts';
import type { ImportProblem } from './import-record.ts';

/** A bad row with its place in the order of its file. */
export type PlacedProblem = ImportProblem & { readonly place: readonly [batch: number, position: number] };

const ORDER = [
  { sql: 'b.import_number', type: 'int' },
  { sql: 'c.position', type: 'int' },
] as const;

/** Rows without a result of the import `p.id`. */
const BAD_ROWS = `email_batches b join email_checks c on c.project_id = b.project_id and c.batch_id = b.batch_id
  where b.project_id = $1 and b.import_id = p.id and b.failed_count > 0 and c.status = 'error'`;

/** The same page of rows without a result of several imports, in the order of their files; of a backward page reversed. */
export async function listProblems(
  { cipher, database }: Project,
  importIds: readonly string[],
  page: KeysetPage,
): Promise<Map<string, PlacedProblem[]>> {
  const rows = await findPage(
    selectionIn(database, [BAD_ROWS], [importIds]),
    'email_import.problems',
    { columns: ORDER, direction: 'ASC', page },
    ({ where, order, reads }) => `select f.* from unnest($2::uuid[]) p (id) cross join lateral (
               select b.import_id, c.check_id, c.input, c.result, b.import_number, c.position from ${where} ${order}
             ) f order by f.import_id, f.import_number ${reads}, f.position ${reads}`,
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

const COUNT = countOfEach('email_import.count_problems', BAD_ROWS);

/** Numbers of rows without a result of imports, each counted up to a limit. */
export function countProblems(
  { database }: Project,
  importIds: readonly string[],
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT, importIds, limit);
}
