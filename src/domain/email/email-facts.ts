import { type ParsedEmail, parseEmail } from '../linking/identifiers/email-address.ts';
import { classifyDomain, type DomainClass, type DomainType } from './email-classes.ts';
import { type EmailRiskSignal, type EmailTrustSignal, scoreEmail } from './email-weights.ts';
import { ROLE_LOCAL_PARTS } from './own-domains.ts';

export type EmailFacts = {
  /** As stored. */
  email: string;
  valid: boolean;
  disposable: boolean;
  personal: boolean;
  domainType: DomainType;
  trustSignals: EmailTrustSignal[];
  riskSignals: EmailRiskSignal[];
  /** −1 (trust) to +1 (risk), 0 neutral. */
  emailScore: number;
};

const UNKNOWN_DOMAIN: DomainClass = { type: '', disposable: false };

/**
 * What an address tells by itself and by the lists on board, with no look-up. Nothing is said of its age or of a
 * presence online: that takes somebody who looked.
 */
export function describeEmail(email: string): EmailFacts {
  const parsed = parseEmail(email);
  const domain = parsed.valid ? classifyDomain(parsed.domain) : UNKNOWN_DOMAIN;
  const riskSignals = email.trim() === '' ? [] : riskSignalsOf(parsed, domain);
  const trustSignals = trustSignalsOf(domain);
  return {
    email,
    valid: parsed.valid,
    disposable: domain.disposable,
    personal: domain.type === 'personal',
    domainType: domain.type,
    trustSignals,
    riskSignals,
    emailScore: scoreEmail(riskSignals, trustSignals),
  };
}

function riskSignalsOf(email: ParsedEmail, domain: DomainClass): EmailRiskSignal[] {
  const signals: EmailRiskSignal[] = [];
  if (!email.valid) signals.push('invalid_email');
  if (domain.disposable) signals.push('disposable_email');
  if (domain.type === 'relay') signals.push('relay_email');
  if (email.alias) signals.push('email_alias');
  if (isRoleAccount(email)) signals.push('role_account');
  return signals;
}

function trustSignalsOf(domain: DomainClass): EmailTrustSignal[] {
  if (domain.type === 'government') return ['government_domain'];
  return domain.type === 'education' ? ['education_domain'] : [];
}

/** Tags do not make a person of a role: `billing+eu@` is read by whoever reads `billing@`. */
function isRoleAccount(email: ParsedEmail): boolean {
  return ROLE_LOCAL_PARTS.has(email.canonical.slice(0, email.canonical.lastIndexOf('@')));
}
