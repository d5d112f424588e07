import { expect, test } from 'vitest';
import { classifyDomain } from './email-classes.ts';
import { MAIL_COM_DOMAINS } from './mail-com-domains.ts';

test.each([
  'psu.edu',
  'alumni.stanford.edu',
  'bit.edu.cn',
  'oshtu.edu.kg',
  'anything.edu.kg',
  'anything.edu.pl',
  'anything.school.nz',
])('%s is education by its name, which does not make its mailboxes trusted', (domain) => {
  expect(classifyDomain(domain)).toEqual({ type: 'education', disposable: false, vouches: false });
});

test.each(['uw.edu.pl', 'auckland.ac.nz', 'sydney.edu.au', 'ethz.ch', 'korea.hs.kr', 'school.ort.org.il'])(
  '%s vouches for the owner of a mailbox',
  (domain) => {
    expect(classifyDomain(domain)).toEqual({ type: 'education', disposable: false, vouches: true });
  },
);

test.each(['chat.ru', 'berlin.de', 'vnn.vn'])(
  '%s is a public provider, even when a school had its mail there',
  (domain) => {
    expect(classifyDomain(domain)).toMatchObject({ type: 'personal', vouches: false });
  },
);

test.each(['web.id', 'za.com', 'msk.ru', 'f5.si', 'pp.ua', 'dynu.net'])(
  'a domain registered under %s is not disposable because of it',
  (suffix) => {
    expect(classifyDomain(suffix).disposable).toBe(false);
    expect(classifyDomain(`honest-shop.${suffix}`)).toEqual({
      type: 'business',
      disposable: false,
      vouches: false,
    });
  },
);

test.each(['salud.gob.mx', 'mod.gov.sg', 'moe.gov.sa', 'boj.go.kr', 'defense.mil', 'met.police.uk'])(
  '%s is government even when a list of schools contains it',
  (domain) => {
    expect(classifyDomain(domain)).toEqual({ type: 'government', disposable: false, vouches: true });
  },
);

test.each([
  'ac.gg',
  'school.id.ac',
  'gov.acme-widgets.com',
  'edu.acme-widgets.com',
  'mit.edu.acme-widgets.com',
])('%s has a name that anyone may register', (domain) => {
  expect(classifyDomain(domain)).toEqual({ type: 'business', disposable: false, vouches: false });
});

test('every domain of mail.com is a provider of personal mailboxes', () => {
  expect(new Set(MAIL_COM_DOMAINS).size).toBe(MAIL_COM_DOMAINS.length);
  for (const domain of MAIL_COM_DOMAINS) {
    expect([domain, classifyDomain(domain)]).toEqual([
      domain,
      { type: 'personal', disposable: false, vouches: false },
    ]);
  }
});
