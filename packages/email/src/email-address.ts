import { domainToASCII, domainToUnicode } from 'node:url';
import { RecentCache } from '@vouchgraph/platform/recent-cache';
import { parse as parseDomain } from 'tldts';
import validator from 'validator';
import { canonicalMailbox } from './mailbox-rules.ts';

export type ParsedEmail = Readonly<{
  /** Whether the syntax is valid and the domain ends in a suffix of the ICANN section of the public suffix list. */
  valid: boolean;
  /** Trimmed, with the domain in lower case and, if international, in ASCII. */
  address: string;
  /** As sent, before the `@`; '' when invalid. */
  local: string;
  /** In ASCII, after the `@`; '' when invalid. */
  domain: string;
  /** Registrable domain (`mail.example.co.uk` → `example.co.uk`); '' when invalid. */
  registrableDomain: string;
  /** Canonical form of all spellings of one mailbox. For matching only: never shown or sent to. */
  canonical: string;
  /** Whether the spelling is one of several that the owner can use for the mailbox. */
  alias: boolean;
}>;

/** A change of an account reads its email for identifiers, comparisons and facts. */
const parsedEmails = new RecentCache<ParsedEmail>({ seconds: 60, entries: 10_000 });

/**
 * Parses an email address. Does not throw for an invalid address: equal strings still have an equal `canonical`, so that
 * they match.
 */
export function parseEmail(text: string): ParsedEmail {
  return parsedEmails.get(text, () => parse(text));
}

function parse(text: string): ParsedEmail {
  const trimmed = text.trim();
  const at = trimmed.lastIndexOf('@');
  const local = trimmed.slice(0, Math.max(at, 0));
  const domain = asciiDomain(trimmed.slice(at + 1));
  const address = `${local}@${domain}`;
  if (!hasMailSyntax(local, address)) return invalidEmail(trimmed);
  const { isIcann, domain: registrable } = parseDomain(domain, {
    extractHostname: false,
    validateHostname: false,
  });
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

/** Spelling of a valid address: whether it has a tag of the owner, and dots that the provider ignores. */
export function spellingOf({ local, domain }: Pick<ParsedEmail, 'local' | 'domain'>): {
  isTagged: boolean;
  hasIgnoredDots: boolean;
} {
  const { isTagged, hasIgnoredDots } = canonicalMailbox(local, domain);
  return { isTagged, hasIgnoredDots };
}

/**
 * Percent-encoded line ends and NUL: legal characters, which a careless decoder converts to a separate header. The others
 * are invisible: controls, direction marks, spaces of all kinds, and characters without a width.
 */
const HIDDEN = /%0[0ad]|[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/iu;

/**
 * Joiners in words of some scripts, where domains may contain them too (RFC 5892, appendix A): after a virama of an Indic
 * script, and the non-joiner between Arabic letters.
 */
const WRITTEN_JOINERS =
  /(?<=[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca])[\u200c\u200d]|(?<=\p{Script=Arabic})\u200c(?=\p{Script=Arabic})/gu;

/**
 * Syntax of RFC 5321 with letters of all scripts (RFC 6531). Comments and spaces outside of quotes, which only headers may
 * contain (RFC 5322), are invalid.
 */
function hasMailSyntax(local: string, address: string): boolean {
  const isQuoted = local.startsWith('"');
  const visible = isQuoted ? local.replaceAll(' ', '') : local;
  if (HIDDEN.test(visible.replace(WRITTEN_JOINERS, ''))) return false;
  if (isQuoted) return QUOTED_STRING.test(local) && validator.isEmail(withPlainLocal(local, address));
  return validator.isEmail(
    SUPPLEMENTARY.test(local) ? address.replace(SUPPLEMENTARY_LETTERS, 'éé') : address,
  );
}

/** Quoted string of RFC 5321, section 4.1.2, with at least one character: `"` and `\` are escaped, a space is not. */
const QUOTED_STRING = /^"(?:[^"\\]|\\[\x20-\x7e])+"$/u;

/** The address with letters for a quoted local part of the same length in bytes: the validator rejects most quoted strings. */
function withPlainLocal(local: string, address: string): string {
  return 'x'.repeat(Buffer.byteLength(local)) + address.slice(local.length);
}

/** The validator only accepts letters of the first Unicode plane. Two of them replace one of another plane: same length. */
const SUPPLEMENTARY = /[\u{10000}-\u{10ffff}]/u;
const SUPPLEMENTARY_LETTERS = /(?=[\u{10000}-\u{10ffff}])\p{L}/gu;

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

const ENCODED_LABEL = /(^|\.)xn--/;

/**
 * The converter reads its argument as the host of a URL: it decodes `%41` and stops at `/`. Such characters are
 * refused before it sees them, or `ü%41.com` would be converted to another domain than the input. A label in punycode that
 * cannot be decoded is no domain; the converter returns it as it is.
 */
function asciiDomain(domain: string): string {
  const isAscii = ASCII_ONLY.test(domain);
  const lower = isAscii ? domain.toLowerCase() : domain;
  if (isAscii && !ENCODED_LABEL.test(lower)) return lower;
  if (ASCII_OUTSIDE_HOST.test(lower)) return '';
  const ascii = domainToASCII(lower);
  return ENCODED_LABEL.test(domainToUnicode(ascii)) ? '' : ascii;
}
