/** Storage of the signed browser id. A storage without access ignores writes and returns null. */
export type TokenStore = {
  read(): Promise<string | null>;
  write(token: string): Promise<void>;
};

/** A signed id: an id and its signature in URL-safe base64. What it says is for the server to check. */
const TOKEN = /^[\w-]{8,64}\.[\w-]{16,256}$/;

/**
 * The signed id from the first store that has one; null when none has. Later stores may be slow, and are asked only
 * then. A store that lost it gets it back with the service's answer.
 */
export async function readKeptToken(stores: readonly TokenStore[]): Promise<string | null> {
  for (const store of stores) {
    const token = await store.read().catch(() => null);
    if (token !== null && TOKEN.test(token)) return token;
  }
  return null;
}

/** Keeps a signed id wherever it can be kept. */
export async function keepToken(stores: readonly TokenStore[], token: unknown): Promise<void> {
  if (typeof token !== 'string' || !TOKEN.test(token)) return;
  await Promise.all(stores.map((store) => store.write(token).catch(() => {})));
}
