import { createRequire } from 'node:module';
import { type EmailAssessment, type EmailEvidence, NO_OVERRIDES } from '@vouchgraph/email';
import type { DomainType } from '@vouchgraph/email/internals/email-classes';
import { TIER_1_CORRECTIONS } from './disposable-exceptions.ts';
import { honestLocalParts } from './honest-addresses.ts';
import { LEGITIMATE_DOMAINS } from './legitimate-domains.ts';

/** An address to assess, its known facts, and the expected result. */
export type MixedAddress = {
  readonly email: string;
  readonly evidence: EmailEvidence;
  readonly expected: { readonly type: DomainType; readonly disposable: boolean };
};

const AT = new Date('2026-06-01T00:00:00Z');
const NOTHING: EmailEvidence = {
  at: AT,
  mail: null,
  history: null,
  providers: null,
  overrides: NO_OVERRIDES,
};
const MAIL = { exchange: 'accepts', hosts: ['mx1.example.net', 'mx2.example.net'], refusal: null } as const;
const HISTORY = {
  firstSeen: new Date('2023-02-03T04:05:06Z'),
  lastSeen: new Date('2026-05-30T00:00:00Z'),
  sightings: 12,
  accounts: 1,
  sessions: 11,
  countries: ['DE', 'AT'],
  lists: [],
  fakeAccounts: 0,
  names: [{ firstName: 'Jane', lastName: 'Doe' }],
  phones: ['+4915112345678'],
  accountsFromDomain: 800,
};
const SUFFIXES = ['com', 'de', 'co.uk', 'org', 'fr', 'com.br', 'net', 'io', 'nl', 'co.jp'];
const LARGE =
  `gmail.com yahoo.com hotmail.com outlook.com icloud.com aol.com gmx.de web.de mail.ru yandex.ru qq.com
  163.com naver.com orange.fr libero.it wp.pl seznam.cz uol.com.br comcast.net btinternet.com`.split(/\s+/);

/** Of 100 addresses; the rest to 100 is invalid. */
const SHARES = { large: 60, providers: 18, companies: 14, institutions: 3, disposable: 3, relays: 1 };
/** Companies with returning customers. */
const COMPANIES = 20_000;

/**
 * Addresses as in registrations: 60 % of twenty large providers, 18 % of the other providers of the legitimate
 * list, 14 % of 20,000 companies, 3 % of institutions, 3 % of disposable domains, 1 % of relays and 1 %
 * invalid. Name servers responded for half of them, and the project knows a third.
 */
export function realisticMix(count: number): MixedAddress[] {
  const locals = honestLocalParts(count);
  const ofType = (...types: DomainType[]) => LEGITIMATE_DOMAINS.filter(({ type }) => types.includes(type));
  const [providers, institutions, relays] = [
    ofType('personal'),
    ofType('education', 'government'),
    ofType('relay'),
  ];
  const disposable = disposableDomains();
  return locals.map((local, index) => {
    const place = (index * 37) % 100;
    const pick = <Item>(items: readonly Item[]) => items[(index * 7919) % items.length]!;
    const mixed = (domain: string, type: DomainType, isDisposable = false): MixedAddress => ({
      email: `${local}@${domain}`,
      evidence: {
        ...NOTHING,
        mail: index % 2 === 0 ? MAIL : null,
        history: index % 3 === 0 ? HISTORY : null,
      },
      expected: { type, disposable: isDisposable },
    });
    let limit = SHARES.large;
    if (place < limit) return mixed(pick(LARGE), 'personal');
    limit += SHARES.providers;
    if (place < limit) return mixed(pick(providers).domain, 'personal');
    limit += SHARES.companies;
    if (place < limit) return mixed(companyDomain((index * 104_729) % COMPANIES), 'business');
    limit += SHARES.institutions;
    if (place < limit) return mixed(pick(institutions).domain, pick(institutions).type);
    limit += SHARES.disposable;
    if (place < limit) return mixed(pick(disposable), 'personal', true);
    limit += SHARES.relays;
    if (place < limit) return mixed(pick(relays).domain, 'relay');
    return { ...mixed('', 'inactive'), email: `${local}.example.com` };
  });
}

/** Addresses with distinct domains, so that no cached facts of one help another. */
export function allDifferent(count: number): MixedAddress[] {
  return honestLocalParts(count).map((local, index) => ({
    email: `${local}@${companyDomain(index)}`,
    evidence: NOTHING,
    expected: { type: 'business', disposable: false },
  }));
}

/** The error of a result; null without one. */
export function errorIn({ email, evidence, expected }: MixedAddress, answer: EmailAssessment): string | null {
  const isDisposable = answer.signals.some(({ code }) => code === 'disposable_email');
  const wrong = [
    answer.domain.type !== expected.type && `type ${answer.domain.type}, not ${expected.type}`,
    isDisposable !== expected.disposable && `disposable ${isDisposable}`,
    !(Math.abs(answer.riskScore) <= 1) && `score ${answer.riskScore}`,
    expected.type !== 'inactive' &&
      (answer.deliverability.sendRecommendation === null) !== (evidence.mail === null) &&
      `recommendation ${answer.deliverability.sendRecommendation}`,
    expected.type !== 'inactive' &&
      (answer.email.firstSeenAt === null) !== (evidence.history === null) &&
      `first seen ${answer.email.firstSeenAt}`,
    answer.signals.some(({ source, weight }) => source === '' || weight < 0 || weight > 1) && 'signal',
  ].filter((each) => each !== false);
  return wrong.length === 0 ? null : `${email}: ${wrong.join(', ')}`;
}

function companyDomain(number: number): string {
  return `muster-werke-${number}.${SUFFIXES[number % SUFFIXES.length]}`;
}

function disposableDomains(): string[] {
  const require = createRequire(import.meta.url);
  const corrected = new Set(TIER_1_CORRECTIONS.map(({ domain }) => domain));
  const listed: string[] = require('disposable-email-domains-js').disposableEmailBlocklist();
  return listed.filter((domain) => !corrected.has(domain));
}
