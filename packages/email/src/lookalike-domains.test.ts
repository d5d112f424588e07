import { expect, test } from 'vitest';
import { loadDomainLists } from './domain-lists.ts';
import { lookalikesOf } from './lookalike-domains.ts';

const { lookalikes } = loadDomainLists();

test.each([
  'gmial.com',
  'gamil.com',
  'gmai.com',
  'gmal.com',
  'gmaill.com',
  'gnail.com',
  'gmail.co',
  'gmail.cm',
  'hotmial.com',
  'hotnail.com',
  'hotmal.com',
  'yaho.com',
  'yahooo.com',
  'yhaoo.com',
  'outlok.com',
  'outloook.com',
  'iclod.com',
  'icluod.com',
  'protonmial.com',
  'yadnex.ru',
])('%s is a lookalike of a large provider', (domain) => expect(lookalikes.has(domain)).toBe(true));

test.each([
  'gmail.com',
  'googlemail.com',
  'yahoo.com',
  'yahoo.co.uk',
  'ymail.com',
  'email.com',
  'mail.com',
  'gmx.com',
  'hotmail.fr',
  'outlook.de',
  'outlook.cz',
  'cloud.com',
  'grail.com',
  'gmail.acme-widgets.com',
  'protonmail.ch',
  'yandex.kz',
])('%s is not a lookalike', (domain) => expect(lookalikes.has(domain)).toBe(false));

test('a typing error that is itself a provider is not a lookalike', () => {
  expect(lookalikesOf(new Set(['gmial.com'])).has('gmial.com')).toBe(false);
});
