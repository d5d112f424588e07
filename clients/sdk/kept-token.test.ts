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

describe('the signed id that a browser keeps', () => {
  test('is that of the first store that has one', async () => {
    expect(await readKeptToken([memoryStore(TOKEN), memoryStore(OTHER)])).toBe(TOKEN);
    expect(await readKeptToken([memoryStore(null), memoryStore(OTHER)])).toBe(OTHER);
  });

  test('is not waited for in a slow store when a quick one has it', async () => {
    const slowStore: TokenStore = { read: () => new Promise(() => {}), write: async () => {} };
    expect(await readKeptToken([memoryStore(TOKEN), slowStore])).toBe(TOKEN);
  });

  test('goes back to a store that lost it with the next answer', async () => {
    const [lost, kept] = [memoryStore(null), memoryStore(TOKEN)];
    await keepToken([lost, kept], TOKEN);
    expect(await readKeptToken([lost])).toBe(TOKEN);
  });

  test('a browser that keeps nothing has none', async () => {
    expect(await readKeptToken([memoryStore(null), memoryStore(null)])).toBeNull();
  });

  test('does not contain values of the wrong form', async () => {
    expect(await readKeptToken([memoryStore('<script>'), memoryStore(TOKEN)])).toBe(TOKEN);
  });

  test('a store that is closed hides nothing of the other', async () => {
    expect(await readKeptToken([closedStore, memoryStore(TOKEN)])).toBe(TOKEN);
  });

  test('an answer without a signed id keeps the stored one', async () => {
    const store = memoryStore(TOKEN);
    for (const answered of [undefined, null, '', 7, 'a b']) await keepToken([closedStore, store], answered);
    expect(store.kept).toBe(TOKEN);
    await keepToken([closedStore, store], OTHER);
    expect(store.kept).toBe(OTHER);
  });
});
