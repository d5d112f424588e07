import { COLUMN_ROLES } from '@vouchgraph/email/column-names';
import type { Command } from 'commander';
import { addProjectOptions, projectCommand, REMOTE_HELP, withTarget } from '../support/project-command.ts';
import type { Target } from '../support/with-api.ts';
import type { ImportAccess } from './import/import-access.ts';
import type { ImportFileOptions } from './import/import-file.ts';

/** Registers `email import`. */
export function addEmailImportCommand(email: Command): void {
  const command = projectCommand(
    email,
    'import',
    'check the addresses of a CSV file and write a file with the results; a stopped import continues; ' +
      'exit code 1 if it was stopped or rows could not be checked',
  )
    .argument('<file>', 'table with a column of addresses, separated by commas, semicolons, tabs or pipes')
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
    .option('--restart', 'import the file again, as a new import');
  addProjectOptions(command)
    .addHelpText(
      'after',
      `
With --url the file is uploaded, and the gateway checks its rows.
${REMOTE_HELP}

Examples:
  vouchgraph email import contacts.csv
  vouchgraph email import PROJECT_ID contacts.csv --result checked.csv
  vouchgraph email import contacts.csv --url https://id.example.com --key-file server.key`,
    )
    .action(withTarget(importFile));
}

const WITH_IMPORT = ['<import>', 'id of the import'] as const;

/** Registers `email imports`. */
export function addEmailImportsCommand(email: Command): void {
  const imports = email.command('imports').description('imports of a project');
  imports.addHelpText('after', REMOTE_HELP);
  addProjectOptions(projectCommand(imports, 'list', 'list the newest 100 imports'))
    .addHelpText('after', '\nExample:\n  vouchgraph email imports list PROJECT_ID')
    .action(withTarget(listImports));
  addProjectOptions(
    projectCommand(imports, 'show', 'show an import with its progress and bad rows').argument(...WITH_IMPORT),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph email imports show PROJECT_ID IMPORT_ID')
    .action(withTarget(showImport));
  addProjectOptions(
    projectCommand(imports, 'result', 'write the results of an import to a file')
      .argument(...WITH_IMPORT)
      .argument('<file>', 'file of the results')
      .option('--bom', 'begin with a byte order mark, for spreadsheets')
      .option('--replace', 'replace an existing file'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph email imports result PROJECT_ID IMPORT_ID checked.csv --bom',
    )
    .action(withTarget(exportImport));
  addProjectOptions(
    projectCommand(imports, 'erase', 'erase an import with its rows and results').argument(...WITH_IMPORT),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph email imports erase PROJECT_ID IMPORT_ID')
    .action(withTarget(eraseImport));
}

type Json = { json?: boolean };

/** Connections of an import: it writes rows while their checks are completed. */
const CONNECTIONS = 4;

/** Runs work with the imports of a project, of the local database or of a gateway. */
async function withImports(target: Target, work: (imports: ImportAccess) => Promise<void>): Promise<void> {
  const { atTarget } = await import('../support/with-api.ts');
  await atTarget(target, CONNECTIONS, {
    remote: async (gateway) => {
      const { openRemoteImports } = await import('./import/remote-imports.ts');
      await work(openRemoteImports(gateway));
    },
    local: async (viewer, storage) => {
      const { openImports } = await import('./import/open-imports.ts');
      await work(await openImports(viewer, storage));
    },
  });
}

function importFile(target: Target, options: ImportFileOptions, file: string): Promise<void> {
  return withImports(target, async (imports) => {
    const { importFile: importRows } = await import('./import/import-file.ts');
    if (!(await importRows(imports, file, options))) process.exitCode = 1;
  });
}

function listImports(target: Target, { json = false }: Json): Promise<void> {
  return withImports(target, async (imports) => {
    const { showImports } = await import('./import/show-import.ts');
    await showImports(imports, json);
  });
}

function showImport(target: Target, { json = false }: Json, importId: string): Promise<void> {
  return withImports(target, async (imports) => {
    const { showImport: show } = await import('./import/show-import.ts');
    await show(imports, importId, json);
  });
}

function exportImport(
  target: Target,
  { bom = false, replace, json }: Json & { bom?: boolean; replace?: boolean },
  importId: string,
  file: string,
): Promise<void> {
  return withImports(target, async (imports) => {
    const { writeResult } = await import('./import/write-result.ts');
    await writeResult(imports, importId, file, { bom, replace });
    await report(json, { import_id: importId, result_file: file }, `Results: ${file}`);
  });
}

function eraseImport(target: Target, { json }: Json, importId: string): Promise<void> {
  return withImports(target, async (imports) => {
    await imports.erase(importId);
    await report(json, { import_id: importId, erased: true }, `Erased the import ${importId}.`);
  });
}

async function report(isJson = false, value: object, text: string): Promise<void> {
  const { print, printJson } = await import('@vouchgraph/terminal');
  if (isJson) printJson(value);
  else print(text);
}
