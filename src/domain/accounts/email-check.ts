import { parseEmail } from '@vouchgraph/email';
import { type OutboxEvent, outboxEvent } from '@vouchgraph/events';
import { newId } from '@vouchgraph/platform/ids';
import type { PendingCheck } from '../email-checks/email-check-row.ts';
import { checkSnapshot } from '../email-checks/email-check-snapshot.ts';
import { type EvaluatedCheck, withOutcome } from '../email-checks/email-check-worker.ts';
import type { Project } from '../projects/project.ts';
import type { ChangePlan } from './plan-change.ts';

/** Thrown when an email check ends without a change of its account. */
export class CheckEndsAlone extends Error {
  /**
   * `dropped`: the account no longer has the email. `ended`: nothing new was found. `elsewhere`: another process completed it.
   */
  readonly how: 'dropped' | 'ended' | 'elsewhere';

  constructor(how: CheckEndsAlone['how']) {
    super(how);
    this.how = how;
  }
}

/** The pending check of an account's new email; null without a new email, or without a source to query. */
export function pendingCheckOf(
  { newEmail, result: { account }, change: { now } }: ChangePlan,
  sources: {
    requestId: string;
    /** Whether the DNS look-up is still pending. */
    isOpen: boolean;
    /** Whether a provider is queried over the network. */
    isOnline: boolean;
  },
): PendingCheck | null {
  const { isOpen, isOnline, requestId } = sources;
  const { email, firstName, lastName } = account.personal;
  const isUnknown = isOpen && account.aggregates.email?.mailExchange === 'unknown';
  if (!(isUnknown || isOnline) || newEmail === '' || !parseEmail(newEmail).valid) return null;
  const hasName = firstName !== '' || lastName !== '';
  return {
    checkId: newId(now.getTime()),
    ...{ batchId: null, position: null, accountId: account.row.id, status: 'pending', requestId },
    input: {
      email,
      claims: hasName ? { firstName, lastName, phone: '', country: '' } : null,
      identityIntelligence: false,
    },
    ...{ assessment: null, error: null, createdAt: now, completedAt: null, attempts: 0 },
  };
}

/**
 * The event of a completed check of an account's email: the event of other checks, with the account. `now` is the time of the
 * change that inserts it: erasures find the event by the time in its id.
 */
export function completedEvent(
  { projectId, cipher }: Project,
  accountId: string,
  { check, outcome, at }: EvaluatedCheck,
  now: Date,
): OutboxEvent {
  const { attempts: _attempts, ...asked } = check;
  const facts = checkSnapshot(projectId, withOutcome(asked, outcome, at));
  return outboxEvent(cipher, 'email.intelligence.completed', null, { accountId, ...facts }, now);
}
