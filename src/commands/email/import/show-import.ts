import path from 'node:path';
import {
  type EmailImport,
  type ImportProblem,
  presentImport,
} from '../../../domain/email-checks/import/import-record.ts';
import { pageAfter } from '../../../platform/keyset.ts';
import { count, counted } from '../../support/counted.ts';
import { print, printJson } from '../../support/print.ts';
import type { CommandImports } from './open-imports.ts';

/** Bad rows that the summary shows. */
export const SHOWN_PROBLEMS = 10;

/** Prints the newest imports. */
export async function showImports({ imports, viewer }: CommandImports, isJson: boolean): Promise<void> {
  const found = await imports.list(viewer, pageAfter(null, 100));
  if (isJson) return printJson(found.map(presentImport));
  if (found.length === 0) print('No imports.');
  for (const { importId, status, rowsReceived, completedCount, badRows, createdAt, description } of found) {
    const progress = `${count(completedCount)} of ${count(rowsReceived)}, ${count(badRows)} bad`;
    print(
      `${importId}  ${createdAt.toISOString().slice(0, 16)}Z  ${status.padEnd(10)}  ${progress.padEnd(30)}  ${description.name}`,
    );
  }
}

/** Prints an import with its progress and bad rows. */
export async function showImport(
  { imports, viewer }: CommandImports,
  importId: string,
  isJson: boolean,
): Promise<void> {
  const found = await imports.find(viewer, importId);
  const problems = await imports.problems(viewer, importId, pageAfter(null, isJson ? 1000 : SHOWN_PROBLEMS));
  if (isJson)
    return printJson({
      ...presentImport(found),
      problems: problems.map(({ line, code, message }) => ({ line, code, message })),
    });
  print(`${found.description.name || found.importId}: ${found.status}`);
  for (const line of linesOf(found, problems)) print(line);
}

/** Prints the outcome of an import. */
export function reportImport(
  found: EmailImport,
  problems: readonly ImportProblem[],
  file: string,
  resultFile: string,
  isJson: boolean,
): void {
  const isCompleted = found.status === 'completed';
  if (isJson) {
    const shown = problems.map(({ line, code, message }) => ({ line, code, message }));
    printJson({
      ...presentImport(found),
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
  { rowsReceived, completedCount, badRows, description }: EmailImport,
  problems: readonly ImportProblem[],
): string[] {
  const more = badRows - problems.length;
  const isOtherEncoding =
    description.encoding === 'utf-8' && problems.some(({ code }) => code === 'invalid_encoding');
  return [
    `${count(completedCount - badRows)} of ${counted(rowsReceived, 'row')} checked${badRows > 0 ? `, ${count(badRows)} bad:` : ''}`,
    ...problems.map(({ line, code, message }) => `  line ${line}: ${message} (${code})`),
    ...(more > 0 ? [`  and ${count(more)} more: the column error of the results contains all of them`] : []),
    ...(isOtherEncoding ? ['The file is not in UTF-8: try --restart --encoding windows-1252.'] : []),
  ];
}
