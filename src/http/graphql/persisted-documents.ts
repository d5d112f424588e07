import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { HASH_TEXT, hashOf, isOperationHash, type OperationHash } from '../../domain/operations/operation.ts';
import type { OperationService } from '../../domain/operations/operation-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { executesRegisteredOnly, notRegistered } from '../registered-only.ts';
import type { SentDocuments } from './sent-documents.ts';

/*
 * Documents named by their SHA-256 instead of their text: `extensions.persistedQuery` as Apollo clients send it, and
 * `documentId` of the GraphQL over HTTP draft on persisted documents. Registered documents are found in the database,
 * those that clients sent with their hash in the memory of this gateway. Every protocol resolves the parameters of a
 * request here before it parses anything.
 */

export type PersistedDocuments = {
  /**
   * The parameters with the text of the document in `query`; the same object when they name no document by its hash. Throws
   * for an unknown hash, a hash of another text, and an unregistered text where only registered documents are accepted.
   */
  resolve(viewer: Viewer, parameters: unknown): Promise<unknown>;
};

type Parameters = { query?: unknown; documentId?: unknown; extensions?: unknown };

export function createPersistedDocuments(
  operations: Pick<OperationService, 'find'>,
  sent: SentDocuments,
): PersistedDocuments {
  async function resolve(viewer: Viewer, parameters: unknown): Promise<unknown> {
    const isRestricted = executesRegisteredOnly(viewer);
    const named = isObject(parameters) ? parameters : {};
    const text = typeof named.query === 'string' && named.query !== '' ? named.query : null;
    // The text itself is not checked.
    if (isRestricted && named.query != null && named.query !== '') throw notRegistered();
    const hash = hashIn(named);
    if (hash === null) {
      if (isRestricted) throw notRegistered();
      return parameters;
    }
    const { project } = viewer;
    const { documentId: _, ...others } = named;
    if (text !== null) {
      if (hashOf(text) !== hash.value) throw invalidInput(`${hash.name}: must be the SHA-256 of query`);
      sent.keep(project.projectId, hash.value, text);
      return others;
    }
    const kept = isRestricted ? undefined : sent.find(project.projectId, hash.value);
    const query = kept ?? (await operations.find(project, hash.value));
    if (query === null) throw persistedQueryNotFound();
    return { ...others, query };
  }
  return { resolve };
}

/** Whether a request names its document by its hash alone. */
export function isByHashAlone(parameters: Parameters): boolean {
  const { query, documentId, extensions } = parameters;
  return (query == null || query === '') && (documentId != null || persistedQueryOf(extensions) != null);
}

type NamedHash = { name: string; value: OperationHash };

/** The hash that parameters name; null when they name none. */
function hashIn({ documentId, extensions }: Parameters): NamedHash | null {
  if (documentId != null) return readDocumentId(documentId);
  const persistedQuery = persistedQueryOf(extensions);
  if (persistedQuery == null) return null;
  const { version, sha256Hash } = isObject(persistedQuery) ? persistedQuery : {};
  if (version !== 1) throw persistedQueryNotSupported();
  const name = 'extensions.persistedQuery.sha256Hash';
  if (!isOperationHash(sha256Hash)) throw invalidInput(`${name}: ${HASH_TEXT}`);
  return { name, value: sha256Hash };
}

/** `sha256:` and the hash, as the draft writes it; also the hash alone, as manifests of compilers have it. */
function readDocumentId(documentId: unknown): NamedHash {
  const value = typeof documentId === 'string' ? documentId.replace(/^sha256:/, '') : documentId;
  if (!isOperationHash(value))
    throw invalidInput('documentId: must be sha256: followed by 64 hexadecimal digits in lower case');
  return { name: 'documentId', value };
}

function persistedQueryOf(extensions: unknown): unknown {
  return isObject(extensions) ? extensions.persistedQuery : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Unknown, deleted, of another project: all alike. */
function persistedQueryNotFound(): AppError {
  return new AppError('PERSISTED_QUERY_NOT_FOUND', 'not_found', 'PersistedQueryNotFound');
}

function persistedQueryNotSupported(): AppError {
  return new AppError('PERSISTED_QUERY_NOT_SUPPORTED', 'invalid_input', 'PersistedQueryNotSupported');
}
