import { parseEmail } from '@vouchgraph/email';
import { addressHashOf } from '@vouchgraph/email/checks';
import { outboxEvent } from '@vouchgraph/events';
import { isPlaceholderEmail } from '@vouchgraph/persons';
import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import { accountHash } from '../audit/account-hash.ts';
import { authorOf } from '../audit/audit-entry.ts';
import { eraseWideAnswers } from '../idempotency/idempotency-store.ts';
import { accountLockOf } from '../linking/rescore-service.ts';
import type { AccountErasure } from '../model/account-erasure-store.ts';
import type { AccountRow } from '../model/account-row.ts';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { deleteAccountRows } from './account-delete-store.ts';
import { accountNotFound } from './errors.ts';

export type EraseDependencies = {
  readonly clock: Clock;
  /** Erasures of all folders, in the order of their statements. */
  readonly erasures: readonly AccountErasure[];
  /** Called when an erasure enqueued recalculations of links or identities. */
  readonly onRecalculationDue: () => void;
  /** Removes the images of erased verifications; the next purge retries failures. */
  readonly onErased: (project: Project, sessionIds: readonly string[]) => Promise<void>;
};

/** Erases an account with its identifiers and links, and sessions that belong to no other account. Returns its internal id. */
export async function eraseAccount(
  { clock, erasures, onRecalculationDue, onErased }: EraseDependencies,
  viewer: Viewer,
  requestId: string,
  accountId: string,
): Promise<string> {
  assertMay(viewer, 'account.delete');
  const { project } = viewer;
  const now = clock.now();
  const event = outboxEvent(project.cipher, 'account.deleted', null, { accountId }, now);
  const erased = await deleteAccountRows(project.database, erasures, {
    accountId,
    accountLock: accountLockOf(project.cipher, accountId),
    mailboxesOf: (row) => mailboxesOf(project, row),
    cipher: project.cipher,
    event,
    now,
    author: authorOf(viewer, requestId),
    audit: {
      auditId: newId(now.getTime()),
      target: `account:${accountHash(project.cipher, accountId).whole}`,
    },
  });
  // Also completes an earlier erasure whose gateway crashed.
  const finished = eraseWideAnswers(project.database);
  if (erased === null) {
    await finished;
    throw accountNotFound();
  }
  // Not awaited: these answers are already invalid, and there can be many.
  finished.catch(() => {});
  onRecalculationDue();
  if (erased.imagesOf.length > 0) await onErased(project, erased.imagesOf);
  return erased.id;
}

/** Keyed hashes of an account's mailboxes; empty when its fields cannot be decrypted. */
export function mailboxesOf(project: Project, row: Pick<AccountRow, 'id' | 'personal'>): Buffer[] {
  try {
    const email = parseEmail(decryptPersonal(project, row).email);
    return isPlaceholderEmail(email.canonical) ? [] : [addressHashOf(project.cipher, email)];
  } catch {
    return [];
  }
}
