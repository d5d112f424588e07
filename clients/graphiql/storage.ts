/** What GraphiQL expects of its storage, a part of the interface of localStorage. */
export type KeptStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'clear' | 'length'>;

const PREFIX = 'vouchgraph:';

/**
 * Items of GraphiQL that may contain a key: the editor of headers, and the history, which has the headers of each run.
 * They last as long as the page.
 */
const MEMORY_ONLY = /^graphiql:(headers|queries|favorites|shouldPersistHeaders)$/;

/** Keys, tokens and secrets of the gateway, wherever they were typed. */
const SECRET = /\bvg(_test|_live|[bsv])_\w|\bwhsec_\w/;

/** Flag in sessionStorage: the next load resets the tabs. */
const RESET = `${PREFIX}reset-tabs`;

/** Tabs and layout outlive the page in `kept`; whatever contains a key does not. `session` is that of this window. */
export function createStorage(kept: Storage, session: Storage): KeptStorage {
  if (session.getItem(RESET) !== null) {
    for (const name of ['tabState', 'query', 'variables']) kept.removeItem(`${PREFIX}graphiql:${name}`);
    session.removeItem(RESET);
  }
  const memory = new Map<string, string>();
  return {
    getItem: (name) => memory.get(name) ?? kept.getItem(PREFIX + name),
    setItem(name, value) {
      if (MEMORY_ONLY.test(name) || SECRET.test(value)) memory.set(name, value);
      else {
        memory.delete(name);
        kept.setItem(PREFIX + name, value);
      }
    },
    removeItem(name) {
      memory.delete(name);
      kept.removeItem(PREFIX + name);
    },
    clear() {
      memory.clear();
      for (const name of ownNames(kept)) kept.removeItem(name);
    },
    get length() {
      return memory.size + ownNames(kept).length;
    },
  };
}

function ownNames(storage: Storage): string[] {
  return Object.keys(storage).filter((name) => name.startsWith(PREFIX));
}

/**
 * The examples open with the next load of the page. The tabs are removed by that load: GraphiQL stores them some time
 * after a change, also while a page is being left.
 */
export function resetTabs(session: Storage): void {
  session.setItem(RESET, '');
}
