import { domainToASCII } from 'node:url';
import { getPublicSuffix } from 'tldts';
import { parseEmail } from './email-address.ts';
import { type DomainOverrides, NO_OVERRIDES } from './email-evidence.ts';

/** Settings of a project with its own domains. */
export type EmailDomainSettings = {
  readonly disposableDomains: readonly string[];
  readonly trustedDomains: readonly string[];
};

const known = new WeakMap<EmailDomainSettings, DomainOverrides>();

/** Domains that a project lists as disposable or trusted, as sets that are built once per settings. */
export function overridesOf({ settings }: { readonly settings: EmailDomainSettings }): DomainOverrides {
  const { disposableDomains, trustedDomains } = settings;
  if (disposableDomains.length === 0 && trustedDomains.length === 0) return NO_OVERRIDES;
  let overrides = known.get(settings);
  if (!overrides) {
    overrides = { disposable: new Set(disposableDomains), trusted: new Set(trustedDomains) };
    known.set(settings, overrides);
  }
  return overrides;
}

/** Normalized domain in ASCII and lower case, or the reason why it cannot have mailboxes. */
export function readMailDomain(text: string): { domain: string } | { refused: 'invalid' | 'public_suffix' } {
  const name = text.trim().replace(/\.$/, '');
  const { valid, domain } = name.includes('@') ? INVALID : parseEmail(`a@${name}`);
  // Checked first: a suffix with a single label is not a domain of an address.
  const ascii = valid ? domain : domainToASCII(name);
  if (isPublicSuffix(ascii)) return { refused: 'public_suffix' };
  return valid ? { domain } : { refused: 'invalid' };
}

const INVALID = { valid: false, domain: '' };

function isPublicSuffix(domain: string): boolean {
  const options = { allowPrivateDomains: true, extractHostname: false, validateHostname: false };
  return (
    /^[a-z0-9.-]+$/.test(domain) && getPublicSuffix(domain, options) === domain && isListedSuffix(domain)
  );
}

/** By the rules of the list an unlisted last label counts as a suffix. It is a misspelled domain. */
function isListedSuffix(domain: string): boolean {
  return domain.includes('.') || parseEmail(`a@a.${domain}`).valid;
}
