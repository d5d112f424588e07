import { sha256 } from '@vouchgraph/platform/crypto';
import { invalidInput } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import { tooFewText, tooManyText } from '@vouchgraph/platform/wording';

/** SHA-256 of a document's text as 64 hexadecimal digits in lower case. */
export type OperationHash = string;

const HASH = /^[0-9a-f]{64}$/;

export const HASH_TEXT = 'must be a SHA-256 as 64 hexadecimal digits in lower case';

export function isOperationHash(text: unknown): text is OperationHash {
  return typeof text === 'string' && HASH.test(text);
}

export function hashOf(text: string): OperationHash {
  return sha256(text).toString('hex');
}

/** The hash of a registered document, from its bytes. */
export function hashOfBytes({ hash }: { hash: Uint8Array }): OperationHash {
  return Buffer.from(hash).toString('hex');
}

/** A document to register. A hash that is given has to be that of the text. */
export type NewOperation = { readonly text: string; readonly sha256Hash?: string | null | undefined };

/** A document that was checked, with its hash and the names of its operations. */
export type CheckedOperation = {
  readonly hash: OperationHash;
  readonly text: string;
  readonly operationNames: readonly string[];
};

/** Problem of a document with its position in the text; without a position for problems of the whole document. */
export type DocumentProblem = { readonly message: string; readonly line?: number; readonly column?: number };

/** Checks the text of a document; returns the names of its operations, or the problem. */
export type CheckDocument = (
  text: string,
) => { readonly operationNames: readonly string[] } | { readonly problem: DocumentProblem };

/** The documents with their hashes, each once. Throws `input.invalid` with the field of the first wrong entry. */
export function readOperations(
  documents: readonly NewOperation[],
): { index: number; hash: OperationHash; text: string }[] {
  if (documents.length === 0) throw invalidInput(`documents: ${tooFewText(1)}`, ['documents']);
  if (documents.length > LIMITS.operations)
    throw invalidInput(`documents: ${tooManyText(LIMITS.operations)}`, ['documents']);
  const read = documents.map(({ text, sha256Hash }, index) => {
    const fail = (field: string, what: string) =>
      invalidInput(`documents.${index}.${field}: ${what}`, ['documents', index, field]);
    if (text.trim() === '') throw fail('text', 'must not be empty');
    if (Buffer.byteLength(text) > LIMITS.operationBytes)
      throw fail('text', `must be at most ${LIMITS.operationBytes} bytes of UTF-8`);
    const hash = hashOf(text);
    if (sha256Hash != null && !isOperationHash(sha256Hash)) throw fail('sha256Hash', HASH_TEXT);
    if (sha256Hash != null && sha256Hash !== hash)
      throw fail('sha256Hash', `must be the SHA-256 of text, ${hash}`);
    return { index, hash, text };
  });
  return [...new Map(read.map((each) => [each.hash, each])).values()];
}

/** Hashes to delete, each once. Throws `input.invalid`. */
export function readHashes(hashes: readonly string[]): OperationHash[] {
  if (hashes.length === 0) throw invalidInput(`sha256Hashes: ${tooFewText(1)}`, ['sha256Hashes']);
  if (hashes.length > LIMITS.operations)
    throw invalidInput(`sha256Hashes: ${tooManyText(LIMITS.operations)}`, ['sha256Hashes']);
  const wrong = hashes.findIndex((hash) => !isOperationHash(hash));
  if (wrong >= 0) throw invalidInput(`sha256Hashes.${wrong}: ${HASH_TEXT}`, ['sha256Hashes', wrong]);
  return [...new Set(hashes)];
}
