import { setTimeout as delay } from 'node:timers/promises';
import { parseEmail } from '../email/email-address.ts';
import type { MailExchangers } from '../email/mail-exchangers-adapter.ts';
import { UNKNOWN_ROUTE } from '../email/mail-route-adapter.ts';
import type { EmailProviders } from '../email/providers/email-providers.ts';
import type { EmailAnswers } from './known-email.ts';

/** What is asked about the emails of accounts. */
export type EmailSources = {
  /** Null: name servers are not asked. */
  readonly mailExchangers: Pick<MailExchangers, 'status' | 'settled' | 'evidence'> | null;
  /** Null: no files of breaches and profiles are read, and nobody is asked. */
  readonly emailProviders: Pick<EmailProviders, 'isOnline' | 'lookUpOffline'> | null;
};

/** Long enough for most answers of name servers, and short compared with the patience of a user who signs up. */
const MAIL_EXCHANGE_WAIT_MS = 250;

/**
 * Waits a moment for name servers where a domain is new to this process. Returns whether they have not answered by then: a
 * check in the background asks them later.
 */
export async function awaitMailExchange(
  { mailExchangers }: EmailSources,
  email: string | null | undefined,
): Promise<boolean> {
  const domain = email ? parseEmail(email).domain : '';
  if (!mailExchangers || domain === '' || mailExchangers.status(domain) !== 'unknown') return false;
  return Promise.race([
    mailExchangers.settled(domain).then(() => false),
    delay(MAIL_EXCHANGE_WAIT_MS, true, { ref: false }),
  ]);
}

/** What is known of an email without waiting. Reads the imported files. */
export function readEmailAnswers(
  { mailExchangers, emailProviders }: EmailSources,
  email: string | null | undefined,
): EmailAnswers {
  const parsed = email ? parseEmail(email) : null;
  return {
    mailOf: (domain) => mailExchangers?.evidence(domain) ?? UNKNOWN_ROUTE,
    providers: parsed?.valid && emailProviders ? emailProviders.lookUpOffline(parsed) : null,
  };
}
