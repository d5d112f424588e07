import { within } from './attempt.ts';
import type { TokenStore } from './kept-token.ts';

/** Some versions of Safari never answer the first time that a database is opened. */
const MAX_WAIT_MS = 1500;
const DATABASE = 'vouchgraph';
const STORE = 'browser';

/** The places where a page may keep the signed id of a project. */
export function tokenStores(projectId: string): TokenStore[] {
  return [localStore(`vouchgraph.browser.${projectId}`), databaseStore(projectId)];
}

function localStore(name: string): TokenStore {
  return {
    read: async () => localStorage.getItem(name),
    write: async (token) => localStorage.setItem(name, token),
  };
}

function databaseStore(key: string): TokenStore {
  return {
    read: () => readRow(key),
    write: (token) => within(writeRow(key, token), MAX_WAIT_MS, undefined),
  };
}

/** Whether the page may use a database; undefined after a timeout. */
export function canUseDatabase(): Promise<boolean | undefined> {
  const opened = openDatabase().then(
    (database) => {
      database.close();
      return true;
    },
    () => false,
  );
  return within<boolean | undefined>(opened, MAX_WAIT_MS, undefined);
}

async function readRow(key: string): Promise<string | null> {
  const database = await openDatabase();
  try {
    const value: unknown = await answerOf(database.transaction(STORE).objectStore(STORE).get(key));
    return typeof value === 'string' ? value : null;
  } finally {
    database.close();
  }
}

async function writeRow(key: string, token: string): Promise<void> {
  const database = await openDatabase();
  try {
    await answerOf(database.transaction(STORE, 'readwrite').objectStore(STORE).put(token, key));
  } finally {
    database.close();
  }
}

function openDatabase(): Promise<IDBDatabase> {
  const request = indexedDB.open(DATABASE, 1);
  request.onupgradeneeded = () => request.result.createObjectStore(STORE);
  return answerOf(request);
}

function answerOf<Result>(request: IDBRequest<Result>): Promise<Result> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = (event) => {
      // An error that is not stopped here would be dispatched to the page.
      event.preventDefault();
      reject(request.error);
    };
  });
}
