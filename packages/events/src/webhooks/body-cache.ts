import { LRUCache } from 'lru-cache';

/** Names the body of an event in a payload format. */
export type BodyKey = { readonly projectId: string; readonly eventId: string; readonly format: number };

/** Characters of all cached bodies of a gateway: an event is often sent to several endpoints at the same time. */
const MAX_CHARACTERS = 8_000_000;

/** The key of a body as a text, for maps. */
export const keyText = ({ projectId, eventId, format }: BodyKey) => `${projectId} ${eventId} ${format}`;

/** Stored bodies that this process used last, decrypted. */
export class BodyCache {
  readonly #bodies = new LRUCache<string, string>({
    maxSize: MAX_CHARACTERS,
    sizeCalculation: (body) => body.length + 1,
  });

  get(key: BodyKey): string | undefined {
    return this.#bodies.get(keyText(key));
  }

  /** Only for a stored body: if another gateway stored the body first, that one is sent. */
  set(key: BodyKey, body: string): void {
    this.#bodies.set(keyText(key), body);
  }
}
