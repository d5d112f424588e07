/** Where a browser keeps its signed id. A place that is closed keeps and tells nothing. */
export type TokenStore = {
  read(): Promise<string | null>;
  write(token: string): Promise<void>;
};

/** A signed id: an id and its signature in URL-safe base64. What it says is for the server to check. */
const TOKEN = /^[\w-]{8,64}\.[\w-]{16,256}$/;

/**
 * The signed id from the first store that has one, written back to those that lost theirs or have another; null when
 * none has one.
 */
export async function readKeptToken(stores: readonly TokenStore[]): Promise<string | null> {
  const found = await Promise.all(stores.map((store) => store.read().catch(() => null)));
  const token = found.find((each) => each !== null && TOKEN.test(each)) ?? null;
  if (token !== null)
    await keepToken(
      stores.filter((_, index) => found[index] !== token),
      token,
    );
  return token;
}

/** Keeps a signed id wherever it can be kept. */
export async function keepToken(stores: readonly TokenStore[], token: unknown): Promise<void> {
  if (typeof token !== 'string' || !TOKEN.test(token)) return;
  await Promise.all(stores.map((store) => store.write(token).catch(() => {})));
}
