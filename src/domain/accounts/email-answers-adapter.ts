import { setTimeout as delay } from 'node:timers/promises';
import { type EmailProviders, parseEmail, UNKNOWN_ROUTE } from '@vouchgraph/email';
import type { MailExchangers } from '@vouchgraph/email/mail-exchangers-adapter';
import type { EmailAnswers } from './known-email.ts';

/** Sources of evidence about the emails of accounts. */
export type EmailSources = {
  /** Null: no DNS look-ups. */
  readonly mailExchangers: Pick<MailExchangers, 'status' | 'settled' | 'evidence'> | null;
  /** Null: no imported files are read, and no provider is queried. */
  readonly emailProviders: Pick<EmailProviders, 'isOnline' | 'lookUpOffline'> | null;
};

/** Longer than most DNS responses take, and short for a user who signs up. */
const MAIL_EXCHANGE_WAIT_MS = 250;

/**
 * Waits for the DNS look-up of a domain that is not cached, up to MAIL_EXCHANGE_WAIT_MS. Returns whether it is still pending: a
 * background check repeats it later.
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

/** Available evidence about an email without network I/O. Reads the imported files. */
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
