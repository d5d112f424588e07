import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Provider } from '../../../src/domain/people/provider.ts';
import { createProviderClient, ProviderError } from '../../../src/domain/people/provider-adapter.ts';
import {
  createProviderFetch,
  type ProviderFetch,
} from '../../../src/domain/people/provider-fetch-adapter.ts';

/* Answers that no honest provider gives, from a server that says what a test wants. */

type Answer = { status?: number; body?: unknown; location?: string; encoding?: string };

let server: Server;
let provider: Provider;
let answers: Record<string, Answer>;
let asked: string[];
let fetch: ProviderFetch;
let keys: Awaited<ReturnType<typeof generateKeyPair>>;

beforeAll(async () => {
  keys = await generateKeyPair('RS256');
  server = createServer((request, response) => {
    asked.push(request.url!);
    const { status = 200, body = {}, location, encoding } = answers[request.url!] ?? { status: 404 };
    const headers = {
      'content-type': 'application/json',
      ...(location && { location }),
      ...(encoding && { 'content-encoding': encoding }),
    };
    const text = JSON.stringify(body);
    response.writeHead(location ? 302 : status, headers).end(encoding ? gzipSync(text) : text);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  provider = { id: 'x', name: 'X', issuer, clientId: 'client', clientSecret: 'secret', scopes: ['openid'] };
  fetch = createProviderFetch({ resolve: async () => ['10.0.0.1'], allowsLoopback: true });
});
afterAll(async () => {
  await fetch.close();
  server.close();
});
beforeEach(async () => {
  asked = [];
  const { issuer } = provider;
  answers = {
    '/.well-known/openid-configuration': {
      body: {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/keys`,
      },
    },
    '/keys': { body: { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'one', alg: 'RS256' }] } },
  };
});

const ANSWER = {
  redirectUri: 'http://localhost/callback',
  code: 'code',
  codeVerifier: 'v'.repeat(43),
  nonce: 'nonce',
};
const client = () => createProviderClient(fetch, Date.now);
const reasonOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (error: unknown) => (error instanceof ProviderError ? error.reason : String(error)),
  );
const exchange = () => reasonOf(client().exchange(provider, ANSWER, []));

/** An answer of the token endpoint with an ID token of these claims. */
async function tokens(claims: object, { privateKey } = keys, alg = 'RS256'): Promise<Answer> {
  const now = Math.floor(Date.now() / 1000);
  const base = { iss: provider.issuer, aud: 'client', sub: 'ada', nonce: 'nonce', iat: now, exp: now + 60 };
  const idToken = await new SignJWT({ ...base, ...claims })
    .setProtectedHeader({ alg, kid: 'one' })
    .sign(privateKey);
  return { body: { access_token: 'a', token_type: 'bearer', id_token: idToken } };
}

describe('an ID token', () => {
  it('of the provider for this sign-in is accepted', async () => {
    answers['/token'] = await tokens({});
    expect(await exchange()).toBe('accepted');
  });

  it.each([
    ['another sign-in', { nonce: 'other' }],
    ['another client', { aud: 'other' }],
    ['another issuer', { iss: 'https://example.com' }],
    ['the past', { exp: 1_000_000 }],
    ['nobody', { sub: undefined }],
  ])('of %s is refused', async (_name, claims) => {
    answers['/token'] = await tokens(claims);
    expect(await exchange()).toMatch(/^oauth_/);
  });

  it('with a signature of another key, without a signature, or missing is refused', async () => {
    answers['/token'] = await tokens({}, await generateKeyPair('RS256'));
    expect(await exchange()).toMatch(/^oauth_/);
    const { body } = (await tokens({})) as { body: { id_token: string } };
    const [, payload] = body.id_token.split('.');
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    answers['/token'] = { body: { ...body, id_token: `${none}.${payload}.` } };
    expect(await exchange()).toMatch(/^oauth_/);
    answers['/token'] = { body: { access_token: 'a', token_type: 'bearer' } };
    expect(await exchange()).toMatch(/^oauth_/);
  });
});

describe('a provider', () => {
  it('that refuses a code is named with its error alone', async () => {
    answers['/token'] = {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'ada@example.com' },
    };
    expect(await exchange()).toBe('invalid_grant');
    answers['/token'] = { status: 400, body: { error: 'ada@example.com' } };
    expect(await exchange()).not.toContain('ada');
  });

  it.each([
    ['http://10.0.0.1/token', 'address_refused'],
    // Resolves to an address of a private network.
    ['https://public.example.com/token', 'address_refused'],
    ['http://public.example.com/token', 'address_refused'],
    ['file:///etc/passwd', 'oauth_request_protocol_forbidden'],
  ])('whose token endpoint is %s is not asked', async (endpoint, reason) => {
    const { body } = answers['/.well-known/openid-configuration']!;
    answers['/.well-known/openid-configuration'] = {
      body: { ...(body as object), token_endpoint: endpoint },
    };
    expect(await exchange()).toBe(reason);
  });

  it('that redirects is not followed', async () => {
    answers['/token'] = { location: `${provider.issuer}/elsewhere` };
    expect(await exchange()).not.toBe('accepted');
    expect(asked).not.toContain('/elsewhere');
  });

  it('that compresses its answers is not read: they could become longer', async () => {
    answers['/.well-known/openid-configuration']!.encoding = 'gzip';
    expect(await reasonOf(client().check(provider))).toBe('unreachable');
  });

  it('whose metadata has another address than the issuer is refused', async () => {
    const issuer = `${provider.issuer}/.well-known/openid-configuration`;
    expect(await reasonOf(client().check({ ...provider, issuer }))).toBe('issuer_mismatch');
  });

  it('with metadata of another issuer, or a script as its page, is refused', async () => {
    const { body } = answers['/.well-known/openid-configuration']!;
    const check = () => reasonOf(client().check(provider));
    answers['/.well-known/openid-configuration'] = {
      body: { ...(body as object), issuer: 'https://example.com' },
    };
    expect(await check()).toMatch(/^oauth_/);
    answers['/.well-known/openid-configuration'] = {
      body: { ...(body as object), authorization_endpoint: 'javascript:alert(1)' },
    };
    expect(await check()).not.toBe('accepted');
  });

  it('with a longer answer than a megabyte is not read to its end', async () => {
    const { body } = answers['/.well-known/openid-configuration']!;
    const check = (text: string) => {
      answers['/.well-known/openid-configuration'] = { body: { ...(body as object), text } };
      return reasonOf(client().check(provider));
    };
    expect(await check('x'.repeat(900_000))).toBe('accepted');
    expect(await check('x'.repeat(1_100_000))).toBe('oauth_parse_error');
  });

  it('on this machine is refused where loopback is', async () => {
    const strict = createProviderFetch({ resolve: async () => ['127.0.0.1'], allowsLoopback: false });
    expect(await reasonOf(createProviderClient(strict, Date.now).check(provider))).toBe('address_refused');
    const named = { ...provider, issuer: 'https://public.example.com' };
    expect(await reasonOf(createProviderClient(strict, Date.now).check(named))).toBe('address_refused');
    expect(asked).toEqual([]);
    await strict.close();
  });
});
