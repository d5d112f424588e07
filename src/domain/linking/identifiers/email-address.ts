import { domainToASCII } from 'node:url';
import { parse } from 'tldts';
import validator from 'validator';
import { canonicalMailbox } from './mailbox-rules.ts';
import { nearLocalPartKeys } from './near-local-part.ts';

export type ParsedEmail = {
  /** The syntax holds and the domain ends in a suffix of the ICANN section of the public suffix list. */
  valid: boolean;
  /** Trimmed, the domain in lower case and, where international, in its ASCII form. */
  address: string;
  /** As sent, before the `@`; '' when invalid. */
  local: string;
  /** In ASCII, after the `@`; '' when invalid. */
  domain: string;
  /** The domain that somebody registered (`mail.example.co.uk` → `example.co.uk`); '' when invalid. */
  registrableDomain: string;
  /** What two spellings of one mailbox have in common. For matching only: never shown or sent to. */
  canonical: string;
  /** The spelling is one of several that its owner made for one mailbox. */
  alias: boolean;
};

/**
 * Reads an e-mail address. An address that is not one is answered, not thrown: equal strings still have an equal
 * `canonical`, so that they match.
 */
export function parseEmail(text: string): ParsedEmail {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  const domain = asciiDomain(trimmed.slice(at + 1));
  const address = `${local}@${domain}`;
  if (!hasMailSyntax(local, address)) return invalidEmail(trimmed);
  const { isIcann, domain: registrable } = parse(domain, { extractHostname: false, validateHostname: false });
  if (!isIcann) return invalidEmail(trimmed);
  const mailbox = canonicalMailbox(local, domain);
  return {
    valid: true,
    address,
    local,
    domain,
    registrableDomain: registrable ?? domain,
    canonical: `${mailbox.local}@${mailbox.domain}`,
    alias: mailbox.alias,
  };
}

/** How a valid address is written: with a tag, which the owner of a mailbox makes; with dots that the provider ignores. */
export function spellingOf({ local, domain }: Pick<ParsedEmail, 'local' | 'domain'>): {
  isTagged: boolean;
  hasIgnoredDots: boolean;
} {
  const { isTagged, hasIgnoredDots } = canonicalMailbox(local, domain);
  return { isTagged, hasIgnoredDots };
}

/**
 * Keys that near-equal addresses share, at most 11: the same domain, and a local part that is the same without its
 * digits or one character away. Canonical forms are compared. None for an invalid address.
 */
export function nearEmailBlocks(email: string): string[] {
  const { valid, canonical } = parseEmail(email);
  if (!valid) return [];
  const at = canonical.lastIndexOf('@');
  const domain = canonical.slice(at + 1);
  return nearLocalPartKeys(canonical.slice(0, at)).map((key) => `${domain} ${key}`);
}

/** Quoted local parts are legal, and no provider issues them: those seen are attempts to slip past a parser. */
function hasMailSyntax(local: string, address: string): boolean {
  return !local.startsWith('"') && validator.isEmail(address);
}

function invalidEmail(trimmed: string): ParsedEmail {
  return {
    valid: false,
    address: trimmed,
    local: '',
    domain: '',
    registrableDomain: '',
    canonical: trimmed.toLowerCase(),
    alias: false,
  };
}

const ASCII_ONLY = /^[\p{ASCII}]*$/u;
const ASCII_OUTSIDE_HOST = /[^a-z0-9.\-\P{ASCII}]/iu;

/**
 * The converter reads its argument as the host of a URL: it decodes `%41` and stops at `/`. Such characters are
 * refused before it sees them, or `ü%41.com` would be taken for a domain that nobody wrote.
 */
function asciiDomain(domain: string): string {
  if (ASCII_ONLY.test(domain)) return domain.toLowerCase();
  return ASCII_OUTSIDE_HOST.test(domain) ? '' : domainToASCII(domain);
}
