import { describe, expect, test } from 'vitest';
import { domainFactsOf } from './domain-facts.ts';
import { parseEmail } from './email-address.ts';
import { mixesScripts } from './homographs.ts';

const imitatedBy = (domain: string) => domainFactsOf(parseEmail(`a@${domain}`).domain).homographOf;

describe('lookalikes of well-known domains', () => {
  test.each([
    ['аррӏе.com', 'apple.com'],
    ['xn--80ak6aa92e.com', 'apple.com'],
    ['XN--80AK6AA92E.com', 'apple.com'],
    ['раураӏ.com', 'paypal.com'],
    ['gmаil.com', 'gmail.com'],
    ['mail.gmаil.com', 'gmail.com'],
    ['gmaiI.com'.replace('I', 'ӏ'), 'gmail.com'],
    ['оutlооk.com', 'outlook.com'],
    ['yаhoo.com', 'yahoo.com'],
    ['g00gle.com', 'google.com'],
    ['paypa1.com', 'paypal.com'],
    ['rnicrosoft.com', 'microsoft.com'],
    ['out1ook.com', 'outlook.com'],
    ['netflíx.com', 'netflix.com'],
  ])('%s looks like %s', (domain, imitated) => expect(imitatedBy(domain)).toBe(imitated));

  test.each([
    'gmail.com',
    'apple.com',
    'mail.google.com',
    'bücher.de',
    'яндекс.рф',
    'пример.рф',
    'παράδειγμα.gr',
    '例え.jp',
    'münchen.de',
    'ol.com',
    '1and1.com',
    'gmail.de.com',
    'apple-pie.com',
    'acme-widgets.com',
  ])('%s is not a lookalike', (domain) => expect(imitatedBy(domain)).toBeNull());
});

test.each(['jаne', 'раypal', 'Αlpha', 'microsоft.support'])('%s mixes scripts', (text) => {
  expect(mixesScripts(text)).toBe(true);
});

test.each([
  'jane',
  'jörg.müller',
  'иван',
  'δοκιμή',
  'иван.smith',
  '田中taro',
  'ivan-иванов',
  'ユーザー名前',
  '',
  '123',
])('%s does not mix scripts within a word', (text) => expect(mixesScripts(text)).toBe(false));
