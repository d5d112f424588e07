import { expect, test } from 'vitest';
import countrySuffixes from '../data/country-suffixes.json' with { type: 'json' };
import mailHosts from '../data/disposable-mail-hosts.json' with { type: 'json' };
import imitatedDomains from '../data/imitated-domains.json' with { type: 'json' };
import letterPairs from '../data/letter-pairs.json' with { type: 'json' };
import mailComDomains from '../data/mail-com-domains.json' with { type: 'json' };
import mailboxDomains from '../data/mailbox-domains.json' with { type: 'json' };
import ownDomains from '../data/own-domains.json' with { type: 'json' };
import roleLocalParts from '../data/role-local-parts.json' with { type: 'json' };

const { counted, countedEarlier, reported, checked, shared } = mailHosts;

test.each<[string, readonly string[]]>([
  ['mail-com-domains.json', mailComDomains],
  ['imitated-domains.json', imitatedDomains],
  ['disposable-mail-hosts.json', [...counted, ...countedEarlier, ...reported].map(({ host }) => host)],
  ['checked of disposable-mail-hosts.json', checked],
  ['shared of disposable-mail-hosts.json', shared],
  ...Object.entries(ownDomains).map(([name, list]): [string, string[]] => [
    `${name} of own-domains.json`,
    list,
  ]),
  ...Object.entries(mailboxDomains).map(([name, list]): [string, string[]] => [
    `${name} of mailbox-domains.json`,
    list,
  ]),
])('%s contains domains in lower case, each once', (_name, domains) => {
  expect(domains.filter((domain) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))).toEqual([]);
  expect(domains.filter((domain, index) => domains.indexOf(domain) !== index)).toEqual([]);
});

test('own lists do not repeat the domains of mail.com, which code adds', () => {
  const repeated = [...ownDomains.neverDisposable, ...ownDomains.personal].filter((domain) =>
    mailComDomains.includes(domain),
  );
  expect(repeated).toEqual([]);
});

test('role-local-parts.json contains local parts in lower case, in order, each once', () => {
  expect(roleLocalParts.filter((word) => !/^[a-z-]+$/.test(word))).toEqual([]);
  expect(new Set(roleLocalParts).size).toBe(roleLocalParts.length);
  expect([...roleLocalParts].sort()).toEqual(roleLocalParts);
});

test('letter-pairs.json has a row of 26 digits for each letter, in order', () => {
  expect(Object.keys(letterPairs).join('')).toBe('abcdefghijklmnopqrstuvwxyz');
  expect(Object.values(letterPairs).filter((row) => !/^[0-9]{26}$/.test(row))).toEqual([]);
});

test('country-suffixes.json names each suffix once, by the code of its country', () => {
  const { generic, countries } = countrySuffixes;
  const suffixes = [...generic, ...Object.values(countries).flat()];
  expect(new Set(suffixes).size).toBe(suffixes.length);
  expect(Object.keys(countries).filter((code) => !/^[A-Z]{2}$/.test(code))).toEqual([]);
});
