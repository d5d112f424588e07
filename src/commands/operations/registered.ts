import { readFile } from 'node:fs/promises';
import { AppError, invalidInput, OperatorError } from '@vouchgraph/platform/errors';
import { noneText, print, printJson, printTable } from '@vouchgraph/terminal';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { DELETE, OPERATIONS, REGISTER } from './documents.ts';
import { readManifest } from './manifest.ts';

type Operation = { sha256Hash: string; operationNames: string[]; createdAt: string };
type Json = { json?: boolean };

const shown = ({ sha256Hash, operationNames, createdAt }: Operation) => ({
  sha256_hash: sha256Hash,
  operation_names: operationNames,
  created_at: createdAt,
});

/** Registers the documents of manifests, all or none. */
export async function registerOperations(api: Api, { json }: Json, files: readonly string[]): Promise<void> {
  const read = await Promise.all(files.map(async (file) => readManifest(file, await textOf(file))));
  const documents = read.flat();
  const places = files.flatMap((file, index) =>
    read[index]!.map(({ sha256Hash }) => `${file}: ${sha256Hash}`),
  );
  if (documents.length === 0)
    throw invalidInput(`${files.join(', ')}: must have at least 1 document`, ['file']);
  const { operations } = await register(api, documents).catch((error: unknown) => {
    throw namedByFile(error, places);
  });
  if (json) return printJson(operations.map(shown));
  print(`${documentsAre(operations.length)} registered. They are accepted within a second.`);
}

async function register(api: Api, documents: readonly object[]): Promise<{ operations: Operation[] }> {
  const variables = { input: { documents } };
  return (await api.run<{ registerOperations: { operations: Operation[] } }>(REGISTER, variables))
    .registerOperations;
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}

/** An error of a document, by its file and hash instead of its place in the call. */
function namedByFile(error: unknown, places: readonly string[]): unknown {
  const path = error instanceof AppError ? (error.inputPath ?? []) : [];
  const [field, index] = path[0] === 'input' ? path.slice(1) : path;
  const place = field === 'documents' && typeof index === 'number' ? places[index] : undefined;
  if (place === undefined) return error;
  return new OperatorError((error as AppError).message.replace(/^documents\.\d+\.\w+/, place));
}

/** Prints all registered documents, the newest first. */
export async function listOperations(api: Api, { json }: Json): Promise<void> {
  const edges = await readEdges(Number.POSITIVE_INFINITY, async (page) => {
    const { persistedOperations } = await api.run<{
      persistedOperations: Connection<{ node: Operation }>;
    }>(OPERATIONS, page);
    return persistedOperations;
  });
  const operations = edges.map(({ node }) => shown(node));
  if (json) return printJson(operations);
  if (operations.length === 0) return print(noneText('registered operations'));
  printTable(
    ['SHA256', 'REGISTERED', 'OPERATIONS'],
    operations.map((row) => [row.sha256_hash, row.created_at, row.operation_names.join(', ')]),
  );
}

/** Deletes documents by their hashes, and prints how many were registered. */
export async function deleteOperations(api: Api, { json }: Json, sha256Hashes: string[]): Promise<void> {
  const { deleteOperations: deleted } = await api.run<{ deleteOperations: { deletedIds: string[] } }>(
    DELETE,
    { input: { sha256Hashes } },
  );
  const { length } = deleted.deletedIds;
  if (json) return printJson({ deleted: length });
  print(`${documentsAre(length)} deleted. They are rejected within a second.`);
}

const documentsAre = (number: number) => `${number} ${number === 1 ? 'document is' : 'documents are'}`;
