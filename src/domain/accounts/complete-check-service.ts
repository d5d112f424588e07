import type { Transaction } from '../../storage/database.ts';
import {
  dropAccountCheck,
  endAccountCheckCall,
  findClientId,
  lockPendingCheck,
} from '../email-checks/account-check-store.ts';
import type { EvaluatedCheck } from '../email-checks/email-check-worker.ts';
import type { Project } from '../projects/project.ts';
import { type AddedWrites, type ChangeDependencies, changeAccount } from './change-queue-service.ts';
import { CheckEndsAlone, completedEvent } from './email-check.ts';
import type { ChangePlan } from './plan-change.ts';

/**
 * Stores the findings of look-ups about an account's email, and completes their check. Findings about an email that the account
 * no longer has are dropped.
 */
export async function completeEmailCheck(
  deps: ChangeDependencies,
  project: Project,
  done: EvaluatedCheck,
): Promise<void> {
  const { check, outcome, evidence, at } = done;
  const { database } = project;
  const accountId = await findClientId(database, check.accountId!);
  const learned = { mail: evidence?.mail ?? null, providers: evidence?.providers ?? null };
  const options = { sessionId: null, listNames: [], learned };
  const by = { project, actor: 'email check', requestId: check.requestId };
  const completion = {
    missing: () => new CheckEndsAlone('dropped'),
    finish: (transaction: Transaction, plan: ChangePlan) =>
      completionWrites(project, transaction, plan, done),
  };
  try {
    if (accountId === null) throw completion.missing();
    await changeAccount(deps, { ...by, accountId, changes: {}, options, completion });
  } catch (error) {
    if (!(error instanceof CheckEndsAlone)) throw error;
    if (error.how === 'dropped') await dropAccountCheck(database, check.checkId);
    if (error.how === 'ended') {
      const end = { checkId: check.checkId, outcome, at, event: null };
      await database.query(...endAccountCheckCall(project, end));
    }
  }
}

/** Writes of a completed email check. Throws `CheckEndsAlone` when the account does not change. */
async function completionWrites(
  project: Project,
  transaction: Transaction,
  plan: ChangePlan,
  done: EvaluatedCheck,
): Promise<AddedWrites> {
  const { account } = plan.result;
  const isCurrent =
    account.row.id === done.check.accountId && account.personal.email === done.check.input?.email;
  if (!isCurrent) throw new CheckEndsAlone('dropped');
  if (!(await lockPendingCheck(transaction, project.projectId, done.check.checkId)))
    throw new CheckEndsAlone('elsewhere');
  if (!plan.learns) throw new CheckEndsAlone('ended');
  const event = completedEvent(project, account.row.account_id, done, plan.change.now);
  const { outcome, at } = done;
  return {
    events: [event],
    calls: [endAccountCheckCall(project, { checkId: done.check.checkId, outcome, at, event })],
  };
}
