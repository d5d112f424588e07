import type { Command } from 'commander';
import { COLUMN_ROLES } from '../../domain/email-checks/import/column-names.ts';
import { newId } from '../../platform/ids.ts';
import { JSON_OPTION } from '../support/arguments.ts';
import { print } from '../support/print.ts';
import { withStorage } from '../support/with-database.ts';
import type { ImportFileOptions } from './import/import-file.ts';
import type { CommandImports } from './import/open-imports.ts';

const PROJECT_OPTION = ['--project <id>', 'id of the project; optional if there is only one'] as const;

/** Registers `email import`. */
export function addEmailImportCommand(email: Command): void {
  const command = email
    .command('import')
    .description(
      'check the addresses of a CSV file and write a file with the results; a stopped import continues; ' +
        'exit code 1 if it was stopped or rows could not be checked',
    )
    .argument('<file>', 'table with a column of addresses, separated by commas, semicolons, tabs or pipes')
    .option(...PROJECT_OPTION)
    .option('--name <name>', 'name of the import; the name of the file by default');
  for (const role of COLUMN_ROLES) {
    const word = role.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
    const what = role === 'email' ? 'addresses' : `the ${word}`;
    command.option(
      `--${word.replace(' ', '-')}-column <column>`,
      `column of ${what}, by name or number from 1`,
    );
  }
  command
    .option('--no-header', 'the first row contains data, not column names')
    .option(
      '--encoding <encoding>',
      'utf-8, utf-16le, utf-16be or windows-1252; UTF-8 and UTF-16 are detected',
    )
    .option('--delimiter <delimiter>', 'comma, semicolon, tab or pipe; detected by default')
    .option('--emit-each', 'emit an event for each address, not only for each batch of 1,000')
    .option(
      '--identity-intelligence',
      'compare names, phones and countries with known ones, in four additional columns of the results',
    )
    .option('--result <file>', 'file of the results; the name of the file with .results.csv by default')
    .option('--bom', 'begin the results with a byte order mark, for spreadsheets')
    .option('--restart', 'import the file again, as a new import')
    .option(...JSON_OPTION)
    .action(importFile);
}

/** Registers `email imports`. */
export function addEmailImportsCommand(email: Command): void {
  const imports = email.command('imports').description('imports of a project');
  imports
    .command('list')
    .description('list the newest 100 imports')
    .option(...PROJECT_OPTION)
    .option(...JSON_OPTION)
    .action(listImports);
  imports
    .command('show')
    .description('show an import with its progress and bad rows')
    .argument('<import>', 'id of the import')
    .option(...PROJECT_OPTION)
    .option(...JSON_OPTION)
    .action(showImport);
  imports
    .command('result')
    .description('write the results of an import to a file')
    .argument('<import>', 'id of the import')
    .argument('<file>', 'file of the results')
    .option(...PROJECT_OPTION)
    .option('--bom', 'begin with a byte order mark, for spreadsheets')
    .action(exportImport);
  imports
    .command('erase')
    .description('erase an import with its rows and results')
    .argument('<import>', 'id of the import')
    .option(...PROJECT_OPTION)
    .action(eraseImport);
}

type ProjectOptions = { project?: string; json?: boolean };

/** Connections of an import: it writes rows while their checks are completed. */
const CONNECTIONS = 4;

/** Runs work with the imports of a project; without an argument, of the only project. */
function withImports<T>(
  projectId: string | undefined,
  work: (imports: CommandImports) => Promise<T>,
): Promise<T> {
  return withStorage(CONNECTIONS, async (storage) => {
    const { openImports } = await import('./import/open-imports.ts');
    return work(await openImports(storage, projectId));
  });
}

function importFile(file: string, options: ImportFileOptions & ProjectOptions): Promise<void> {
  return withImports(options.project, async (imports) => {
    const { importFile: importRows } = await import('./import/import-file.ts');
    if (!(await importRows(imports, file, options))) process.exitCode = 1;
  });
}

function listImports({ project, json = false }: ProjectOptions): Promise<void> {
  return withImports(project, async (imports) => {
    const { showImports } = await import('./import/show-import.ts');
    await showImports(imports, json);
  });
}

function showImport(importId: string, { project, json = false }: ProjectOptions): Promise<void> {
  return withImports(project, async (imports) => {
    const { showImport: show } = await import('./import/show-import.ts');
    await show(imports, importId, json);
  });
}

function exportImport(
  importId: string,
  file: string,
  { project, bom = false }: ProjectOptions & { bom?: boolean },
): Promise<void> {
  return withImports(project, async (imports) => {
    const { writeResult } = await import('./import/write-result.ts');
    await writeResult(imports, importId, file, bom);
    print(`Results: ${file}`);
  });
}

function eraseImport(importId: string, { project }: ProjectOptions): Promise<void> {
  return withImports(project, async ({ imports, viewer }) => {
    await imports.erase(viewer, newId(), importId);
    print(`Erased the import ${importId}.`);
  });
}
