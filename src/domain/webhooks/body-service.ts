import { toPublicEvent } from '../events/event.ts';
import { eventBody, isPayloadFormat } from '../events/event-body.ts';
import type { Project } from '../projects/project.ts';
import { type BodyCache, type BodyKey, keyText } from './body-cache.ts';
import {
  type ClaimedEventRow,
  type ClaimedRow,
  type QueueDatabase,
  queueRows,
  READ_BODIES,
  READ_EVENTS,
  SET_FORMATS,
  STORE_BODIES,
  shareOrdersCall,
} from './delivery-queue-store.ts';

/*
 * Finds the bodies of claimed deliveries. A body is rendered once for all deliveries of its event in its format and stored
 * before the first attempt, so that every attempt sends the same bytes, also one that a later version makes. A dispatch stores it with
 * the deliveries; here it is rendered where the dispatch could not: deliveries of versions that stored no bodies, and payload
 * formats that the dispatching gateway did not know.
 */

export type Claimed = { readonly project: Project; readonly row: ClaimedRow };

/** A body; or that the event is gone, that it does not decrypt, or that this version does not know its format. */
export type LoadedBody = { readonly body: string } | 'gone' | 'broken' | 'unknown_format';

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

/** Reads, renders and stores bodies. */
export class Bodies {
  readonly #deps: BodyDependencies;

  constructor(deps: BodyDependencies) {
    this.#deps = deps;
  }

  async load(claimed: readonly Claimed[]): Promise<Map<ClaimedRow, LoadedBody>> {
    const loaded = new Map<ClaimedRow, LoadedBody>();
    const unread: Claimed[] = [];
    for (const each of claimed) {
      const body = each.row.has_body ? this.#deps.cache.get(keyOf(each)) : undefined;
      if (body !== undefined) loaded.set(each.row, { body });
      else if (each.row.has_body) unread.push(each);
    }
    if (unread.length > 0) await this.#read(unread, loaded);
    const unrendered = claimed.filter(({ row }) => !loaded.has(row));
    if (unrendered.length > 0) await this.#render(unrendered, loaded);
    return loaded;
  }

  async #read(claimed: readonly Claimed[], loaded: Map<ClaimedRow, LoadedBody>): Promise<void> {
    const wanted = Map.groupBy(claimed, (each) => keyText(keyOf(each)));
    const keys = [...wanted.values()].map(([first]) => keyOf(first!));
    const rows = await queueRows<StoredRow>(this.#deps.system, READ_BODIES, [
      keys.map(({ projectId }) => projectId),
      keys.map(({ eventId }) => eventId),
      keys.map(({ format }) => format),
    ]);
    this.#openAll(rows, wanted, loaded);
  }

  /** Decrypts stored bodies once for all deliveries that send them. */
  #openAll(
    rows: readonly StoredRow[],
    wanted: ReadonlyMap<string, Claimed[]>,
    loaded: Map<ClaimedRow, LoadedBody>,
  ): void {
    for (const row of rows) {
      const key = { projectId: row.project_id, eventId: row.event_id, format: row.payload_format };
      const claimed = wanted.get(keyText(key)) ?? [];
      const result = this.#attempt(() => ({ body: decryptBody(claimed[0]!.project, key, row.body) }));
      if (typeof result === 'object') this.#deps.cache.set(key, result.body);
      for (const each of claimed) loaded.set(each.row, result);
    }
  }

  /** A body that cannot be decrypted fails permanently. */
  #attempt(work: () => LoadedBody): LoadedBody {
    try {
      return work();
    } catch (error) {
      this.#deps.onError(error);
      return 'broken';
    }
  }

  async #render(claimed: readonly Claimed[], loaded: Map<ClaimedRow, LoadedBody>): Promise<void> {
    const events = await this.#findEvents(claimed);
    const wanted = Map.groupBy(claimed, (each) => keyText(keyOf(each)));
    const rendered: { first: Claimed; key: BodyKey; blob: Buffer }[] = [];
    for (const own of wanted.values()) {
      const [first] = own as [Claimed];
      const key = keyOf(first);
      const result = this.#renderOne(first, events.get(`${key.projectId} ${key.eventId}`));
      if (typeof result === 'object')
        rendered.push({ first, key, blob: encryptBody(first.project, key, result.body) });
      // Until it is stored, and where its event is erased meanwhile.
      for (const { row } of own) loaded.set(row, typeof result === 'object' ? 'gone' : result);
    }
    if (rendered.length === 0) return;
    rendered.sort((a, b) => (keyText(a.key) < keyText(b.key) ? -1 : 1));
    const formatted = claimed.filter(({ row }) => loaded.get(row) === 'gone');
    const [, stored] = await this.#deps.system.queueTransaction((transaction) =>
      transaction.commit(
        // Erasures delete deliveries before their events, which are locked here before the deliveries.
        shareOrdersCall(rendered.map(({ key }) => key.projectId)),
        [
          STORE_BODIES,
          [
            rendered.map(({ key }) => key.projectId),
            rendered.map(({ key }) => key.eventId),
            rendered.map(({ first }) => first.row.event_created_at),
            rendered.map(({ key }) => key.format),
            rendered.map(({ blob }) => blob),
          ],
        ],
        [
          SET_FORMATS,
          [
            formatted.map(({ row }) => row.project_id),
            formatted.map(({ row }) => row.delivery_id),
            formatted.map((each) => keyOf(each).format),
          ],
        ],
      ),
    );
    this.#openAll(stored as StoredRow[], wanted, loaded);
  }

  #renderOne({ project, row }: Claimed, event: ClaimedEventRow | undefined): LoadedBody {
    if (!event) return 'gone';
    const format = row.payload_format ?? row.endpoint_format;
    if (!isPayloadFormat(format)) return 'unknown_format';
    return this.#attempt(() => ({
      body: eventBody(toPublicEvent(project.cipher, row.project_id, event), format),
    }));
  }

  async #findEvents(claimed: readonly Claimed[]): Promise<Map<string, ClaimedEventRow>> {
    const unique = new Map(claimed.map(({ row }) => [`${row.project_id} ${row.event_id}`, row]));
    const rows = [...unique.values()];
    const events = await queueRows<ClaimedEventRow>(this.#deps.system, READ_EVENTS, [
      rows.map(({ project_id }) => project_id),
      rows.map(({ event_id }) => event_id),
      rows.map(({ event_created_at }) => event_created_at),
    ]);
    return new Map(events.map((event) => [`${event.project_id} ${event.event_id}`, event]));
  }
}

/** A delivery without a body takes the present format of its endpoint. */
function keyOf({ row }: Claimed): BodyKey {
  return {
    projectId: row.project_id,
    eventId: row.event_id,
    format: row.payload_format ?? row.endpoint_format,
  };
}
