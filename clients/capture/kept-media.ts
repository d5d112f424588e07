import { within } from '../sdk/attempt.ts';
import type { MediaName } from './progress.ts';

/*
 * Accepted images that are not uploaded yet, stored in the browser so that a reloaded page can send them. Each is removed
 * after its upload, and all of them at the end of the check. Storage that fails or does not answer costs the images of a
 * reload, never the check.
 */

export type KeptMedia = {
  all(): Promise<Map<MediaName, Blob>>;
  put(name: MediaName, bytes: Blob): Promise<void>;
  remove(name: MediaName): Promise<void>;
  forget(): Promise<void>;
};

const DATABASE = 'vouchgraph.capture';
const STORE = 'media';
/** Some versions of Safari never answer the first time that a database is opened. */
const MAX_WAIT_MS = 1500;

/** Without storage only the images are lost with the page. */
export function createKeptMedia(sessionId: string): KeptMedia {
  const prefix = `${sessionId}/`;
  const own = IDBKeyRange.bound(prefix, `${prefix}\uffff`);
  return {
    async all() {
      // Deletes files that another check left on this device.
      await quietly('readwrite', (store) => deleteOthers(store, prefix), undefined);
      // In one transaction, so that no name is without its image.
      const [keys, values] = await quietly('readonly', (store) => readBoth(store, own), [[], []]);
      return new Map(
        keys.map((key, index) => [String(key).slice(prefix.length) as MediaName, values[index]!]),
      );
    },
    put: (name, bytes) => quietly('readwrite', (store) => done(store.put(bytes, prefix + name)), undefined),
    remove: (name) => quietly('readwrite', (store) => done(store.delete(prefix + name)), undefined),
    forget: () => quietly('readwrite', (store) => done(store.delete(own)), undefined),
  };
}

async function deleteOthers(store: IDBObjectStore, prefix: string): Promise<void> {
  await done(store.delete(IDBKeyRange.upperBound(prefix, true)));
  await done(store.delete(IDBKeyRange.lowerBound(`${prefix}\uffff`, true)));
}

/** The fallback if the storage fails or is late. */
function quietly<Value>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => Promise<Value>,
  fallback: Value,
): Promise<Value> {
  return within(useStore(mode, use), MAX_WAIT_MS, fallback);
}

async function useStore<Value>(
  mode: IDBTransactionMode,
  use: (store: IDBObjectStore) => Promise<Value>,
): Promise<Value> {
  const opening = indexedDB.open(DATABASE, 1);
  opening.onupgradeneeded = () => opening.result.createObjectStore(STORE);
  const database = await answerOf(opening);
  try {
    return await use(database.transaction(STORE, mode).objectStore(STORE));
  } finally {
    database.close();
  }
}

function readBoth(store: IDBObjectStore, range: IDBKeyRange): Promise<[IDBValidKey[], Blob[]]> {
  return Promise.all([answerOf(store.getAllKeys(range)), answerOf<Blob[]>(store.getAll(range))]);
}

async function done<Result>(request: IDBRequest<Result>): Promise<void> {
  await answerOf(request);
}

function answerOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => {
      event.preventDefault();
      reject(request.error);
    };
  });
}
