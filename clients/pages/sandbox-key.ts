/*
 * The key of the sandbox project, for GraphiQL, the REST reference and the demo of the script. The URL that the gateway
 * prints on its terminal contains a secret, which works once. The key is then kept in sessionStorage: for this tab, its
 * reloads, and the other pages of the gateway in it.
 */

export type Sandbox = { key: string; projectId: string };

/** `isRefused`: the URL contained a secret for which the gateway has no key. */
export type OpenedSandbox = { sandbox: Sandbox | null; isRefused: boolean };

const ITEM = 'vouchgraph:sandbox';
/** In the fragment, which browsers send to no server. */
const SECRET = /^#secret=([\w-]+)$/;

/** Reads the sandbox of this tab. Call it before other code reads or replaces the address. */
export async function openSandbox(): Promise<OpenedSandbox> {
  // A pasted URL that differs in the fragment alone does not load the page.
  addEventListener('hashchange', () => {
    if (SECRET.test(location.hash)) location.reload();
  });
  const secret = takeSecret();
  if (secret === null) return { sandbox: storedSandbox(), isRefused: false };
  const redeemed = await redeem(secret);
  if (redeemed) store(redeemed);
  const sandbox = redeemed ?? storedSandbox();
  return { sandbox, isRefused: sandbox === null };
}

/** Removes a key that the gateway rejected. */
export function forgetSandbox(key: string): void {
  if (storedSandbox()?.key === key) sessionStorage.removeItem(ITEM);
}

/** The secret is removed from the address and the history of the browser. */
function takeSecret(): string | null {
  const secret = SECRET.exec(location.hash)?.[1] ?? null;
  if (secret !== null) history.replaceState(null, '', location.pathname + location.search);
  return secret;
}

async function redeem(secret: string): Promise<Sandbox | null> {
  try {
    const response = await fetch('/sandbox-key', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
      credentials: 'omit',
    });
    return ((await response.json()) as { sandbox?: Sandbox | null }).sandbox ?? null;
  } catch {
    return null;
  }
}

/** Where the browser stores nothing, only this page has the key: its secret was used. */
function store(sandbox: Sandbox): void {
  try {
    sessionStorage.setItem(ITEM, JSON.stringify(sandbox));
  } catch {}
}

function storedSandbox(): Sandbox | null {
  try {
    return JSON.parse(sessionStorage.getItem(ITEM) ?? 'null') as Sandbox | null;
  } catch {
    return null;
  }
}
