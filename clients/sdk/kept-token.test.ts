import { describe, expect, test } from 'vitest';
import { keepToken, readKeptToken, type TokenStore } from './kept-token.ts';

const TOKEN = `abcdefghijklmnopqrstuv.${'s'.repeat(43)}`;
const OTHER = `zyxwvutsrqponmlkjihgfe.${'t'.repeat(43)}`;

function memoryStore(kept: string | null): TokenStore & { kept: string | null } {
  return {
    kept,
    async read() {
      return this.kept;
    },
    async write(token) {
      this.kept = token;
    },
  };
}

const closedStore: TokenStore = {
  read: () => Promise.reject(new Error('closed')),
  write: () => Promise.reject(new Error('closed')),
};

describe('signed id of a browser', () => {
  test('is read from the first store that has one', async () => {
    expect(await readKeptToken([memoryStore(TOKEN), memoryStore(OTHER)])).toBe(TOKEN);
    expect(await readKeptToken([memoryStore(null), memoryStore(OTHER)])).toBe(OTHER);
  });

  test('is read without waiting for a slow store', async () => {
    const slowStore: TokenStore = { read: () => new Promise(() => {}), write: async () => {} };
    expect(await readKeptToken([memoryStore(TOKEN), slowStore])).toBe(TOKEN);
  });

  test('is written again to a store that lost it', async () => {
    const [lost, kept] = [memoryStore(null), memoryStore(TOKEN)];
    await keepToken([lost, kept], TOKEN);
    expect(await readKeptToken([lost])).toBe(TOKEN);
  });

  test('is null when no store has one', async () => {
    expect(await readKeptToken([memoryStore(null), memoryStore(null)])).toBeNull();
  });

  test('is read from another store when a value is malformed', async () => {
    expect(await readKeptToken([memoryStore('<script>'), memoryStore(TOKEN)])).toBe(TOKEN);
  });

  test('is read from another store when one is blocked', async () => {
    expect(await readKeptToken([closedStore, memoryStore(TOKEN)])).toBe(TOKEN);
  });

  test('is unchanged by a response without a signed id', async () => {
    const store = memoryStore(TOKEN);
    for (const answered of [undefined, null, '', 7, 'a b']) await keepToken([closedStore, store], answered);
    expect(store.kept).toBe(TOKEN);
    await keepToken([closedStore, store], OTHER);
    expect(store.kept).toBe(OTHER);
  });
});
