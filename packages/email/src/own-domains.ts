import { MAIL_COM_DOMAINS } from './mail-com-domains.ts';

/**
 * Services that forward mail from made-up addresses to their customer's mailbox. They hide the identity; unlike a
 * disposable mailbox, they last and are read by one person. Hide My Email also gives out addresses at icloud.com,
 * which cannot be distinguished from ordinary ones.
 */
export const RELAY_DOMAINS = [
  'privaterelay.appleid.com',
  'mozmail.com',
  'relay.firefox.com',
  'duck.com',
  'simplelogin.com',
  'simplelogin.co',
  'simplelogin.fr',
  'aleeas.com',
  'slmail.me',
  'slmails.com',
  'silomails.com',
  'dralias.com',
  '8alias.com',
  '8shield.net',
  'passmail.net',
  'passmail.com',
  'passinbox.com',
  'passfwd.com',
  'anonaddy.com',
  'anonaddy.me',
  'addy.io',
  'addymail.com',
  '33mail.com',
  'erine.email',
  'opayq.com',
] as const;

/**
 * Named by a list of disposable domains and not disposable: a university, a public-access system, large providers,
 * Hushmail's and Tuta's own domains.
 */
export const NEVER_DISPOSABLE = [
  'hush.ai',
  'hush.com',
  'keemail.me',
  'nus.edu.sg',
  'sdf.org',
  '21cn.com',
  'sify.com',
  'tom.com',
  ...MAIL_COM_DOMAINS,
] as const;

/**
 * Providers of public mailboxes, on the list of education domains because a school once had its mail
 * there.
 */
export const NEVER_EDUCATION = ['berlin.de', 'chat.ru', 'forthnet.gr', 'vnn.vn'] as const;

/** Providers of personal mailboxes that other lists omit. */
export const PERSONAL_DOMAINS = [
  'tuta.com',
  'tutanota.com',
  'tutanota.de',
  'tutamail.com',
  'keemail.me',
  'startmail.com',
  'riseup.net',
  'disroot.org',
  'autistici.org',
  'kolabnow.com',
  'hush.ai',
  'hush.com',
  'hushmail.me',
  'fastmail.de',
  'fastmail.org',
  'fastmail.uk',
  'countermail.com',
  'soverin.net',
  'bbox.fr',
  'chello.at',
  'hispeed.ch',
  'mweb.co.za',
  'netvigator.com',
  'ofir.dk',
  'otenet.gr',
  'pacific.net.sg',
  'pchome.com.tw',
  'simnet.is',
  'slingshot.co.nz',
  'telkomsa.net',
  'utanet.at',
  'vodamail.co.za',
  'volny.cz',
  ...MAIL_COM_DOMAINS,
] as const;

/** Governments with their own mail domain instead of one under a reserved public suffix. */
export const GOVERNMENT_DOMAINS: ReadonlySet<string> = new Set([
  'admin.ch',
  'bund.de',
  'bundestag.de',
  'canada.ca',
  'europa.eu',
  'gov.bc.ca',
  'gov.hu',
  'gov.ro',
  'gov.scot',
  'gov.si',
  'gov.sk',
  'gov.wales',
  'gouv.qc.ca',
  'mod.uk',
  'parliament.uk',
]);

/** Local parts of role mailboxes: those of RFC 2142, and common contact addresses of companies. */
export const ROLE_LOCAL_PARTS: ReadonlySet<string> = new Set([
  'abuse',
  'accounting',
  'accounts',
  'admin',
  'administrator',
  'billing',
  'booking',
  'careers',
  'compliance',
  'contact',
  'customerservice',
  'enquiries',
  'feedback',
  'finance',
  'hello',
  'help',
  'helpdesk',
  'hostmaster',
  'hr',
  'info',
  'inquiries',
  'invoices',
  'jobs',
  'legal',
  'mail',
  'marketing',
  'newsletter',
  'no-reply',
  'noc',
  'noreply',
  'office',
  'orders',
  'postmaster',
  'press',
  'privacy',
  'reception',
  'root',
  'sales',
  'security',
  'service',
  'support',
  'team',
  'webmaster',
]);
