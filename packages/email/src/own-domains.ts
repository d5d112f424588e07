import domains from '../data/own-domains.json' with { type: 'json' };
import roleLocalParts from '../data/role-local-parts.json' with { type: 'json' };
import { MAIL_COM_DOMAINS } from './mail-com-domains.ts';

/**
 * Services that forward mail from made-up addresses to their customer's mailbox. They hide the identity; unlike a
 * disposable mailbox, they last and are read by one person. Hide My Email also gives out addresses at icloud.com,
 * which cannot be distinguished from ordinary ones.
 */
export const RELAY_DOMAINS: readonly string[] = domains.relay;

/**
 * Named by a list of disposable domains and not disposable: a university, a public-access system, large providers,
 * Hushmail's and Tuta's own domains.
 */
export const NEVER_DISPOSABLE: readonly string[] = [...domains.neverDisposable, ...MAIL_COM_DOMAINS];

/**
 * Providers of public mailboxes, on the list of education domains because a school once had its mail
 * there.
 */
export const NEVER_EDUCATION: readonly string[] = domains.neverEducation;

/** Providers of personal mailboxes that other lists omit. */
export const PERSONAL_DOMAINS: readonly string[] = [...domains.personal, ...MAIL_COM_DOMAINS];

/** Governments with their own mail domain instead of one under a reserved public suffix. */
export const GOVERNMENT_DOMAINS: ReadonlySet<string> = new Set(domains.government);

/** Local parts of role mailboxes: those of RFC 2142, and common contact addresses of companies. */
export const ROLE_LOCAL_PARTS: ReadonlySet<string> = new Set(roleLocalParts);
