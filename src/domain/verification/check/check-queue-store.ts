import type { ProjectDatabase, Statement } from '../../../storage/database.ts';
import { createLeaseQueue, type Lease, leaseEnd } from '../../../storage/queue/lease-queue.ts';

/*
 * Submitted verifications as a queue: the statement that submits a session also makes it claimable. The job ends after the
 * follow-up work of a completed check.
 */

/** Simulated checks read no images and are claimed separately. */
export type CheckKind = 'simulated' | 'real';
export type ClaimedCheck = Lease & {
  /** Number of earlier claims. */
  readonly retries: number;
};

/** A process counts as dead after this time: it delays a verification by seconds, and images are not read twice. */
const LEASE_SECONDS = 10;
/** Delay of the first retry. It doubles with each retry. */
const RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 60;

const queueOf = (kind: CheckKind) =>
  createLeaseQueue<{ retries: number }>({
    subject: 'verification',
    jobs: `${kind}_checks`,
    table: 'verification_sessions',
    key: 'session_id',
    leaseSeconds: LEASE_SECONDS,
    condition: `x.simulation is ${kind === 'real' ? '' : 'not '}null`,
    claimed: 'claims = x.claims + 1',
    columns: 'x.claims - 1 as retries',
  });

export const CHECK_QUEUES = { real: queueOf('real'), simulated: queueOf('simulated') } as const;

/** SQL assignments that make a submitted session claimable after some seconds. A claim of its earlier images is lost. */
export const claimableAfter = (seconds: number) =>
  `lease_id = null, claims = 0, claimable_at = ${leaseEnd(seconds)}`;

/** Seconds until the next attempt of a failed check. */
export function retrySeconds({ retries }: ClaimedCheck): number {
  return Math.min(RETRY_SECONDS * 2 ** retries, MAX_RETRY_SECONDS);
}

const RUN_NOW: Statement = {
  name: 'verification.run_checks_now',
  text: `with made_due as (
           update verification_sessions set claimable_at = now()
           where project_id = $1 and claimable_at is not null and lease_id is null
         )
         select 1 from verification_sessions where project_id = $1 and claimable_at is not null limit 1`,
};

/** Makes all waiting checks of a project due. False when none waits or runs, in any process. */
export async function runChecksNow(database: ProjectDatabase): Promise<boolean> {
  return (await database.query(RUN_NOW, [database.projectId])).length > 0;
}
