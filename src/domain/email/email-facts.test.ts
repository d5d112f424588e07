import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeEmail } from './email-facts.ts';

test('an empty address says nothing', () => {
  expect(describeEmail('')).toEqual({
    email: '',
    valid: false,
    disposable: false,
    personal: false,
    domainType: '',
    trustSignals: [],
    riskSignals: [],
    emailScore: 0,
  });
});

test('an invalid address is said to be so, and nothing is said of its domain', () => {
  for (const email of ['a@b.invalidtld', 'nonsense', 'x..y@mailinator.com']) {
    expect(describeEmail(email)).toMatchObject({
      email,
      valid: false,
      disposable: false,
      domainType: '',
      riskSignals: ['invalid_email'],
      emailScore: 0.5,
    });
  }
});

test.each([
  'mailinator.com',
  'sub.mailinator.com',
  'yopmail.com',
  'guerrillamail.com',
  '10minutemail.com',
  'temp-mail.org',
])('%s is disposable and personal', (domain) => {
  expect(describeEmail(`jane@${domain}`)).toMatchObject({
    disposable: true,
    personal: true,
    domainType: 'personal',
    riskSignals: ['disposable_email'],
    emailScore: 0.7,
  });
});

test.each(['duck.com', 'privaterelay.appleid.com', 'mozmail.com', 'jane.33mail.com', 'opayq.com'])(
  '%s is a relay and not disposable',
  (domain) => {
    expect(describeEmail(`jane@${domain}`)).toMatchObject({
      disposable: false,
      personal: false,
      domainType: 'relay',
      riskSignals: ['relay_email'],
    });
  },
);

test.each([
  'nasa.gov',
  'army.mil',
  'service.gov.uk',
  'gov.uk',
  'interieur.gouv.fr',
  'mofa.go.jp',
  'tc.gc.ca',
  'bmf.gv.at',
  'seco.admin.ch',
  'ec.europa.eu',
  'doe.state.tx.us',
])('%s is government', (domain) => {
  expect(describeEmail(`jane@${domain}`)).toMatchObject({
    domainType: 'government',
    trustSignals: ['government_domain'],
    emailScore: -0.5,
  });
});

test.each([
  'nus.edu.sg',
  'mit.edu',
  'cs.ox.ac.uk',
  'u-tokyo.ac.jp',
  'uw.edu.pl',
  'sydney.edu.au',
  'x.k12.ca.us',
])('%s is education and not disposable', (domain) => {
  expect(describeEmail(`jane@${domain}`)).toMatchObject({
    disposable: false,
    domainType: 'education',
    trustSignals: ['education_domain'],
    riskSignals: [],
    emailScore: -0.3,
  });
});

test.each([
  'gmail.com',
  'googlemail.com',
  'zoho.com',
  'hushmail.com',
  'proton.me',
  'tutanota.com',
  'qq.com',
  'sdf.org',
])('%s is personal and neutral', (domain) => {
  expect(describeEmail(`jane.doe@${domain}`)).toMatchObject({
    disposable: false,
    personal: true,
    domainType: 'personal',
    riskSignals: [],
    trustSignals: [],
    emailScore: 0,
  });
});

test.each(['acme-widgets.com', 'gov.example-shop.de', 'foo.ac', 'shop.pp.ua', 'jane.dynu.net', 'x.mil.pl'])(
  '%s is business and neutral',
  (domain) => {
    expect(describeEmail(`jane@${domain}`)).toMatchObject({
      domainType: 'business',
      disposable: false,
      emailScore: 0,
    });
  },
);

test('a throw-away mailbox under an academic suffix is not a university', () => {
  expect(describeEmail('jane@temp-mail.edu.rs')).toMatchObject({
    disposable: true,
    domainType: 'personal',
    trustSignals: [],
  });
});

describe('signals of the local part', () => {
  test('a tag is an alias', () => {
    expect(describeEmail('jane+shop@gmail.com')).toMatchObject({
      riskSignals: ['email_alias'],
      emailScore: 0.15,
    });
  });

  test('a role is one under any spelling', () => {
    expect(describeEmail('Billing@acme-widgets.com').riskSignals).toEqual(['role_account']);
    expect(describeEmail('billing+eu@acme-widgets.com').riskSignals).toEqual(['email_alias', 'role_account']);
    expect(describeEmail('bill@acme-widgets.com').riskSignals).toEqual([]);
  });
});

test('the score has the sign of its evidence and stays within its range', () => {
  const domain = fc.constantFrom(
    'gmail.com',
    'nasa.gov',
    'mit.edu',
    'mailinator.com',
    'duck.com',
    'acme-widgets.com',
  );
  const local = fc.constantFrom('jane', 'info', 'info+x', 'jane-x', 'j.a.n.e', 'a b');
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.tuple(local, domain).map((parts) => parts.join('@')),
      ),
      (email) => {
        const { riskSignals, trustSignals, emailScore } = describeEmail(email);
        expect(Math.abs(emailScore)).toBeLessThanOrEqual(1);
        if (riskSignals.length === 0) expect(emailScore).toBeLessThanOrEqual(0);
        if (trustSignals.length === 0) expect(emailScore).toBeGreaterThanOrEqual(0);
        if (riskSignals.length + trustSignals.length === 0) expect(emailScore).toBe(0);
      },
    ),
  );
});
