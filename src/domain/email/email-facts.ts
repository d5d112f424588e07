import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { type ParsedEmail, parseEmail, spellingOf } from '../linking/identifiers/email-address.ts';
import { loadDomainLists } from './domain-lists.ts';
import { classifyDomain, type DomainClass, type DomainType } from './email-classes.ts';
import { type EmailHistory, historySignals } from './email-history.ts';
import { type EmailRiskSignal, type EmailTrustSignal, scoreEmail } from './email-weights.ts';
import { holdsName } from './local-part-name.ts';
import { isRandomLocalPart } from './local-part-shape.ts';
import type { MailExchange } from './mail-route.ts';
import { isRoleMailbox } from './role-mailbox.ts';

export type EmailFacts = {
  /** As stored. */
  email: string;
  valid: boolean;
  disposable: boolean;
  /** A domain of mailboxes for everybody, whether or not it takes mail at present. */
  personal: boolean;
  domainType: DomainType;
  trustSignals: EmailTrustSignal[];
  riskSignals: EmailRiskSignal[];
  /** −1 (trust) to +1 (risk), 0 neutral. */
  emailScore: number;
};

/** What is known beside the address. Whatever is absent is unknown, and nothing is said of it. */
export type EmailContext = {
  mailExchange?: MailExchange;
  /** Counts only together with `at`. */
  history?: EmailHistory;
  /** Of the account; '' when not given. */
  names?: { firstName: string; lastName: string };
  /** When the facts hold. */
  at?: Date;
};

const UNKNOWN_DOMAIN: DomainClass = { type: '', disposable: false, vouches: false };

/**
 * What an address tells by itself, by the lists on board, and by what else is known. Nothing is said of a presence
 * online: that takes somebody who looked.
 */
export function describeEmail(email: string, context: EmailContext = {}): EmailFacts {
  const parsed = parseEmail(email);
  const domain = parsed.valid ? classifyDomain(parsed.domain) : UNKNOWN_DOMAIN;
  // A dead domain is inactive whatever it was: anybody can write an agency that does not exist into a form. What the
  // lists say of it still holds, since a filter in front of the resolver may be what makes a disposable one look dead.
  const inactive = parsed.valid && context.mailExchange === 'none';
  const isUnreadable = email.trim() !== '' && !parsed.valid;
  const riskSignals = email.trim() === '' ? [] : riskSignalsOf(parsed, domain, inactive);
  const trustSignals = parsed.valid
    ? trustSignalsOf(parsed, inactive ? UNKNOWN_DOMAIN : domain, context)
    : [];
  return {
    email,
    valid: parsed.valid,
    disposable: domain.disposable,
    personal: domain.type === 'personal',
    // Nobody can be written to at an address that cannot be read.
    domainType: inactive || isUnreadable ? 'inactive' : domain.type,
    trustSignals,
    riskSignals,
    emailScore: scoreEmail(
      // One or two dots are how people write their names: said, and not held against them.
      riskSignals.filter((signal) => signal !== 'email_alias' || parsed.alias),
      trustSignals,
    ),
  };
}

function riskSignalsOf(email: ParsedEmail, domain: DomainClass, inactive: boolean): EmailRiskSignal[] {
  const local = canonicalLocalPart(email);
  const holds: [EmailRiskSignal, boolean][] = [
    ['invalid_email', !email.valid],
    ['unregistrable_domain', !email.valid && isUnregistrable(email.address)],
    ['disposable_email', domain.disposable],
    ['relay_email', domain.type === 'relay'],
    ['email_alias', email.alias || spellingOf(email).hasIgnoredDots],
    ['role_account', isRoleMailbox(email)],
    ['inactive_domain', inactive],
    ['lookalike_domain', loadDomainLists().lookalikes.has(email.domain)],
    ['random_local_part', isChosen(domain) && isRandomLocalPart(local)],
  ];
  return holds.filter(([, isSo]) => isSo).map(([signal]) => signal);
}

function trustSignalsOf(email: ParsedEmail, domain: DomainClass, context: EmailContext): EmailTrustSignal[] {
  const signals: EmailTrustSignal[] = [];
  if (domain.vouches) signals.push(domain.type === 'government' ? 'government_domain' : 'education_domain');
  if (context.history && context.at) signals.push(...historySignals(context.history, context.at));
  const { firstName, lastName } = context.names ?? { firstName: '', lastName: '' };
  if (holdsName(canonicalLocalPart(email), firstName, lastName)) signals.push('email_matches_name');
  return signals;
}

/** Whether its owner chose the local part: relays draw it by chance, and institutions hand out numbers and codes. */
function isChosen(domain: DomainClass): boolean {
  return domain.type === 'personal' || domain.type === 'business';
}

function canonicalLocalPart(email: ParsedEmail): string {
  return email.canonical.slice(0, Math.max(0, email.canonical.lastIndexOf('@')));
}

const HOST_NAME = /^[\p{L}\p{M}\p{N}.-]+$/u;

/** Whether an address has a host name after its @ that ends in no public suffix. */
function isUnregistrable(address: string): boolean {
  const host = address.slice(address.lastIndexOf('@') + 1);
  if (host.length === address.length || !HOST_NAME.test(host)) return false;
  const { isIcann, isIp } = parse(domainToASCII(host), { extractHostname: false });
  return isIcann === false && isIp === false;
}
