import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Provider } from 'oidc-provider';
import { unique } from './gateway.ts';

/** Claims of an account at the provider, besides its subject. */
type AccountClaims = { email?: string; groups?: readonly string[] };

/** A real OpenID Connect provider on this machine. */
export type OidcProvider = {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** Claims by subject. Everyone can sign in with any subject. */
  readonly accounts: Map<string, AccountClaims>;
  /** Registers the redirect URI of its client. */
  register(redirectUri: string): void;
  close(): Promise<void>;
};

/** Signs in at a provider as its page does. Returns the address to which it leads back. */
export async function signInAt(authorizationUrl: string, subject: string): Promise<string> {
  const cookies = new Map<string, string>();
  const home = new URL(authorizationUrl).origin;
  let url = authorizationUrl;
  let body: URLSearchParams | undefined;
  // Page of the provider, its form, its answer.
  for (let left = 10; url.startsWith(home); left -= 1) {
    if (left === 0) throw new Error(`The provider does not lead back: ${url}`);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      method: body ? 'POST' : 'GET',
      body,
      redirect: 'manual',
      headers: { cookie },
    });
    for (const text of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null && answer.status !== 200)
      throw new Error(`${answer.status} ${await answer.text()}`);
    body = location === null ? new URLSearchParams({ subject }) : undefined;
    url = new URL(location ?? url, url).href;
  }
  return url;
}

/** Starts a provider whose sign-in page asks for a subject. Consent is given at once. */
export async function startOidcProvider(): Promise<OidcProvider> {
  const accounts = new Map<string, AccountClaims>();
  const [clientId, clientSecret] = [unique('client'), unique('secret')];
  let provider: Provider;
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/interaction/')) void interact(provider, request, response);
    else provider.callback()(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  const register = (redirectUri: string) => {
    provider = createProvider(issuer, { clientId, clientSecret, redirectUri, accounts });
  };
  register('http://localhost/before-registration');
  return {
    ...{ issuer, clientId, clientSecret, accounts, register },
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

type Client = Pick<OidcProvider, 'clientId' | 'clientSecret' | 'accounts'> & { redirectUri: string };

function createProvider(issuer: string, { clientId, clientSecret, redirectUri, accounts }: Client): Provider {
  return new Provider(issuer, {
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
      },
    ],
    cookies: { keys: [unique('key')] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], groups: ['groups'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, interaction) => `/interaction/${interaction.uid}` },
    pkce: { required: () => true },
    // Without functions of its own the provider prints hints.
    ttl: {
      Interaction: 600,
      Grant: 600,
      Session: 600,
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
    },
    findAccount: (_context, subject) => ({
      accountId: subject,
      claims: () => ({ sub: subject, email_verified: true, ...accounts.get(subject) }),
    }),
    async loadExistingGrant({ oidc }) {
      const { Grant } = oidc.provider;
      const grant = new Grant({ clientId, accountId: oidc.session!.accountId! });
      grant.addOIDCScope('openid email groups');
      await grant.save();
      return grant;
    },
  });
}

async function interact(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (request.method === 'GET') {
    response.setHeader('content-type', 'text/html').end(
      `<!doctype html><title>Provider</title><form method="post"><label>Subject <input name="subject"></label>
       <button>Continue</button></form>`,
    );
    return;
  }
  const accountId = new URLSearchParams(await text(request)).get('subject')!;
  await provider.interactionFinished(request, response, { login: { accountId } });
}
