import { expect, test } from 'vitest';
import { parseEmail } from '../email-address.ts';
import { createEmailProviders } from './email-providers.ts';
import {
  type EmailProvider,
  NOTHING_FOUND,
  type OfflineProvider,
  type ProviderAnswer,
  type ProviderKind,
} from './provider.ts';

const EMAIL = parseEmail('alice@example.com');
const BOTH = { breaches: true, profiles: true };

const found = (source: string): ProviderAnswer => ({
  isKnown: true,
  breaches: [{ source, date: null, trustWeight: 1, country: null, industry: null }],
  profiles: [],
});

function online(
  name: string,
  lookUp: EmailProvider['lookUp'],
  looksInto: ProviderKind[] = ['breaches'],
): EmailProvider {
  return { name, looksInto, isOnline: true, lookUp, status: () => statusOf(name), close() {} };
}

function offline(name: string, answer: () => ProviderAnswer): OfflineProvider {
  return { name, looksInto: ['breaches'], isOnline: false, lookUpNow: answer, status: () => statusOf(name) };
}

function statusOf(name: string) {
  const looksInto: ProviderKind[] = ['breaches'];
  const rest = { breaker: null, problem: null, asOf: null, entries: null };
  return { name, looksInto, isOnline: true, isAvailable: true, ...rest };
}

const hanging = (name: string) => online(name, () => new Promise(() => {}));

test('without providers all evidence is unknown', async () => {
  const providers = createEmailProviders();
  const nothing = { breaches: null, profiles: null, answered: [], failed: [] };
  expect(providers.isOnline).toBe(false);
  expect(await providers.lookUp(EMAIL, BOTH)).toEqual(nothing);
  expect(providers.lookUpOffline(EMAIL)).toEqual(nothing);
  expect(providers.status()).toEqual([]);
});

test('providers are called concurrently, and failed or timed-out ones are named', async () => {
  const providers = createEmailProviders({
    timeoutMs: 30,
    online: [
      hanging('hanging'),
      online('throwing', () => {
        throw new Error('secret');
      }),
      online('rejecting', () => Promise.reject(new Error('secret'))),
      online('unknown', async () => ({ isKnown: false, reason: 'rate_limited' })),
      online('answering', async () => found('Shop')),
    ],
    offline: () => [
      offline('data:broken', () => {
        throw new Error('EIO');
      }),
      offline('data:list', () => found('List')),
    ],
  });
  const evidence = await providers.lookUp(EMAIL, BOTH);
  expect(evidence).toMatchObject({
    breaches: [{ source: 'List' }, { source: 'Shop' }],
    profiles: null,
    answered: [
      { provider: 'answering', looked: ['breaches'] },
      { provider: 'data:list', looked: ['breaches'] },
    ],
    failed: ['data:broken', 'hanging', 'rejecting', 'throwing', 'unknown'],
  });
  expect(providers.lookUpOffline(EMAIL)).toMatchObject({
    breaches: [{ source: 'List' }],
    failed: ['data:broken'],
  });
});

test('the failure of the only provider of a kind makes the kind unknown', async () => {
  const providers = createEmailProviders({ timeoutMs: 10, online: [hanging('hibp')] });
  expect(await providers.lookUp(EMAIL, BOTH)).toEqual({
    breaches: null,
    profiles: null,
    answered: [],
    failed: ['hibp'],
  });
});

test('only providers of the requested kinds are called', async () => {
  const asked: string[] = [];
  const note = (name: string, kinds: ProviderKind[]) =>
    online(
      name,
      async () => {
        asked.push(name);
        return NOTHING_FOUND;
      },
      kinds,
    );
  const providers = createEmailProviders({
    online: [
      note('hibp', ['breaches']),
      note('gravatar', ['profiles']),
      note('all', ['profiles', 'breaches']),
    ],
  });
  const evidence = await providers.lookUp(EMAIL, { breaches: true, profiles: false });
  expect(asked.sort()).toEqual(['all', 'hibp']);
  expect(evidence).toMatchObject({ breaches: [], profiles: null });
  expect(evidence.answered).toEqual([
    { provider: 'all', looked: ['breaches'] },
    { provider: 'hibp', looked: ['breaches'] },
  ]);
});

test('an invalid address is not looked up', async () => {
  const providers = createEmailProviders({
    online: [online('hibp', async () => found('x'))],
    offline: () => [offline('data:list', () => found('x'))],
  });
  const invalid = parseEmail('not an address');
  expect(await providers.lookUp(invalid, BOTH)).toMatchObject({ breaches: null, answered: [], failed: [] });
  expect(providers.lookUpOffline(invalid)).toMatchObject({ breaches: null, answered: [], failed: [] });
});

test('a caller that cancels receives the results so far, and the request to the provider is aborted', async () => {
  const leaving = new AbortController();
  const seen = Promise.withResolvers<AbortSignal>();
  const providers = createEmailProviders({
    online: [
      online('hibp', (_email, { signal }) => {
        seen.resolve(signal);
        return new Promise(() => {});
      }),
    ],
    offline: () => [offline('data:list', () => found('List'))],
  });
  const evidence = providers.lookUp(EMAIL, BOTH, leaving.signal);
  const signal = await seen.promise;
  leaving.abort();
  expect(await evidence).toMatchObject({ breaches: [{ source: 'List' }], failed: ['hibp'] });
  expect(signal.aborted).toBe(true);
  expect(await providers.lookUp(EMAIL, BOTH, AbortSignal.abort())).toMatchObject({ failed: ['hibp'] });
});

test('closing cancels lookups, closes every provider and rejects further calls', async () => {
  const closed: string[] = [];
  const closing = (name: string): EmailProvider => ({
    ...hanging(name),
    close() {
      closed.push(name);
      if (name === 'a') throw new Error('cannot close');
    },
  });
  const providers = createEmailProviders({
    online: [closing('a'), closing('b')],
    offline: () => [offline('data:list', () => found('List'))],
    onClose: () => void closed.push('folder'),
  });
  const evidence = providers.lookUp(EMAIL, BOTH);
  await providers.close();
  expect(await evidence).toMatchObject({ failed: ['a', 'b'] });
  expect(closed).toEqual(['folder', 'a', 'b']);
  expect(await providers.lookUp(EMAIL, BOTH)).toMatchObject({ breaches: null, failed: ['a', 'b'] });
  expect(providers.lookUpOffline(EMAIL)).toMatchObject({ breaches: null, answered: [] });
});
