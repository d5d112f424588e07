import { getDomain } from 'tldts';
import { DISPOSABLE_MAIL_HOSTS, SHARED_MAIL_HOSTS } from './disposable-mail-hosts.ts';
import type { DomainFacts } from './domain-facts.ts';
import { listedAs, loadDomainLists } from './domain-lists.ts';
import type { DomainClass } from './email-classes.ts';
import type { DomainOverrides, MailEvidence } from './email-evidence.ts';

/** Class of a domain by the project's overrides, the lists and the mail hosts, in this order. */
export type ClassifiedMailDomain = DomainClass & {
  /** Entry of the project that makes the domain trusted; null without one. */
  readonly trustedAs: string | null;
  /** Names of the deciding lists or rules, separated by commas; '' for a business. */
  readonly source: string;
  readonly evidence: string;
};

const UNPLACED: ClassifiedMailDomain = {
  type: 'business',
  disposable: false,
  vouches: false,
  trustedAs: null,
  source: '',
  evidence: '',
};

/**
 * Classifies a domain with overrides and mail hosts. Overrides win over lists: a trusted domain is never disposable, a
 * disposable override beats every class. Mail hosts count last, and not for institutions, relays or well-known
 * providers, which run their own.
 */
export function classifyMailDomain(
  name: string,
  { explained, isWellKnown }: DomainFacts,
  { overrides, mail }: { overrides: DomainOverrides; mail: MailEvidence | null },
): ClassifiedMailDomain {
  const { type, disposable, vouches, matched } = explained;
  const listed: ClassifiedMailDomain = {
    type,
    disposable,
    vouches,
    trustedAs: null,
    source: explained.sources.join(', '),
    evidence: matched,
  };
  const override = overrideOf(name, overrides);
  if (override?.verdict === 'disposable') return disposableBy('project-override', override.entry);
  // A trusted domain on a list of disposable domains becomes a domain that no list names.
  if (override) return { ...(disposable ? UNPLACED : listed), trustedAs: override.entry };
  if (disposable || vouches || isWellKnown || type === 'relay' || !mail) return listed;
  const host = mail.hosts.find(isDisposableHost);
  return host === undefined ? listed : disposableBy('mail-hosts', host);
}

function disposableBy(source: string, evidence: string): ClassifiedMailDomain {
  return { type: 'personal', disposable: true, vouches: false, trustedAs: null, source, evidence };
}

/** Longest entry that covers the domain; trusted if both lists contain it. */
function overrideOf(
  domain: string,
  { trusted, disposable }: DomainOverrides,
): { verdict: 'trusted' | 'disposable'; entry: string } | null {
  if (trusted.size === 0 && disposable.size === 0) return null;
  const trustedEntry = listedAs(trusted, domain) ?? '';
  const disposableEntry = listedAs(disposable, domain) ?? '';
  if (trustedEntry === '' && disposableEntry === '') return null;
  return trustedEntry.length >= disposableEntry.length
    ? { verdict: 'trusted', entry: trustedEntry }
    : { verdict: 'disposable', entry: disposableEntry };
}

/**
 * True if a mail host belongs to a disposable email service: by the kept list, or because its registrable domain is
 * disposable. Relays and shared hosts do not count: they serve domains that people own.
 */
export function isDisposableHost(host: string): boolean {
  if (listedAs(DISPOSABLE_MAIL_HOSTS, host) !== null) return true;
  const lists = loadDomainLists();
  if (listedAs(SHARED_MAIL_HOSTS, host) !== null || listedAs(lists.relay, host) !== null) return false;
  const domain = getDomain(host, { extractHostname: false, validateHostname: false });
  return domain !== null && lists.disposable.has(domain);
}
