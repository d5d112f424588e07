import type { Clock } from '../../platform/clock.ts';
import { AppError, invalidInput } from '../../platform/errors.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import type { Call } from '../../storage/database.ts';
import { LOCK_ACCOUNT } from '../accounts/account-change-store.ts';
import { accountNotFound } from '../accounts/errors.ts';
import { accountMark } from '../audit/account-mark.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import { insertEventsCall } from '../events/insert-events-store.ts';
import { outboxEvent } from '../events/outbox-event.ts';
import { accountLockOf } from '../linking/rescore-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { type AccountOutcome, OUTCOMES_TABLE, type OutcomeReport } from './outcome.ts';
import { findOutcomes, type OutcomeRow, REPORT, RETRACT } from './outcome-store.ts';

export type OutcomeService = ReturnType<typeof createOutcomeService>;

/** Reports and retracts outcomes of accounts. */
export function createOutcomeService({ clock }: { clock: Clock }) {
  /** Stores an outcome. A repeated report of the same outcome, account and time changes nothing. */
  async function report(
    viewer: Viewer,
    requestId: string,
    { accountId, outcome, at, note }: OutcomeReport,
  ): Promise<{ outcome: AccountOutcome; isNew: boolean }> {
    assertMay(viewer, 'outcome.report');
    const { project, actor } = viewer;
    const { projectId, database, cipher } = project;
    const now = clock.now();
    if (at > now) throw invalidInput('at: must not be in the future', ['at']);
    const outcomeId = newId(now.getTime());
    const encryptedNote = note ? cipher.encryptJson(OUTCOMES_TABLE, outcomeId, note) : null;
    return database.transaction(async (transaction) => {
      const [, rows] = await transaction.run(
        [LOCK_ACCOUNT, [accountLockOf(cipher, accountId).toString()]],
        [REPORT, [projectId, accountId, outcomeId, outcome, at, encryptedNote, actor, now]],
      );
      const row: (OutcomeRow & { is_new: boolean }) | undefined = rows![0];
      if (!row) throw accountNotFound();
      const audit = auditOf(viewer, requestId, row, { action: 'outcome.report', at: now });
      const added = () => [
        auditCall(projectId, { ...audit, after: auditedOf(project, row) }),
        eventCall(viewer, requestId, row, { type: 'account.outcome_reported', now }),
      ];
      await transaction.commit(...(row.is_new ? added() : []));
      return { outcome: toOutcome(project, row), isNew: row.is_new };
    });
  }

  /** Deletes an outcome. Throws `outcome.not_found` if it does not exist. */
  async function retract(viewer: Viewer, requestId: string, outcomeId: string): Promise<AccountOutcome> {
    assertMay(viewer, 'outcome.retract');
    if (!isUuid(outcomeId)) throw outcomeNotFound();
    const { project } = viewer;
    const { projectId, database, cipher } = project;
    const [found] = await findOutcomes(database, [outcomeId]);
    if (!found) throw outcomeNotFound();
    // Under the account's lock, as a report, so that a concurrent erasure misses no event.
    const lock = accountLockOf(cipher, found.account_id).toString();
    return database.transaction(async (transaction) => {
      const [, rows] = await transaction.run([LOCK_ACCOUNT, [lock]], [RETRACT, [projectId, outcomeId]]);
      const row: OutcomeRow | undefined = rows![0];
      if (!row) throw outcomeNotFound();
      const now = clock.now();
      const audit = auditOf(viewer, requestId, row, { action: 'outcome.retract', at: now });
      await transaction.commit(
        auditCall(projectId, { ...audit, before: auditedOf(project, row) }),
        eventCall(viewer, requestId, row, { type: 'account.outcome_retracted', now }),
      );
      return toOutcome(project, row);
    });
  }

  return { report, retract };
}

/** An outcome with its note decrypted. */
export function toOutcome({ cipher }: Project, row: OutcomeRow): AccountOutcome {
  const { outcome_id: outcomeId, account, account_id: accountId, outcome, at, actor } = row;
  const note = row.note ? cipher.decryptJson<string>(OUTCOMES_TABLE, outcomeId, row.note) : '';
  return { outcomeId, account, accountId, outcome, at, note, actor, reportedAt: row.reported_at };
}

/** The same error for an unknown outcome and an outcome of another project. */
function outcomeNotFound(): AppError {
  return new AppError('outcome.not_found', 'not_found', 'Outcome not found');
}

/** Inserts the event of a changed outcome, without its note: a retraction deletes the note. */
function eventCall(
  { actor, project }: Viewer,
  requestId: string,
  { outcome_id, account, account_id, outcome, at }: OutcomeRow,
  { type, now }: { type: 'account.outcome_reported' | 'account.outcome_retracted'; now: Date },
): Call {
  const data = { account_id, outcome_id, outcome, at: at.toISOString(), actor };
  const event = outboxEvent(project.cipher, type, null, data, now);
  return insertEventsCall(project.projectId, [{ ...event, accountId: account }], { requestId, now });
}

function auditOf(
  { actor }: Viewer,
  requestId: string,
  { outcome_id }: OutcomeRow,
  { action, at }: Pick<AuditEntry, 'action' | 'at'>,
): AuditEntry {
  return { auditId: newId(at.getTime()), at, actor, action, target: `outcome:${outcome_id}`, requestId };
}

function auditedOf({ cipher }: Project, { account_id, outcome, at }: OutcomeRow) {
  return { account: accountMark(cipher, account_id).short, outcome, at };
}
