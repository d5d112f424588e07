import { getPublicSuffix } from 'tldts';
import { expect, test } from 'vitest';
import { isListed, loadDomainLists } from './domain-lists.ts';
import { NEVER_DISPOSABLE } from './own-domains.ts';

test('lists are loaded once', () => {
  expect(loadDomainLists()).toBe(loadDomainLists());
});

test('a list covers only subdomains of its domains', () => {
  const list = new Set(['example.com']);
  for (const domain of ['example.com', 'a.example.com', 'a.b.example.com'])
    expect(isListed(list, domain)).toBe(true);
  for (const domain of ['badexample.com', 'com', 'example.com.evil.org'])
    expect(isListed(list, domain)).toBe(false);
});

test('no list names a public suffix', () => {
  const { disposable, personal } = loadDomainLists();
  for (const domain of ['pp.ua', 'msk.ru', 'f5.si', 'dynu.net', 'za.com', 'web.id']) {
    expect(getPublicSuffix(domain, { allowPrivateDomains: true })).toBe(domain);
    expect(isListed(disposable, domain)).toBe(false);
    expect(isListed(personal, domain)).toBe(false);
  }
});

test('the lists have the size that their packages document', () => {
  const { disposable, personal } = loadDomainLists();
  expect(disposable.size).toBeGreaterThan(50_000);
  expect(personal.size).toBeGreaterThan(15_000);
});

test('a never-disposable domain is in no list', () => {
  for (const domain of NEVER_DISPOSABLE) expect(isListed(loadDomainLists().disposable, domain)).toBe(false);
});
