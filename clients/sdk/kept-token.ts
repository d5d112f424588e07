/** Storage of the signed browser id. A storage without access rejects; a read may never resolve. */
export type TokenStore = {
  read(): Promise<string | null>;
  write(token: string): Promise<void>;
};

/** Signed id: an id and its signature in URL-safe base64. Only the server verifies it. */
const TOKEN = /^[\w-]{8,64}\.[\w-]{16,256}$/;

/**
 * Signed id from the first storage that has one; null without one. Later storages may be slow and are only read if the
 * earlier ones are empty. A storage that lost the id receives it again with the service's answer.
 */
export async function readKeptToken(stores: readonly TokenStore[]): Promise<string | null> {
  for (const store of stores) {
    const token = await store.read().catch(() => null);
    if (token !== null && TOKEN.test(token)) return token;
  }
  return null;
}

/** Writes a signed id to all storages. */
export async function keepToken(stores: readonly TokenStore[], token: unknown): Promise<void> {
  if (typeof token !== 'string' || !TOKEN.test(token)) return;
  await Promise.all(stores.map((store) => store.write(token).catch(() => {})));
}
