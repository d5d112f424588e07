import domains from '../data/mail-com-domains.json' with { type: 'json' };

/**
 * Domains of public mailboxes at mail.com. Three independent public copies of the choice on its sign-up page agree on 188
 * of them (a list in a fraud check in PHP, one in a client of mail.com's interface, a page on the rules of mailbox
 * providers; read in November 2026). cheerful.com and appraiser.net are in one of the three and in older copies. Names that
 * mail.com once offered and others own today (clerk.com, doctor.com, lawyer.com, oath.com, scientist.com) are omitted.
 */
export const MAIL_COM_DOMAINS: readonly string[] = domains;
