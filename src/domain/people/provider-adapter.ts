import { AppError } from '@vouchgraph/platform/errors';
import * as oidc from 'openid-client';
import { RefusedAddress, UnknownName } from '../outbound/guarded-agent-adapter.ts';
import { type Claims, claimValues, type Provider } from './provider.ts';
import type { ProviderFetch } from './provider-fetch-adapter.ts';

/* The protocol with OpenID Connect providers (openid-client): discovery, authorization code with PKCE and nonce, ID token. */

/** A provider could not be used. `reason` is a word for logs and commands, without anything that the provider sent. */
export class ProviderError extends AppError {
  readonly reason: string;

  constructor(reason: string) {
    super('provider.unavailable', 'unavailable', 'The provider of the sign-in cannot be used at the moment');
    this.reason = reason;
  }
}

/** Who signed in at the provider. */
export type Authenticated = { readonly subject: string; readonly claims: Claims; readonly idToken: string };

export type ProviderClient = {
  /** Reads the metadata of the provider. Returns its endpoints. */
  check(provider: Provider): Promise<{ authorizationEndpoint: string; tokenEndpoint: string }>;
  /** URL of the provider at which a person signs in. */
  authorizationUrl(
    provider: Provider,
    request: { redirectUri: string; state: string; codeVerifier: string; nonce: string },
  ): Promise<URL>;
  /** Exchanges a code. The ID token is checked: signature, issuer, audience, times, nonce. */
  exchange(
    provider: Provider,
    answer: { redirectUri: string; code: string; codeVerifier: string; nonce: string },
    /** Names of claims that are needed; read from the userinfo endpoint where the ID token does not contain them. */
    neededClaims: readonly string[],
  ): Promise<Authenticated>;
};

/** Metadata and keys of a provider are used for this long. */
const DISCOVERY_MS = 10 * 60_000;
const TIMEOUT_SECONDS = 10;

/** The methods reject with ProviderError. `now`: milliseconds. */
export function createProviderClient(fetch: ProviderFetch, now: () => number): ProviderClient {
  const discovered = new Map<string, { at: number; configuration: Promise<oidc.Configuration> }>();

  function configurationOf(provider: Provider): Promise<oidc.Configuration> {
    const key = JSON.stringify([provider.issuer, provider.clientId, provider.clientSecret]);
    const known = discovered.get(key);
    if (known && now() - known.at < DISCOVERY_MS) return known.configuration;
    const configuration = discover(provider, fetch);
    // Old entries of changed providers go too; a failure is not kept.
    for (const [each, { at }] of discovered) if (now() - at >= DISCOVERY_MS) discovered.delete(each);
    discovered.set(key, { at: now(), configuration });
    configuration.catch(() => discovered.delete(key));
    return configuration;
  }

  return {
    async check(provider) {
      const metadata = (await explained(discover(provider, fetch))).serverMetadata();
      return {
        authorizationEndpoint: metadata.authorization_endpoint ?? '',
        tokenEndpoint: metadata.token_endpoint ?? '',
      };
    },
    async authorizationUrl(provider, { redirectUri, state, codeVerifier, nonce }) {
      const configuration = await explained(configurationOf(provider));
      return oidc.buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: provider.scopes.join(' '),
        state,
        nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
      });
    },
    exchange: async (provider, answer, neededClaims) =>
      explained(exchange(await explained(configurationOf(provider)), answer, neededClaims)),
  };
}

async function discover(
  { issuer, clientId, clientSecret }: Provider,
  fetch: ProviderFetch,
): Promise<oidc.Configuration> {
  const isInsecure = issuer.startsWith('http:');
  const configuration = await oidc.discovery(
    new URL(issuer),
    clientId,
    undefined,
    clientSecret === null ? oidc.None() : clientSecretAuth(clientSecret),
    {
      [oidc.customFetch]: (url, options) => fetch(url, options as Parameters<ProviderFetch>[1]),
      timeout: TIMEOUT_SECONDS,
      // The fetch decides where http is possible.
      execute: [oidc.enableNonRepudiationChecks, ...(isInsecure ? [oidc.allowInsecureRequests] : [])],
    },
  );
  const { issuer: stated, authorization_endpoint: authorizationEndpoint } = configuration.serverMetadata();
  // The issuer is half of each identity. The library accepts another one for an address of metadata, and one for many tenants.
  if (stated !== issuer) throw new ProviderError('issuer_mismatch');
  // Browsers are sent there: a script or a file is no page.
  const isPage = /^https?:\/\//.test(authorizationEndpoint ?? '');
  if (!isPage) throw new ProviderError('no_authorization_endpoint');
  return configuration;
}

/** In the header, or in the body for a provider that accepts nothing else. */
function clientSecretAuth(secret: string): oidc.ClientAuth {
  const basic = oidc.ClientSecretBasic(secret);
  const post = oidc.ClientSecretPost(secret);
  return (metadata, ...rest) => {
    const supported = metadata.token_endpoint_auth_methods_supported;
    const isPostOnly =
      supported?.includes('client_secret_post') && !supported.includes('client_secret_basic');
    return (isPostOnly ? post : basic)(metadata, ...rest);
  };
}

async function exchange(
  configuration: oidc.Configuration,
  { redirectUri, code, codeVerifier, nonce }: Parameters<ProviderClient['exchange']>[1],
  neededClaims: readonly string[],
): Promise<Authenticated> {
  const url = new URL(redirectUri);
  const { issuer } = configuration.serverMetadata();
  // The caller has compared `state` and a returned `iss`; each provider has a redirect URI of its own.
  url.search = new URLSearchParams({ code, iss: issuer }).toString();
  const tokens = await oidc.authorizationCodeGrant(configuration, url, {
    pkceCodeVerifier: codeVerifier,
    expectedNonce: nonce,
    idTokenExpected: true,
  });
  const claims = tokens.claims()!;
  const isComplete = neededClaims.every((claim) => claimValues(claims, claim).length > 0);
  const further =
    isComplete || configuration.serverMetadata().userinfo_endpoint === undefined
      ? {}
      : await oidc.fetchUserInfo(configuration, tokens.access_token, claims.sub);
  return { subject: claims.sub, claims: { ...further, ...claims }, idToken: tokens.id_token! };
}

async function explained<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof ProviderError ? error : new ProviderError(reasonOf(error));
  }
}

/** Errors of OAuth and of the library, as their closed words; nothing else of a provider's answer. */
function reasonOf(error: unknown): string {
  const chain: Error[] = [];
  for (let each = error; each instanceof Error && chain.length < 10; each = each.cause) chain.push(each);
  if (chain.some((each) => each instanceof RefusedAddress)) return 'address_refused';
  if (chain.some((each) => each instanceof UnknownName)) return 'unknown_name';
  if (chain.some(({ name }) => name === 'TimeoutError')) return 'timeout';
  const refused = chain.find((each) => each instanceof oidc.ResponseBodyError);
  if (refused && /^[a-z_]{1,40}$/.test(refused.error)) return refused.error;
  const codes = chain.map((each) => String((each as { code?: unknown }).code ?? ''));
  return codes.find((code) => /^OAUTH_[A-Z_]{1,60}$/.test(code))?.toLowerCase() ?? 'unreachable';
}
