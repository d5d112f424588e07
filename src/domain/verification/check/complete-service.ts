import type { Clock } from '@vouchgraph/platform/clock';
import type { KeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import type { VerificationResult } from '@vouchgraph/verification';
import type { AccountService } from '../../accounts/account-service.ts';
import type { Project } from '../../projects/project.ts';
import { findAccountOfCheck } from '../check-lock-store.ts';
import type { FaceSearch } from '../faces/face-index-service.ts';
import type { FaceRecompute } from '../faces/face-recompute-service.ts';
import { bindSessionOfCheck } from '../result/bind-check-service.ts';
import type { VerificationViews } from '../result/view-service.ts';
import type { VerificationRow } from '../verification-store.ts';
import { findFurtherAccounts } from './check-store.ts';
import { assessSeen, compareSessions, type SeenEvidence } from './compare-service.ts';
import {
  AlreadyEnded,
  BoundMeanwhile,
  finishAlone,
  finishBound,
  systemViewer,
  type Work,
} from './write-completion-service.ts';

type Deps = {
  readonly accounts: AccountService;
  readonly faces: FaceSearch;
  readonly views: VerificationViews;
  readonly clock: Clock;
  readonly mutex: KeyedMutex;
  /** Recomputes the enrolled face of an account if it is stale; null or absent for none. */
  readonly recompute?: Pick<FaceRecompute, 'ofAccount'> | null;
};

export type CompleteService = ReturnType<typeof createCompleteService>;

/**
 * Completes a verification: compares its face and document with earlier ones, computes its score, binds it to the account
 * it was created for or its session was bound to in the meantime, and emits its event; all in one transaction.
 */
export function createCompleteService(deps: Deps) {
  return {
    /** Completes with a simulated result. */
    completeSimulated: (project: Project, row: VerificationRow, simulated: VerificationResult) =>
      completeSimulated(deps, project, row, simulated),
    /** Completes with the findings from the images. */
    completeSeen: (project: Project, row: VerificationRow, seen: SeenEvidence) =>
      completeSeen(deps, project, row, seen),
    /** Applies the result to further accounts that the session was bound to before its completion. */
    bindFurther: (project: Project, row: VerificationRow) => bindFurther(deps, project, row),
  };
}

/** Completes with a simulated result. Score and flags stay as sent: the comparison is shown and has no weight. */
async function completeSimulated(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  simulated: VerificationResult,
): Promise<boolean> {
  const compared = row.referring_session_id === null ? null : await compareSessions(project, row);
  const result = { ...simulated, referring: compared?.referring?.signals ?? null };
  return finish(deps, project, row, async () => ({ result, template: null, sighting: null }));
}

/** Completes with the findings from the images. */
async function completeSeen(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  seen: SeenEvidence,
): Promise<boolean> {
  const known = await deps.faces.prepare(project);
  // A face that cannot be recomputed now is not compared. The check does not wait for it.
  if (row.account_id !== null) await deps.recompute?.ofAccount(project, row.account_id).catch(() => {});
  const comparison = await compareSessions(project, row);
  return finish(deps, project, row, (transaction, accountId) =>
    assessSeen(
      { project, row, accountId, faces: known, now: deps.clock.now() },
      seen,
      comparison,
      transaction,
    ),
  );
}

async function finish(deps: Deps, project: Project, row: VerificationRow, work: Work): Promise<boolean> {
  if (!(await finishOnce(deps, project, row, work))) return false;
  await bindFurther(deps, project, row);
  return true;
}

/**
 * Applies the result to further accounts that the session was bound to before its completion. Rules act on them as on
 * accounts bound afterwards. Idempotent.
 */
async function bindFurther(deps: Deps, project: Project, row: VerificationRow): Promise<void> {
  const { session_id: sessionId, request_id: requestId } = row;
  for (const accountId of await findFurtherAccounts(project.database, sessionId)) {
    const binding = bindSessionOfCheck(project, { sessionId, accountId, now: deps.clock.now() });
    await deps.accounts.rebindVerification(systemViewer(project), requestId, accountId, sessionId, binding);
  }
}

async function finishOnce(deps: Deps, project: Project, row: VerificationRow, work: Work): Promise<boolean> {
  // Usually known without a query. The row read under the lock decides.
  let accountId =
    row.account_id ?? (row.bound_account_id && (await findAccountOfCheck(project.database, row.session_id)));
  for (;;) {
    try {
      await deps.mutex.runExclusive(project.projectId, () =>
        accountId === null
          ? finishAlone(deps, project, row, work)
          : finishBound(deps, project, row, accountId, work),
      );
      return true;
    } catch (error) {
      if (error instanceof AlreadyEnded) return false;
      if (!(error instanceof BoundMeanwhile)) throw error;
      accountId = error.accountId;
    }
  }
}
