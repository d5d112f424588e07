import fc from 'fast-check';
import { expect, test } from 'vitest';
import { changeEmailDomains, type EmailDomainsChange } from './email-domains.ts';
import { changeDomains, parseSettings } from './settings.ts';

const EMPTY = { disposableDomains: [], trustedDomains: [] };
const domains = (count: number, from = 0) => Array.from({ length: count }, (_, at) => `d${at + from}.com`);

test('domains are added in ASCII, once and in order, and removed in any spelling', () => {
  const added = changeEmailDomains(EMPTY, {
    addDisposable: ['Bücher.de', 'b.com', 'B.com'],
    addTrusted: ['a.com'],
  });
  expect(added).toEqual({ disposableDomains: ['b.com', 'xn--bcher-kva.de'], trustedDomains: ['a.com'] });
  expect(changeEmailDomains(added, { removeDisposable: ['BÜCHER.de', 'unknown.com'] })).toEqual({
    disposableDomains: ['b.com'],
    trustedDomains: ['a.com'],
  });
  expect(changeEmailDomains(added, { removeTrusted: ['a.com'], addDisposable: ['a.com'] })).toEqual({
    disposableDomains: ['a.com', 'b.com', 'xn--bcher-kva.de'],
    trustedDomains: [],
  });
});

test.each<[EmailDomainsChange, string, (string | number)[]]>([
  [
    { addDisposable: ['x.com', 'no domain'] },
    'addDisposable.1: must be a domain such as mail.example.com',
    ['addDisposable', 1],
  ],
  [{ addTrusted: ['co.uk'] }, 'addTrusted.0: must not be a public suffix', ['addTrusted', 0]],
  [{ removeTrusted: ['a@b.com'] }, 'removeTrusted.0: must be a domain', ['removeTrusted', 0]],
  [
    { addDisposable: ['x.com'], addTrusted: ['y.com', 'X.com'] },
    'addTrusted.1: must not also be in addDisposable',
    ['addTrusted', 1],
  ],
  [
    { addDisposable: ['trusted.com'] },
    'addDisposable.0: must not also be in trustedDomains',
    ['addDisposable', 0],
  ],
  [
    { addTrusted: ['disposable.com'] },
    'addTrusted.0: must not also be in disposableDomains',
    ['addTrusted', 0],
  ],
  [
    { addTrusted: ['x.com'], removeTrusted: ['x.com'] },
    'addTrusted.0: must not also be in removeTrusted',
    ['addTrusted', 0],
  ],
  [{ addTrusted: domains(1001) }, 'addTrusted: must have at most 1000 entries', ['addTrusted']],
  [{ addTrusted: domains(1000) }, 'addTrusted: must have at most 1000 entries', ['addTrusted']],
])('%.60j is rejected', (change, message, path) => {
  const stored = { disposableDomains: ['disposable.com'], trustedDomains: ['trusted.com'] };
  expect(() => changeEmailDomains(stored, change)).toThrow(
    expect.objectContaining({ message: expect.stringContaining(message), inputPath: path }),
  );
});

test('a change names the added and removed domains, and is empty without a difference', () => {
  const stored = changeDomains({ fakeFrom: 0.9 }, { addDisposable: ['a.com', 'b.com'] }).stored;
  expect(changeDomains(stored, { addDisposable: ['c.com'], removeDisposable: ['a.com'] })).toMatchObject({
    before: { disposableDomains: ['a.com'] },
    after: { disposableDomains: ['c.com'] },
    stored: { fakeFrom: 0.9, disposableDomains: ['b.com', 'c.com'] },
  });
  const same = changeDomains(stored, { addDisposable: ['A.com'], removeTrusted: ['a.com'] });
  expect([same.before, same.after]).toEqual([{}, {}]);
});

test('after any changes no domain is in both lists, and stored lists are read back', () => {
  const some = fc.array(fc.constantFrom('a.com', 'b.com', 'B.COM', 'ü.de', 'com', 'x'), { maxLength: 4 });
  const change = fc.record({
    addDisposable: some,
    removeDisposable: some,
    addTrusted: some,
    removeTrusted: some,
  });
  fc.assert(
    fc.property(fc.array(change, { maxLength: 5 }), (changes) => {
      let stored: unknown = {};
      for (const each of changes) {
        try {
          ({ stored } = changeDomains(stored, each));
        } catch {
          continue;
        }
        const { disposableDomains, trustedDomains } = parseSettings(stored);
        expect(disposableDomains.filter((domain) => trustedDomains.includes(domain))).toEqual([]);
        for (const list of [disposableDomains, trustedDomains])
          expect(list).toEqual([...new Set(list)].sort());
      }
    }),
  );
});
