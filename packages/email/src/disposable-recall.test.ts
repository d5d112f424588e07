import { expect, test } from 'vitest';
import {
  AGREEMENT_EXCEPTIONS,
  TIER_1_CORRECTIONS,
} from '../../../bench/support/email/disposable-exceptions.ts';
import {
  agreementRecall,
  falselyDisposableDomains,
  tier1Recall,
} from '../../../bench/support/email/disposable-recall.ts';
import { LEGITIMATE_DOMAINS } from '../../../bench/support/email/legitimate-domains.ts';
import { classifyDomain } from './email-classes.ts';
import { NO_OVERRIDES } from './email-evidence.ts';
import { readEmail } from './email-reading.ts';

const distinct = (domains: readonly { domain: string }[]) =>
  new Set(domains.map(({ domain }) => domain)).size;

test('all domains of the most reliable list are disposable except for committed corrections', () => {
  const { listed, missed, counted, idleExceptions } = tier1Recall();
  expect(missed).toEqual([]);
  expect(idleExceptions).toEqual([]);
  expect(counted).toBe(listed - TIER_1_CORRECTIONS.length);
  expect(listed).toBeGreaterThan(8_000);
});

test('99 % of the domains on both lists are disposable', () => {
  const { listed, share, idleExceptions } = agreementRecall();
  expect(share).toBeGreaterThanOrEqual(0.99);
  expect(idleExceptions).toEqual([]);
  expect(listed).toBeGreaterThan(50_000);
});

test('every exception has a reason and is unique', () => {
  for (const exceptions of [TIER_1_CORRECTIONS, AGREEMENT_EXCEPTIONS]) {
    expect(distinct(exceptions)).toBe(exceptions.length);
    for (const { reason } of exceptions) expect(reason.length).toBeGreaterThan(15);
  }
});

test('none of 500 legitimate domains is disposable or a lookalike', () => {
  expect(LEGITIMATE_DOMAINS.length).toBeGreaterThanOrEqual(500);
  expect(distinct(LEGITIMATE_DOMAINS)).toBe(LEGITIMATE_DOMAINS.length);
  expect(falselyDisposableDomains()).toEqual([]);
  const known = {
    at: null,
    mail: null,
    history: null,
    providers: null,
    overrides: NO_OVERRIDES,
    names: null,
  };
  const doubted = LEGITIMATE_DOMAINS.filter(({ domain }) =>
    readEmail(`jane@${domain}`, known).signals.some(({ code }) =>
      ['lookalike_domain', 'homograph_domain', 'mixed_script_address', 'invalid_email'].includes(code),
    ),
  );
  expect(doubted).toEqual([]);
});

test.each(LEGITIMATE_DOMAINS.map(({ domain, type }) => [domain, type] as const))(
  '%s is %s',
  (domain, type) => {
    expect(classifyDomain(domain)).toMatchObject({ type, disposable: false });
  },
);
