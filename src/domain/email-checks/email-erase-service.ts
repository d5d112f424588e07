import { parseEmail } from '@vouchgraph/email';
import { addressHashOf } from '@vouchgraph/email/checks';
import type { Clock } from '@vouchgraph/platform/clock';
import { invalidInput } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import { auditEntry } from '../audit/audit-entry.ts';
import { eraseWideAnswers } from '../idempotency/idempotency-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { type ErasedCounts, eraseChecksOfAddress } from './email-erase-store.ts';

export type { ErasedCounts } from './email-erase-store.ts';

export type EmailEraseService = ReturnType<typeof createEmailEraseService>;

/** Erases the stored checks of an address. `onErased` is called after rows were erased, which can complete batches. */
export function createEmailEraseService(deps: { clock: Clock; onErased?: () => void }) {
  const { clock, onErased = () => {} } = deps;

  /**
   * Erases all checks of a mailbox, under any spelling of its address, with their events and deliveries and with stored
   * responses that contain them. Accounts are kept. Throws `input.invalid`.
   */
  async function erase(viewer: Viewer, requestId: string | null, text: string): Promise<ErasedCounts> {
    assertMay(viewer, 'email_check.erase');
    const { project } = viewer;
    checkAddress(text);
    const { cipher, database } = project;
    const email = parseEmail(text);
    const target = `email:${cipher.blindIndex('audit email', email.canonical).toString('hex')}`;
    const total = { checks: 0, events: 0, deliveries: 0 };
    for (let isLast = false; !isLast; ) {
      const erased = await eraseChecksOfAddress(database, addressHashOf(cipher, email), (counts) =>
        auditEntry(viewer, requestId, clock.now(), { action: 'email.erase', target, after: { ...counts } }),
      );
      isLast = erased.isLast;
      total.checks += erased.counts.checks;
      total.events += erased.counts.events;
      total.deliveries += erased.counts.deliveries;
    }
    if (total.checks > 0) onErased();
    await eraseWideAnswers(database);
    return total;
  }

  return { erase };
}

function checkAddress(text: string): void {
  if (text.trim() === '') throw invalidInput('email: must not be empty', ['email']);
  if (text.length > LIMITS.emailLength)
    throw invalidInput(`email: must be at most ${LIMITS.emailLength} characters`, ['email']);
}
