import type { EmailCheckOutcome } from '@vouchgraph/email/checks';
import type { OutboxEvent } from '@vouchgraph/events';
import type { Call, ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { ENDED, leaseEnd } from '../../storage/queue/lease-queue.ts';
import type { Project } from '../projects/project.ts';
import { encryptCheck, encryptOutcome, type PendingCheck } from './email-check-row.ts';
import { LEASE_SECONDS } from './email-check-sql.ts';

/*
 * Checks of the emails of accounts. A check is inserted by the change that sets the email, and completed in a transaction
 * that locks the account: its findings and its outcome are stored together.
 */

const INSERT = namedStatement(
  'email_check.insert_of_account',
  `insert into email_checks (project_id, check_id, account_id, address_hash, input, request_id, created_at, lease_id,
           claimable_at)
         values (:projectId, :checkId, :accountId, :addressHash, :input, :requestId, :createdAt, :checkId,
           ${leaseEnd(LEASE_SECONDS)})`,
);

/** The statement that inserts the pending check of an account's email, for the transaction of the change. */
export function insertAccountCheckCall(project: Project, check: PendingCheck): Call {
  const { checkId, accountId, input, requestId, createdAt } = check;
  const { addressHash, input: encrypted } = encryptCheck(project, { checkId, input: input! });
  return INSERT.call({
    projectId: project.projectId,
    checkId,
    accountId,
    addressHash,
    input: encrypted,
    requestId,
    createdAt,
  });
}

const LOCK: Statement = {
  name: 'email_check.lock_pending',
  text: `select 1 from email_checks where project_id = $1 and check_id = $2 and status = 'pending' for update`,
};

/** Locks a pending check until the transaction ends; false when it is completed or erased. */
export async function lockPendingCheck(
  transaction: Transaction,
  projectId: string,
  checkId: string,
): Promise<boolean> {
  const [rows = []] = await transaction.run([LOCK, [projectId, checkId]]);
  return rows.length > 0;
}

const END = namedStatement(
  'email_check.end_of_account',
  `update email_checks set status = :status, result = :result, event_id = :eventId, completed_at = :at, ${ENDED}
         where project_id = :projectId and check_id = :checkId and status = 'pending'`,
);

/** How the check of an account ends. */
export type AccountCheckEnd = {
  readonly checkId: string;
  readonly outcome: EmailCheckOutcome;
  readonly at: Date;
  /** Null when it found nothing new. */
  readonly event: OutboxEvent | null;
};

/** The statement that stores the outcome of an account's check; its event is inserted with those of the account. */
export function endAccountCheckCall(
  { projectId, cipher }: Project,
  { checkId, outcome, at, event }: AccountCheckEnd,
): Call {
  const status = 'assessment' in outcome ? 'success' : 'error';
  const result = encryptOutcome(cipher, checkId, outcome);
  return END.call({ projectId, checkId, status, result, eventId: event?.eventId ?? null, at });
}

/** Removes the pending check of an email that the account no longer has. */
export async function dropAccountCheck(
  { projectId, prisma }: ProjectDatabase,
  checkId: string,
): Promise<void> {
  await prisma.emailCheck.deleteMany({ where: { projectId, checkId, status: 'pending' } });
}

/** Client's id of an account by its internal id; null if it is erased. */
export async function findClientId(
  { projectId, prisma }: ProjectDatabase,
  id: string,
): Promise<string | null> {
  const where = { projectId_id: { projectId, id } };
  const account = await prisma.account.findUnique({ where, select: { accountId: true } });
  return account?.accountId ?? null;
}
