import { type BodyCache, type BodyKey, keyText } from '@vouchgraph/events/webhooks';
import type { Project } from '../projects/project.ts';
import { type ClaimedRow, type QueueDatabase, queueRows, READ_BODIES } from './delivery-queue-store.ts';

/*
 * Finds the bodies of claimed deliveries. A dispatch renders a body once for all deliveries of its event in its format, and
 * stores it with them, so that every attempt sends the same bytes, also one that a later version makes.
 */

export type Claimed = { readonly project: Project; readonly row: ClaimedRow };

/** A body; or that it no longer exists, or does not decrypt. */
export type LoadedBody = { readonly body: string } | 'gone' | 'broken';

type StoredRow = { project_id: string; event_id: string; payload_format: number; body: Buffer };

export function encryptBody({ cipher }: Project, { eventId, format }: BodyKey, body: string): Buffer {
  return cipher.encryptCompactJson('webhook_bodies', `${eventId} ${format}`, body);
}

export function decryptBody({ cipher }: Project, { eventId, format }: BodyKey, blob: Buffer): string {
  return cipher.decryptJson<string>('webhook_bodies', `${eventId} ${format}`, blob);
}

type BodyDependencies = {
  readonly system: QueueDatabase;
  readonly cache: BodyCache;
  readonly onError: (error: unknown) => void;
};

/** Reads stored bodies. */
export class Bodies {
  readonly #deps: BodyDependencies;

  constructor(deps: BodyDependencies) {
    this.#deps = deps;
  }

  async load(claimed: readonly Claimed[]): Promise<Map<ClaimedRow, LoadedBody>> {
    const loaded = new Map<ClaimedRow, LoadedBody>();
    const unread: Claimed[] = [];
    for (const each of claimed) {
      const { row } = each;
      const body = row.has_body ? this.#deps.cache.get(keyOf(each)) : undefined;
      loaded.set(row, body === undefined ? 'gone' : { body });
      if (row.has_body && body === undefined) unread.push(each);
    }
    if (unread.length > 0) await this.#read(unread, loaded);
    return loaded;
  }

  /** Reads and decrypts bodies, each once for all deliveries that send it. */
  async #read(claimed: readonly Claimed[], loaded: Map<ClaimedRow, LoadedBody>): Promise<void> {
    const wanted = Map.groupBy(claimed, (each) => keyText(keyOf(each)));
    const keys = [...wanted.values()].map(([first]) => keyOf(first!));
    const rows = await queueRows<StoredRow>(this.#deps.system, READ_BODIES, [
      keys.map(({ projectId }) => projectId),
      keys.map(({ eventId }) => eventId),
      keys.map(({ format }) => format),
    ]);
    for (const row of rows) {
      const key = { projectId: row.project_id, eventId: row.event_id, format: row.payload_format };
      const own = wanted.get(keyText(key))!;
      const result = this.#decrypt(own[0]!.project, key, row.body);
      for (const each of own) loaded.set(each.row, result);
    }
  }

  /** A body that cannot be decrypted fails permanently. */
  #decrypt(project: Project, key: BodyKey, blob: Buffer): LoadedBody {
    try {
      const body = decryptBody(project, key, blob);
      this.#deps.cache.set(key, body);
      return { body };
    } catch (error) {
      this.#deps.onError(error);
      return 'broken';
    }
  }
}

function keyOf({ row }: Claimed): BodyKey {
  return { projectId: row.project_id, eventId: row.event_id, format: row.payload_format };
}
