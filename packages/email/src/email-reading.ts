import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import { type DomainFacts, domainFactsOf } from './domain-facts.ts';
import { type ParsedEmail, parseEmail, spellingOf } from './email-address.ts';
import type { AssessedSignal } from './email-assessment.ts';
import type { DomainType } from './email-classes.ts';
import type {
  AddressHistory,
  DomainOverrides,
  EmailClaims,
  MailEvidence,
  ProviderEvidence,
} from './email-evidence.ts';
import { ageSignal, isLongKnown, yearsBetween } from './email-history.ts';
import { combineSignals, EMAIL_SIGNALS, type EmailSignal } from './email-weights.ts';
import { mixesScripts } from './homographs.ts';
import { keyboardRun } from './keyboard-run.ts';
import { containsName } from './local-part-name.ts';
import { describeShape, isRandomLocalPart } from './local-part-shape.ts';
import { type ClassifiedMailDomain, classifyMailDomain } from './mail-domain-class.ts';
import { isTrusted, oldestTrace, presenceOf, providersOf, recentBreach, type Trace } from './presence.ts';
import { isRoleMailbox } from './role-mailbox.ts';

/** History that a reading uses. Accounts, lists and Fake decisions count only if the caller passes them. */
export type KnownHistory = Pick<AddressHistory, 'firstSeen' | 'sightings'> &
  Partial<Pick<AddressHistory, 'accounts' | 'lists' | 'fakeAccounts'>>;

/** Evidence besides the address. Null is unknown and adds no signal. */
export type KnownOfEmail = {
  /** Time of the reading; null adds no signal of age. */
  readonly at: Date | null;
  readonly mail: MailEvidence | null;
  readonly history: KnownHistory | null;
  readonly providers: ProviderEvidence | null;
  readonly overrides: DomainOverrides;
  readonly names: Pick<EmailClaims, 'firstName' | 'lastName'> | null;
};

/** Reading of an address: the one set of rules of checks and account email blocks. */
export type EmailReading = {
  readonly parsed: ParsedEmail;
  /** Null for an invalid address. */
  readonly domain: DomainFacts | null;
  readonly disposable: boolean;
  /** True for a public mailbox provider, also if its domain is inactive at present. */
  readonly personal: boolean;
  readonly type: DomainType;
  readonly signals: readonly EmailSignalFound[];
  /** −1 (trust) to 1 (risk), 0 neutral. */
  readonly score: number;
  /** Score of the signals from the domain alone, −1 to 1. */
  readonly domainScore: number;
  /** Oldest trace of the address; null without one. */
  readonly firstTrace: Trace | null;
};

export type EmailSignalFound = AssessedSignal & { readonly code: EmailSignal };

/** Reads an address with its evidence. */
export function readEmail(email: string, known: KnownOfEmail): EmailReading {
  const parsed = parseEmail(email);
  if (!parsed.valid) return unreadable(email, parsed);
  const domain = domainFactsOf(parsed.domain);
  const judged = classifyMailDomain(parsed.domain, domain, known);
  // A domain without mail adds no trust: anyone can write the name of an agency that does not exist. Risk by lists still
  // counts: a DNS filter can hide a disposable domain.
  const inactive = known.mail?.exchange === 'none';
  const firstTrace = oldestOf(known);
  const found = new Found();
  classRisks(found, judged);
  mailboxRisks(found, parsed);
  domainRisks(found, parsed.domain, domain, judged, known.mail);
  localPartRisks(found, parsed, judged);
  providerRisks(found, known);
  historyRisks(found, known.history);
  if (!inactive) domainTrusts(found, judged);
  ageTrusts(found, known, firstTrace);
  providerTrusts(found, known);
  addressTrusts(found, parsed, known);
  return {
    parsed,
    domain,
    disposable: judged.disposable,
    personal: judged.type === 'personal',
    type: inactive ? 'inactive' : judged.type,
    signals: found.signals,
    score: combineSignals(found.signals),
    domainScore: combineSignals(found.ofDomain),
    firstTrace,
  };
}

/** Reading of an invalid or empty address: an invalid one has an inactive domain and no trust signals. */
function unreadable(email: string, parsed: ParsedEmail): EmailReading {
  const found = new Found();
  const isEmpty = email.trim() === '';
  if (!isEmpty) {
    found.add('invalid_email', 'syntax', '');
    if (isUnregistrable(parsed.address))
      found.addOfDomain('unregistrable_domain', 'public-suffix-list', 'ends in no public suffix');
  }
  return {
    parsed,
    domain: null,
    disposable: false,
    personal: false,
    type: isEmpty ? '' : 'inactive',
    signals: found.signals,
    score: combineSignals(found.signals),
    domainScore: combineSignals(found.ofDomain),
    firstTrace: null,
  };
}

class Found {
  readonly signals: EmailSignalFound[] = [];
  readonly ofDomain: EmailSignalFound[] = [];

  add(code: EmailSignal, source: string, evidence: string, weight = EMAIL_SIGNALS[code].weight): void {
    this.signals.push({ code, side: EMAIL_SIGNALS[code].side, weight, source, evidence });
  }

  addOfDomain(code: EmailSignal, source: string, evidence: string): void {
    this.add(code, source, evidence);
    this.ofDomain.push(this.signals.at(-1)!);
  }
}

function classRisks(found: Found, { disposable, type, source, evidence }: ClassifiedMailDomain): void {
  if (disposable) found.addOfDomain('disposable_email', source, evidence);
  if (type === 'relay') found.addOfDomain('relay_email', source, evidence);
}

function mailboxRisks(found: Found, parsed: ParsedEmail): void {
  const { isTagged, hasIgnoredDots } = spellingOf(parsed);
  if (isTagged || hasIgnoredDots) {
    const evidence = [isTagged && 'tag', hasIgnoredDots && 'dots or hyphens that the provider ignores'];
    // One or two dots are part of how names are written: the signal is kept with weight 0.
    const weight = parsed.alias ? undefined : 0;
    found.add('email_alias', 'mailbox-rules', evidence.filter(Boolean).join(', '), weight);
  }
  if (isRoleMailbox(parsed)) found.add('role_account', 'role-names', localPartOf(parsed));
}

function domainRisks(
  found: Found,
  name: string,
  domain: DomainFacts,
  { trustedAs }: ClassifiedMailDomain,
  mail: MailEvidence | null,
): void {
  if (mail?.exchange === 'none')
    found.addOfDomain('inactive_domain', 'name-servers', refusalText(mail.refusal ?? null));
  if (trustedAs !== null) return;
  if (domain.isLookalike) found.addOfDomain('lookalike_domain', 'lookalike-rule', name);
  if (domain.homographOf !== null)
    found.addOfDomain('homograph_domain', 'confusables', `looks like ${domain.homographOf}`);
}

function refusalText(refusal: MailEvidence['refusal'] | null): string {
  if (refusal === 'null_mx') return 'the domain has a null MX and accepts no mail';
  return refusal === 'no_such_domain' ? 'the domain does not exist' : 'the domain accepts no mail';
}

function localPartRisks(found: Found, parsed: ParsedEmail, judged: ClassifiedMailDomain): void {
  const domain = domainFactsOf(parsed.domain);
  if (domain.mixesScripts) found.addOfDomain('mixed_script_address', 'unicode-scripts', 'domain');
  else if (mixesScripts(parsed.local)) found.add('mixed_script_address', 'unicode-scripts', 'local part');
  // Relays generate local parts and institutions assign codes; elsewhere the owner chooses them.
  if (judged.type !== 'personal' && judged.type !== 'business') return;
  const local = localPartOf(parsed);
  if (isRandomLocalPart(local)) found.add('random_local_part', 'local-part', describeShape(local));
  else if (keyboardRun(local) !== '')
    found.add('keyboard_run_local_part', 'local-part', `run of ${keyboardRun(local).length} keys`);
}

/** Maximum number of breaches named in evidence; the result lists all of them. */
const MAX_NAMED = 5;

function providerRisks(found: Found, { providers, at }: KnownOfEmail): void {
  if (providers === null) return;
  const presence = presenceOf(providers);
  if (presence && EMAIL_SIGNALS[presence.signal].side === 'risk')
    found.add(presence.signal, providersOf(providers), presence.evidence);
  const recent = at && recentBreach(providers.breaches ?? [], at);
  if (recent)
    found.add('recent_breach', providersOf(providers, ['breaches']), `${recent.source} of ${recent.date}`);
}

/** Minimum number of accounts for `address_of_several_accounts`. */
const MANY_ACCOUNTS = 3;

function historyRisks(found: Found, history: KnownHistory | null): void {
  if (history === null) return;
  const blocked = listNames(history, 'block');
  if (blocked !== '') found.add('address_on_block_list', 'project-history', blocked);
  const { fakeAccounts = 0, accounts = 0 } = history;
  if (fakeAccounts > 0)
    found.add('address_of_fake_account', 'project-history', countOf(fakeAccounts, 'account'));
  if (accounts >= MANY_ACCOUNTS)
    found.add('address_of_several_accounts', 'project-history', countOf(accounts, 'account'));
}

function listNames({ lists = [] }: KnownHistory, wanted: 'block' | 'allow'): string {
  const names = lists.filter(({ effect }) => effect === wanted).map(({ name }) => name);
  return names.join(', ');
}

function countOf(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

function domainTrusts(
  found: Found,
  { trustedAs, vouches, type, source, evidence }: ClassifiedMailDomain,
): void {
  if (trustedAs !== null) found.addOfDomain('trusted_domain', 'project-override', trustedAs);
  if (!vouches) return;
  found.addOfDomain(type === 'government' ? 'government_domain' : 'education_domain', source, evidence);
}

function ageTrusts(found: Found, { at, history }: KnownOfEmail, firstTrace: Trace | null): void {
  if (at === null) return;
  const age = firstTrace && ageSignal(yearsBetween(firstTrace.at, at));
  if (age) found.add(age, firstTrace.source, firstTrace.evidence);
  if (history && isLongKnown(history, at))
    found.add('email_known_online_history', 'project-history', countOf(history.sightings, 'sighting'));
}

function providerTrusts(found: Found, { providers }: KnownOfEmail): void {
  if (providers === null) return;
  const presence = presenceOf(providers);
  if (presence && EMAIL_SIGNALS[presence.signal].side === 'trust')
    found.add(presence.signal, providersOf(providers), presence.evidence);
  const trusted = (providers.breaches ?? []).filter(isTrusted);
  if (trusted.length > 0) {
    const names = [...new Set(trusted.map(({ source }) => source))].slice(0, MAX_NAMED);
    found.add('known_breach', providersOf(providers, ['breaches']), names.join(', '));
  }
}

function addressTrusts(found: Found, parsed: ParsedEmail, { names, history }: KnownOfEmail): void {
  const allowed = history === null ? '' : listNames(history, 'allow');
  if (allowed !== '') found.add('address_on_allow_list', 'project-history', allowed);
  if (names && containsName(localPartOf(parsed), names.firstName, names.lastName))
    found.add('email_matches_name', 'local-part', 'contains the name');
}

/** Oldest of the first sighting by this project, breaches and profiles. */
function oldestOf({ history, providers, at }: KnownOfEmail): Trace | null {
  if (at === null) return null;
  const elsewhere = providers && oldestTrace(providers, at);
  const firstSeen = history?.firstSeen ?? null;
  if (firstSeen === null || (elsewhere && elsewhere.at < firstSeen)) return elsewhere;
  const evidence = `first seen by this project on ${firstSeen.toISOString().slice(0, 10)}`;
  return { at: firstSeen, source: 'project-history', evidence };
}

/** Local part of the canonical address; '' if invalid. */
export function localPartOf(email: ParsedEmail): string {
  return email.canonical.slice(0, Math.max(0, email.canonical.lastIndexOf('@')));
}

const HOST_NAME = /^[\p{L}\p{M}\p{N}.-]+$/u;

/** True if the host name after the @ ends in no public suffix. */
function isUnregistrable(address: string): boolean {
  const host = address.slice(address.lastIndexOf('@') + 1);
  if (host.length === address.length || !HOST_NAME.test(host)) return false;
  const { isIcann, isIp } = parse(domainToASCII(host), { extractHostname: false });
  return isIcann === false && isIp === false;
}
