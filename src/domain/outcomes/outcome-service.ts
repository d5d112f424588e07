import { outboxEvent } from '@vouchgraph/events';
import type { Clock } from '@vouchgraph/platform/clock';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { isUuid, newId, timeOfId } from '@vouchgraph/platform/ids';
import { FUTURE_TEXT, isInFuture } from '@vouchgraph/platform/timestamp';
import type { Call } from '../../storage/database.ts';
import { lockAccountsCall } from '../accounts/account-change-store.ts';
import { accountNotFound } from '../accounts/errors.ts';
import { accountHash } from '../audit/account-hash.ts';
import { type AuditedChange, auditEntry } from '../audit/audit-entry.ts';
import { auditCall } from '../audit/audit-store.ts';
import { insertEventsCall } from '../events/insert-events-store.ts';
import { accountLockOf } from '../linking/rescore-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { OUTCOMES_TABLE, type OutcomeReport } from './outcome.ts';
import {
  deleteOutcome,
  deleteRepeated,
  findOutcome,
  findReportedAccount,
  insertOutcome,
  type StoredOutcome,
} from './outcome-store.ts';

export type OutcomeService = ReturnType<typeof createOutcomeService>;

/** Reports and retracts outcomes of accounts. */
export function createOutcomeService({ clock }: { clock: Clock }) {
  /**
   * Stores an outcome. The one reported last counts, whatever its time: a repeated report of it changes nothing, and a repeated
   * report of an earlier one replaces that one.
   */
  async function report(
    viewer: Viewer,
    requestId: string,
    { accountId, outcome, at, note: text }: OutcomeReport,
  ): Promise<{ outcome: StoredOutcome; isNew: boolean }> {
    assertMay(viewer, 'outcome.report');
    const { project, actor } = viewer;
    const { projectId, database, cipher } = project;
    const now = clock.now();
    if (isInFuture(at, now)) throw invalidInput(`at: ${FUTURE_TEXT}`, ['at']);
    return database.transaction(async (transaction) => {
      await transaction.run(lockAccountsCall([accountLockOf(cipher, accountId)]));
      const account = await findReportedAccount(transaction, projectId, accountId);
      if (!account) throw accountNotFound();
      const [last] = account.outcomes;
      if (last?.outcome === outcome && last.at.getTime() === at.getTime()) {
        await transaction.commit();
        return { outcome: { ...last, account: { accountId } }, isNew: false };
      }
      if (last) await deleteRepeated(transaction, { projectId, accountId: account.id, outcome, at });
      const outcomeId = newId(last ? timeAfter(last.outcomeId, now) : now.getTime());
      const note = text ? new Uint8Array(cipher.encryptJson(OUTCOMES_TABLE, outcomeId, text)) : null;
      const reported = { outcomeId, accountId: account.id, outcome, at, note, actor, reportedAt: now };
      const inserted = await insertOutcome(transaction, { projectId, ...reported });
      const row = { ...inserted, account: { accountId } };
      const change = { action: 'outcome.report', after: auditedOf(project, row) } as const;
      await transaction.commit(
        auditOf(viewer, requestId, now, row, change),
        eventCall(viewer, requestId, row, { type: 'account.outcome_reported', now }),
      );
      return { outcome: row, isNew: true };
    });
  }

  /** Deletes an outcome. Throws `outcome.not_found` if it does not exist. */
  async function retract(viewer: Viewer, requestId: string, outcomeId: string): Promise<StoredOutcome> {
    assertMay(viewer, 'outcome.retract');
    if (!isUuid(outcomeId)) throw outcomeNotFound();
    const { project } = viewer;
    const { projectId, database, cipher } = project;
    const found = await findOutcome(database, outcomeId);
    if (!found) throw outcomeNotFound();
    // Under the account's lock, as a report, so that a concurrent erasure misses no event.
    const lock = accountLockOf(cipher, found.account.accountId);
    return database.transaction(async (transaction) => {
      await transaction.run(lockAccountsCall([lock]));
      if (!(await deleteOutcome(transaction, projectId, outcomeId))) throw outcomeNotFound();
      const now = clock.now();
      const change = { action: 'outcome.retract', before: auditedOf(project, found) } as const;
      await transaction.commit(
        auditOf(viewer, requestId, now, found, change),
        eventCall(viewer, requestId, found, { type: 'account.outcome_retracted', now }),
      );
      return found;
    });
  }

  return { report, retract };
}

/** A time whose ids are greater than an id, also of the same millisecond or of a gateway whose clock is ahead. */
function timeAfter(outcomeId: string, now: Date): number {
  return Math.max(now.getTime(), timeOfId(outcomeId).getTime() + 1);
}

/** The note of an outcome; null without one. */
export function noteOf({ cipher }: Project, { outcomeId, note }: StoredOutcome): string | null {
  return note && cipher.decryptJson<string>(OUTCOMES_TABLE, outcomeId, note);
}

/** The same error for an unknown outcome and an outcome of another project. */
function outcomeNotFound(): AppError {
  return new AppError('outcome.not_found', 'not_found', 'Outcome not found');
}

/** Inserts the event of a changed outcome, without its note: a retraction deletes the note. */
function eventCall(
  { actor, project }: Viewer,
  requestId: string,
  { outcomeId, accountId: internalId, account: { accountId }, outcome, at }: StoredOutcome,
  { type, now }: { type: 'account.outcome_reported' | 'account.outcome_retracted'; now: Date },
): Call {
  const facts = { accountId, outcomeId, outcome, at: at.toISOString(), actor };
  const event = outboxEvent(project.cipher, type, null, facts, now);
  return insertEventsCall(project.projectId, [{ ...event, accountId: internalId }], { requestId, now });
}

function auditOf(
  viewer: Viewer,
  requestId: string,
  at: Date,
  { outcomeId }: StoredOutcome,
  change: Omit<AuditedChange, 'target'>,
): Call {
  const entry = auditEntry(viewer, requestId, at, { ...change, target: `outcome:${outcomeId}` });
  return auditCall(viewer.project.projectId, entry);
}

function auditedOf({ cipher }: Project, { account, outcome, at }: StoredOutcome) {
  return { account: accountHash(cipher, account.accountId).short, outcome, at };
}
