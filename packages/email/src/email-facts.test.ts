import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { describeEmail } from './email-facts.ts';

test('an empty address has no facts', () => {
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

test('an invalid address is reported as invalid and undeliverable', () => {
  for (const email of ['nonsense', 'x..y@mailinator.com', 'a b@gmial.com', 'a@127.0.0.1', 'a@[127.0.0.1]']) {
    expect(describeEmail(email)).toMatchObject({
      email,
      valid: false,
      disposable: false,
      domainType: 'inactive',
      riskSignals: ['invalid_email'],
      emailScore: 0.5,
    });
  }
});

test.each(['a@b.invalidtld', 'a@localhost', 'a@gmail.con', 'a@b.нетакого', 'x..y@b.invalidtld'])(
  'the domain of %s cannot be registered',
  (email) => {
    expect(describeEmail(email)).toMatchObject({
      valid: false,
      domainType: 'inactive',
      riskSignals: ['invalid_email', 'unregistrable_domain'],
      emailScore: 0.55,
    });
  },
);

test.each([
  'mailinator.com',
  'Sub.MAILINATOR.com',
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

test.each(['duck.com', 'privaterelay.appleid.com', 'mozmail.com', '33mail.com', 'opayq.com'])(
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
  'ethz.ch',
  'student.uva.nl',
  'tum.de',
  'uio.no',
  'sorbonne-universite.fr',
  'korea.hs.kr',
  'auckland.ac.nz',
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
  expect(describeEmail(`janedoe@${domain}`)).toMatchObject({
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

test('a disposable mailbox under an academic suffix is not education', () => {
  expect(describeEmail('jane@temp-mail.edu.rs')).toMatchObject({
    disposable: true,
    domainType: 'personal',
    trustSignals: [],
  });
});

test('an international domain is read in its ASCII form', () => {
  const facts = describeEmail('jane@bücher-müller.de');
  expect(facts).toMatchObject({ valid: true, domainType: 'business', riskSignals: [], emailScore: 0 });
  expect(describeEmail('jane@xn--bcher-mller-thbg.de')).toEqual({
    ...facts,
    email: 'jane@xn--bcher-mller-thbg.de',
  });
});

test.each(['gmial.com', 'yaho.com', 'outlook.co'])(
  '%s is one typing error away from a large provider',
  (domain) => {
    expect(describeEmail(`jane@${domain}`).riskSignals).toContain('lookalike_domain');
    expect(describeEmail(`jane@sub.${domain}`).riskSignals).not.toContain('lookalike_domain');
  },
);

describe('a domain without mail', () => {
  const inactive = (domain: string) => describeEmail(`jane.doe@${domain}`, { mailExchange: 'none' });

  test('is inactive, and the syntax of the address stays valid', () => {
    expect(inactive('acme-widgets.com')).toMatchObject({
      valid: true,
      domainType: 'inactive',
      riskSignals: ['inactive_domain'],
      emailScore: 0.5,
    });
  });

  test('gets no trust from the name of an institution', () => {
    for (const domain of ['no-such-agency.gov', 'no-such-college.edu'])
      expect(inactive(domain)).toMatchObject({ domainType: 'inactive', trustSignals: [], emailScore: 0.5 });
  });

  test('keeps the class of the lists', () => {
    expect(inactive('mailinator.com')).toMatchObject({
      disposable: true,
      personal: true,
      domainType: 'inactive',
      riskSignals: ['disposable_email', 'inactive_domain'],
    });
  });

  test('is not reported when the syntax is invalid or no source answers', () => {
    expect(describeEmail('nonsense', { mailExchange: 'none' })).toEqual(describeEmail('nonsense'));
    for (const mailExchange of ['accepts', 'unknown'] as const) {
      expect(describeEmail('jane@acme-widgets.com', { mailExchange })).toEqual(
        describeEmail('jane@acme-widgets.com'),
      );
    }
  });
});

describe('other facts', () => {
  const at = new Date('2026-06-01T00:00:00Z');
  const history = { firstSeen: new Date('2020-01-01T00:00:00Z'), sightings: 20 };

  test('a long history adds trust', () => {
    expect(describeEmail('jane@gmail.com', { history, at })).toMatchObject({
      trustSignals: ['email_age_greater_than_5_years', 'email_known_online_history'],
      riskSignals: [],
      emailScore: -0.3625,
    });
  });

  test('no signal of age exists without a history or a time', () => {
    for (const context of [{}, { at }, { history }, { at, history: { firstSeen: null, sightings: 0 } }])
      expect(describeEmail('jane@gmail.com', context)).toEqual(describeEmail('jane@gmail.com'));
  });

  test('a name match in the address adds little trust, and another name none', () => {
    const facts = (firstName: string, lastName: string) =>
      describeEmail('Jane.Doe+shop@gmail.com', { names: { firstName, lastName } });
    expect(facts('Jane', 'Doe')).toMatchObject({ trustSignals: ['email_matches_name'], emailScore: 0.1 });
    for (const other of [facts('Maria', 'García'), facts('', ''), facts('Jane', '')])
      expect(other).toMatchObject({ trustSignals: [], emailScore: 0.15 });
  });

  test('an invalid address gets no trust signals', () => {
    const names = { firstName: 'Jane', lastName: 'Doe' };
    expect(describeEmail('jane.doe@b.invalidtld', { history, at, names }).trustSignals).toEqual([]);
    expect(describeEmail('', { history, at, names })).toMatchObject({ trustSignals: [], emailScore: 0 });
  });
});

describe('signals of the local part', () => {
  test('a tag is an alias', () => {
    expect(describeEmail('jane+shop@gmail.com')).toMatchObject({
      riskSignals: ['email_alias'],
      emailScore: 0.15,
    });
  });

  test('dots that the provider ignores are an alias, and dots of a name have zero weight', () => {
    for (const [email, emailScore] of [
      ['jane.doe@gmail.com', 0],
      ['j.m.doe@googlemail.com', 0],
      ['j.a.n.e@gmail.com', 0.15],
      ['jane.doe+shop@gmail.com', 0.15],
    ] as const) {
      expect(describeEmail(email)).toMatchObject({ riskSignals: ['email_alias'], emailScore });
    }
    for (const email of ['janedoe@gmail.com', 'jane.doe@yahoo.com', 'jane.doe@acme-widgets.com'])
      expect(describeEmail(email)).toMatchObject({ riskSignals: [], emailScore: 0 });
  });

  test('a role mailbox is detected in any spelling', () => {
    expect(describeEmail('Billing@acme-widgets.com').riskSignals).toEqual(['role_account']);
    expect(describeEmail('billing+eu@acme-widgets.com').riskSignals).toEqual(['email_alias', 'role_account']);
    expect(describeEmail('bill@acme-widgets.com').riskSignals).toEqual([]);
  });
});

describe('a random local part', () => {
  test('is a risk when the owner chose it', () => {
    expect(describeEmail('lbhqwoyrgdlnbf@gmail.com')).toMatchObject({
      riskSignals: ['random_local_part'],
      emailScore: 0.25,
    });
  });

  test('is no risk when a relay or an institution generated the address', () => {
    for (const domain of ['privaterelay.appleid.com', 'ethz.ch', 'nasa.gov'])
      expect(describeEmail(`lbhqwoyrgdlnbf@${domain}`).riskSignals).not.toContain('random_local_part');
  });
});

const domain = fc.constantFrom(
  'gmail.com',
  'nasa.gov',
  'mit.edu',
  'mailinator.com',
  'duck.com',
  'acme-widgets.com',
  'gmial.com',
);
const local = fc.constantFrom(
  'jane',
  'info',
  'info+x',
  'jane-x',
  'j.a.n.e',
  'a b',
  'lbhqwoyrgdlnbf',
  'janedoe',
);
const address = fc.oneof(
  fc.string(),
  fc.tuple(local, domain).map((parts) => parts.join('@')),
);
const context = fc.record(
  {
    mailExchange: fc.constantFrom('accepts', 'none', 'unknown'),
    history: fc.record({
      firstSeen: fc.option(fc.date({ noInvalidDate: true })),
      sightings: fc.nat(),
    }),
    names: fc.record({ firstName: fc.constantFrom('Jane', ''), lastName: fc.constantFrom('Doe', '') }),
    at: fc.date({ noInvalidDate: true }),
  },
  { requiredKeys: [] },
);

test('the score has the sign of its evidence and stays within its range', () => {
  fc.assert(
    fc.property(address, context, (email, known) => {
      const { riskSignals, trustSignals, emailScore } = describeEmail(email, known);
      expect(Math.abs(emailScore)).toBeLessThanOrEqual(1);
      if (riskSignals.length === 0) expect(emailScore).toBeLessThanOrEqual(0);
      if (trustSignals.length === 0) expect(emailScore).toBeGreaterThanOrEqual(0);
      if (riskSignals.length + trustSignals.length === 0) expect(emailScore).toBe(0);
    }),
  );
});

test('a dead domain never lowers the score, and a history or a name match never raises it', () => {
  fc.assert(
    fc.property(address, context, (email, known) => {
      const { emailScore } = describeEmail(email, known);
      const { history: _history, names: _names, ...without } = known;
      expect(describeEmail(email, { ...known, mailExchange: 'none' }).emailScore).toBeGreaterThanOrEqual(
        emailScore,
      );
      expect(describeEmail(email, without).emailScore).toBeGreaterThanOrEqual(emailScore);
    }),
  );
});

test('online presence is null without a lookup', () => {
  fc.assert(
    fc.property(address, context, (email, known) => {
      const { riskSignals, trustSignals } = describeEmail(email, known);
      expect([...riskSignals, ...trustSignals].filter((name) => name.includes('presence'))).toEqual([]);
    }),
  );
});
