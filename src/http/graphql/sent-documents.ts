import { LRUCache } from 'lru-cache';
import type { OperationHash } from '../../domain/operations/operation.ts';

/** Documents that clients of a project sent with their hash ("automatic persisted queries"), as long as there is room. */
export type SentDocuments = {
  find(projectId: string, hash: OperationHash): string | undefined;
  keep(projectId: string, hash: OperationHash, text: string): void;
};

const MAX_PROJECTS = 64;
const MAX_DOCUMENTS = 1000;
const MAX_BYTES = 1024 * 1024;
/** Longer texts are executed and not kept. */
const MAX_TEXT_LENGTH = 20_000;

/**
 * Documents by project, with a limit for each, so that no project evicts the documents of another one. The least recently
 * used project is evicted first. At most 64 MB of texts.
 */
export function createSentDocuments(): SentDocuments {
  const projects = new LRUCache<string, LRUCache<OperationHash, string>>({ max: MAX_PROJECTS });
  return {
    find: (projectId, hash) => projects.get(projectId)?.get(hash),
    keep(projectId, hash, text) {
      if (text.length > MAX_TEXT_LENGTH) return;
      let documents = projects.get(projectId);
      if (!documents) {
        documents = new LRUCache({
          max: MAX_DOCUMENTS,
          maxSize: MAX_BYTES,
          sizeCalculation: bytesOf,
        });
        projects.set(projectId, documents);
      }
      documents.set(hash, text);
    },
  };
}

/** Memory of a text: one character beyond Latin-1 makes V8 store all of them in two bytes. */
function bytesOf(text: string): number {
  return /[\u0100-\uffff]/.test(text) ? 2 * text.length : text.length;
}
