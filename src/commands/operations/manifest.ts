import { invalidInput } from '@vouchgraph/platform/errors';
import type { NewOperation } from '../../domain/operations/operation.ts';

/**
 * The documents of a manifest: an object from hash to text, as relay-compiler and GraphQL Code Generator write it, or
 * the manifest of Apollo's generate-persisted-query-manifest. Throws `input.invalid` with the name of the file.
 */
export function readManifest(file: string, text: string): NewOperation[] {
  const manifest = parse(file, text);
  if (!isObject(manifest)) throw wrongManifest(file, 'must be an object');
  return manifest.format === undefined ? readTexts(file, manifest) : readApollo(file, manifest);
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw wrongManifest(file, 'must be JSON');
  }
}

function readTexts(file: string, manifest: Record<string, unknown>): NewOperation[] {
  return Object.entries(manifest).map(([hash, text]) => toOperation(file, hash, text));
}

const APOLLO_FORMAT = 'apollo-persisted-query-manifest';

function readApollo(file: string, { format, version, operations }: Record<string, unknown>): NewOperation[] {
  if (format !== APOLLO_FORMAT || version !== 1)
    throw wrongManifest(file, `must have the format ${APOLLO_FORMAT} with version 1`);
  if (!Array.isArray(operations)) throw wrongManifest(file, 'operations must be a list');
  return operations.map((operation: unknown) => {
    const { id, body } = isObject(operation) ? operation : {};
    return toOperation(file, String(id), body);
  });
}

const SHA256 = /^[0-9a-f]{64}$/;

function toOperation(file: string, hash: string, text: unknown): NewOperation {
  if (!SHA256.test(hash))
    throw wrongManifest(
      file,
      `${JSON.stringify(hash)} must be a SHA-256 as 64 hexadecimal digits in lower case; ` +
        'relay-compiler writes it with "persistConfig": { "algorithm": "SHA256" }',
    );
  if (typeof text !== 'string') throw wrongManifest(file, `${hash} must have the text of its document`);
  return { sha256Hash: hash, text };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const wrongManifest = (file: string, message: string) => invalidInput(`${file}: ${message}`, ['file']);
