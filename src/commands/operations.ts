import { readFile } from 'node:fs/promises';
import type { Command } from 'commander';
import type { NewOperation } from '../domain/operations/operation.ts';
import { AppError, invalidInput, OperatorError } from '../platform/errors.ts';
import type { PersistedOperation } from '../storage/generated/prisma/client.ts';
import { readManifest } from './operations/manifest.ts';
import { JSON_OPTION } from './support/arguments.ts';
import { print, printJson } from './support/print.ts';
import { printTable } from './support/table.ts';
import { withProject } from './support/with-database.ts';

/** Registers `operations`. */
export function addOperationsCommand(program: Command): void {
  const operations = program
    .command('operations')
    .description('registered GraphQL operations, executed by the SHA-256 of their text');
  operations
    .command('register')
    .description('register the documents of manifests; if one is invalid, none is registered')
    .argument('<project>', 'id of the project')
    .argument(
      '<file...>',
      'JSON object of hashes and texts (relay-compiler, client preset), or a manifest of Apollo clients',
    )
    .option(...JSON_OPTION)
    .action(registerOperations);
  operations
    .command('list')
    .description('list registered documents, newest first')
    .argument('<project>', 'id of the project')
    .option(...JSON_OPTION)
    .action(listOperations);
  operations
    .command('delete')
    .description('delete registered documents; unknown hashes are ignored')
    .argument('<project>', 'id of the project')
    .argument('<sha256...>', 'SHA-256 of documents')
    .option(...JSON_OPTION)
    .action(deleteOperations);
}

const shown = (row: PersistedOperation) => ({
  sha256_hash: Buffer.from(row.hash).toString('hex'),
  operation_names: row.operationNames,
  created_at: row.createdAt,
});

async function registerOperations(
  projectId: string,
  files: readonly string[],
  options: { json?: boolean },
): Promise<void> {
  const read = await Promise.all(files.map(async (file) => readManifest(file, await textOf(file))));
  const documents = read.flat();
  const places = files.flatMap((file, index) =>
    read[index]!.map(({ sha256Hash }) => `${file}: ${sha256Hash}`),
  );
  if (documents.length === 0)
    throw invalidInput(`${files.join(', ')}: must have at least 1 document`, ['file']);
  const rows = await register(projectId, documents).catch((error: unknown) => {
    throw namedByFile(error, places);
  });
  if (options.json) return printJson(rows.map(shown));
  print(
    `${rows.length} ${rows.length === 1 ? 'document is' : 'documents are'} registered. They are accepted within a second.`,
  );
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

function register(projectId: string, documents: readonly NewOperation[]): Promise<PersistedOperation[]> {
  return withProject(projectId, 1, async (viewer) => {
    const { openOperations } = await import('./operations/open-operations.ts');
    return openOperations().register(viewer, null, documents);
  });
}

/** An error of a document, by its file and hash instead of its place in the call. */
function namedByFile(error: unknown, places: readonly string[]): unknown {
  const [field, index] = error instanceof AppError ? (error.inputPath ?? []) : [];
  const place = field === 'documents' && typeof index === 'number' ? places[index] : undefined;
  if (place === undefined) return error;
  return new OperatorError((error as AppError).message.replace(/^documents\.\d+\.\w+/, place));
}

const PAGE = 100;

async function listOperations(projectId: string, options: { json?: boolean }): Promise<void> {
  const rows = await withProject(projectId, 1, async (viewer) => {
    const { openOperations } = await import('./operations/open-operations.ts');
    const operations = openOperations();
    const all: PersistedOperation[] = [];
    for (let after: string | null = null; ; ) {
      const keyset = { after: after === null ? null : [after], before: null, isBackward: false, limit: PAGE };
      const page: PersistedOperation[] = await operations.list(viewer, keyset);
      all.push(...page);
      if (page.length < PAGE) return all;
      after = page.at(-1)!.operationId;
    }
  });
  if (options.json) return printJson(rows.map(shown));
  if (rows.length === 0) return print('No registered operations yet.');
  printTable(
    ['SHA256', 'REGISTERED', 'OPERATIONS'],
    rows
      .map(shown)
      .map((row) => [row.sha256_hash, row.created_at.toISOString(), row.operation_names.join(', ')]),
  );
}

async function deleteOperations(
  projectId: string,
  hashes: readonly string[],
  options: { json?: boolean },
): Promise<void> {
  const deleted = await withProject(projectId, 1, async (viewer) => {
    const { openOperations } = await import('./operations/open-operations.ts');
    return openOperations().remove(viewer, null, hashes);
  });
  if (options.json) return printJson({ deleted: deleted.length });
  print(
    `${deleted.length} ${deleted.length === 1 ? 'document is' : 'documents are'} deleted. They are rejected within a second.`,
  );
}
