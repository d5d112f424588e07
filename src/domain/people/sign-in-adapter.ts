import { createHmac, timingSafeEqual } from 'node:crypto';
import { betterAuth } from 'better-auth';
import type { Provider } from './provider.ts';
import {
  ADDRESS_HEADER,
  AUTH_PATH,
  type SignInDeps,
  sessionCookieName,
  signInOptions,
} from './sign-in-options-adapter.ts';

/** The library of the sign-in. Nothing of it is created before the first use. */
export type SignIn = {
  /**
   * Answers a request that is on the list of mounted ones. `needsProviders`: with the providers of this moment. Rejects for an
   * unexpected error.
   */
  handle(request: Request, options?: { needsProviders: boolean }): Promise<Response>;
  /** Signs a person in who has just chosen the password, outside of the limits of attempts. */
  signInOnce(email: string, password: string, headers: Headers): Promise<Response>;
  /** The token of a session in a `cookie` header with a valid signature, else null. No statement. */
  tokenOf(cookie: string): string | null;
};

export function createSignIn(deps: SignInDeps): SignIn {
  let created: ReturnType<typeof create> | undefined;
  let createdFor = '[]';
  const auth = () => {
    created ??= create(deps, []);
    return created;
  };
  /** Commands and other gateways change providers at any time. */
  async function withProviders() {
    const providers = await deps.providers.list();
    const key = JSON.stringify(providers);
    if (key !== createdFor) created = create(deps, providers);
    createdFor = key;
    return auth();
  }
  const cookieName = sessionCookieName(deps.isSecure);
  return {
    handle: async (request, { needsProviders } = { needsProviders: false }) =>
      (needsProviders ? await withProviders() : auth()).handler(request),
    signInOnce: (email, password, headers) =>
      auth().api.signInEmail({ body: { email, password }, headers, asResponse: true }),
    tokenOf: (cookie) => signedValueOf(cookie, cookieName, deps.secret),
  };
}

export { hashPassword } from 'better-auth/crypto';

function create(deps: SignInDeps, providers: readonly Provider[]) {
  return betterAuth(signInOptions(deps, providers));
}

/** Value of a signed cookie (`VALUE.BASE64(HMAC-SHA256)`, percent-encoded); null when the signature is not valid. */
function signedValueOf(cookie: string, name: string, secret: string): string | null {
  const pair = cookie.split(';').find((each) => each.trim().startsWith(`${name}=`));
  if (pair === undefined) return null;
  const signed = decode(pair.slice(pair.indexOf('=') + 1).trim());
  const at = signed.lastIndexOf('.');
  if (at < 1) return null;
  const value = signed.slice(0, at);
  const signature = Buffer.from(signed.slice(at + 1), 'base64');
  const expected = createHmac('sha256', secret).update(value).digest();
  return signature.length === expected.length && timingSafeEqual(signature, expected) ? value : null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** A request for the library: what the gateway checked, the client's address, and no other header. */
export function libraryRequest(
  origin: string,
  {
    method,
    path,
    query,
    headers,
    address,
    body,
  }: {
    method: string;
    /** Below AUTH_PATH. */
    path: string;
    query: URLSearchParams;
    headers: Readonly<Record<string, string>>;
    address: string;
    body: unknown;
  },
): Request {
  const url = new URL(`${AUTH_PATH}${path}`, origin);
  url.search = query.toString();
  return new Request(url, {
    method,
    headers: {
      ...headers,
      [ADDRESS_HEADER]: address,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
}
