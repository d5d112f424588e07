import { sha256 } from '@vouchgraph/platform/crypto';
import type { BetterAuthPlugin } from 'better-auth';
import { getOAuthState } from 'better-auth/api';
import { decodeJwt } from 'jose';
import { identityOf, type Provider } from './provider.ts';
import type { ProviderSignIn } from './provider-sign-in-service.ts';

/*
 * OpenID Connect providers as better-auth knows them. The library has the state, its cookie, PKCE and the nonce; the requests are
 * ours, because they must not reach the private network.
 */

/** What the gateway adds to the state of a sign-in. No request can set it. */
export type AddedState = {
  /** The provider that the sign-in was begun with. */
  readonly provider: string;
  /** Hash of the secret of an invitation, in base64url. */
  readonly invitation?: string;
};

export function providersPlugin(providers: readonly Provider[], signIn: ProviderSignIn): BetterAuthPlugin {
  const socialProviders = providers.map((provider) => asLibraryProvider(provider, signIn));
  return {
    id: 'vouchgraph-providers',
    init: () => ({ context: { socialProviders } as Record<string, unknown> }),
  };
}

function asLibraryProvider(provider: Provider, signIn: ProviderSignIn) {
  const { id, name, issuer } = provider;
  return {
    id,
    name,
    issuer,
    requiresIdTokenNonce: true,
    options: { disableSignUp: true },
    accountSubject: ({ profile }: { profile: { sub: string } }) => identityOf(issuer, profile.sub),
    createAuthorizationURL: (request: {
      state: string;
      codeVerifier: string;
      idTokenNonce: string;
      redirectURI: string;
    }) =>
      signIn.authorizationUrl(provider, {
        redirectUri: request.redirectURI,
        state: request.state,
        codeVerifier: request.codeVerifier,
        nonce: request.idTokenNonce,
      }),
    validateAuthorizationCode: async (answer: {
      code: string;
      codeVerifier: string;
      redirectURI: string;
    }) => {
      const state = (await getOAuthState()) as (AddedState & { idTokenNonce?: string; link?: object }) | null;
      if (state?.provider !== id || state.idTokenNonce === undefined) return null;
      const idToken = await signIn.complete(provider, {
        redirectUri: answer.redirectURI,
        code: answer.code,
        codeVerifier: answer.codeVerifier,
        nonce: state.idTokenNonce,
        invitation: state.invitation === undefined ? null : Buffer.from(state.invitation, 'base64url'),
        isLink: state.link !== undefined,
      });
      return { idToken };
    },
    // The token was checked when it was received.
    getUserInfo: async ({
      idToken,
      expectedIdTokenNonce,
    }: {
      idToken: string;
      expectedIdTokenNonce: string;
    }) => {
      const { sub, nonce } = decodeJwt(idToken);
      if (sub === undefined || nonce !== expectedIdTokenNonce) return null;
      return { user: withoutEmail(identityOf(issuer, sub)), data: { sub } };
    },
  };
}

/** The library compares people by email: it gets an address that no person can have. */
function withoutEmail(identity: string) {
  const email = `${sha256(identity).toString('hex')}@identity.invalid`;
  return { id: identity, name: '', email, emailVerified: false };
}
