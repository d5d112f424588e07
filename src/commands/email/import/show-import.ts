import path from 'node:path';
import { count, counted, noneText, print, printJson } from '@vouchgraph/terminal';
import type { ImportProblem } from '../../../domain/email-checks/import/import-record.ts';
import type { ImportAccess, ShownImport } from './import-access.ts';

/** Bad rows that the summary shows. */
export const SHOWN_PROBLEMS = 10;

/** Prints the newest imports. */
export async function showImports(imports: ImportAccess, isJson: boolean): Promise<void> {
  const found = await imports.list();
  if (isJson) return printJson(found);
  if (found.length === 0) print(noneText('email imports'));
  for (const { import_id, status, rows_received, completed_count, bad_rows, created_at, name } of found) {
    const progress = `${count(completed_count)} of ${count(rows_received)}, ${count(bad_rows)} bad`;
    print(
      `${import_id}  ${created_at.slice(0, 16)}Z  ${status.padEnd(10)}  ${progress.padEnd(30)}  ${name ?? ''}`.trimEnd(),
    );
  }
}

/** Prints an import with its progress and bad rows. */
export async function showImport(imports: ImportAccess, importId: string, isJson: boolean): Promise<void> {
  const found = await imports.find(importId);
  const problems = await imports.problems(importId, isJson ? 1000 : SHOWN_PROBLEMS);
  if (isJson)
    return printJson({
      ...found,
      problems: problems.map(({ line, code, message }) => ({ line, code, message })),
    });
  print(`${found.name ?? found.import_id}: ${found.status}`);
  for (const line of linesOf(found, problems)) print(line);
}

/** Prints the outcome of an import. */
export function reportImport(
  found: ShownImport,
  problems: readonly ImportProblem[],
  file: string,
  resultFile: string,
  isJson: boolean,
): void {
  const isCompleted = found.status === 'completed';
  if (isJson) {
    const shown = problems.map(({ line, code, message }) => ({ line, code, message }));
    printJson({
      ...found,
      problems: shown,
      result_file: isCompleted ? resultFile : null,
    });
    return;
  }
  for (const line of linesOf(found, problems)) print(line);
  if (isCompleted) print(`Results: ${resultFile}`);
  else print(`Stopped: run the same command to continue ${JSON.stringify(path.basename(file))}.`);
}

function linesOf(
  { rows_received, completed_count, bad_rows, encoding }: ShownImport,
  problems: readonly ImportProblem[],
): string[] {
  const more = bad_rows - problems.length;
  const isOtherEncoding = encoding === 'utf-8' && problems.some(({ code }) => code === 'invalid_encoding');
  return [
    `${count(completed_count - bad_rows)} of ${counted(rows_received, 'row')} checked${bad_rows > 0 ? `, ${count(bad_rows)} bad:` : ''}`,
    ...problems.map(({ line, code, message }) => `  line ${line}: ${message} (${code})`),
    ...(more > 0 ? [`  and ${count(more)} more: the column error of the results contains all of them`] : []),
    ...(isOtherEncoding ? ['The file is not in UTF-8: try --restart --encoding windows-1252.'] : []),
  ];
}
