import { createRequire } from 'node:module';
import { classifyDomain } from '@vouchgraph/email/internals/email-classes';
import {
  AGREEMENT_EXCEPTIONS,
  type DisposableException,
  TIER_1_CORRECTIONS,
} from './disposable-exceptions.ts';
import { LEGITIMATE_DOMAINS } from './legitimate-domains.ts';

/** Number of domains of a list that are classified as disposable. */
export type Recall = {
  readonly listed: number;
  /** Listed, without the committed exceptions. */
  readonly counted: number;
  readonly found: number;
  readonly share: number;
  readonly missed: readonly string[];
  readonly exceptions: readonly DisposableException[];
  /** Exceptions that the list does not contain, or that are classified as disposable anyway: they have no effect. */
  readonly idleExceptions: readonly string[];
};

/** Recall on all of disposable-email-domains-js, which is almost always correct. */
export function tier1Recall(): Recall {
  const require = createRequire(import.meta.url);
  const listed: string[] = require('disposable-email-domains-js').disposableEmailBlocklist();
  return recallOf(listed, TIER_1_CORRECTIONS);
}

/** Recall on the intersection of two independently maintained lists. */
export function agreementRecall(): Recall {
  const require = createRequire(import.meta.url);
  const likely: Set<string> = require('mailchecker').blacklist();
  const others: string[] = require('@dahoom/disposable-email/domains.json');
  return recallOf(
    others.filter((domain) => likely.has(domain)),
    AGREEMENT_EXCEPTIONS,
  );
}

/** Legitimate domains that are classified as disposable. */
export function falselyDisposableDomains(): string[] {
  return LEGITIMATE_DOMAINS.map(({ domain }) => domain).filter((domain) => classifyDomain(domain).disposable);
}

function recallOf(list: readonly string[], exceptions: readonly DisposableException[]): Recall {
  const listed = new Set(list);
  const excused = new Set(exceptions.map(({ domain }) => domain));
  const counted = [...listed].filter((domain) => !excused.has(domain));
  const missed = counted.filter((domain) => !classifyDomain(domain).disposable);
  return {
    listed: listed.size,
    counted: counted.length,
    found: counted.length - missed.length,
    share: (counted.length - missed.length) / counted.length,
    missed,
    exceptions,
    idleExceptions: [...excused].filter((domain) => !listed.has(domain) || classifyDomain(domain).disposable),
  };
}
