import type { Clock } from '@vouchgraph/platform/clock';
import { unavailable } from '@vouchgraph/platform/errors';
import type { KeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import {
  accountAlreadyEnrolled,
  accountNotEnrolled,
  checkAccountId,
  enrolledFaceNotComparable,
  type FaceToEnroll,
  sessionTied,
  verificationAccountNotFound,
  verificationError,
} from '@vouchgraph/verification';
import { faceDistance, isSameFace, VisionWorkerError } from '@vouchgraph/vision';
import { verificationDistance } from '@vouchgraph/vision/face-thresholds';
import type { AccountService } from '../accounts/account-service.ts';
import { findAccountByAccountId } from '../accounts/account-store.ts';
import type { VerificationBinding } from '../accounts/change-queue-service.ts';
import { LOCK_FACES } from '../model/face-lock-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { accountOfCheck, lockCheckCalls, toLockedCheck } from './check-lock-store.ts';
import { decryptDescriptor } from './faces/face-index-service.ts';
import type { FaceRecompute } from './faces/face-recompute-service.ts';
import {
  ENROLL,
  type FaceTemplateRow,
  FIND_ENROLLED,
  FIND_OF_SESSION,
  findEnrolledFace,
  findFaceOfSession,
  isComparable,
  REPLACE_ENROLLED,
} from './faces/face-store.ts';
import { boundTo, getFor } from './find-verification-service.ts';
import { type BoundCheck, readBoundCheck } from './result/bind-check-service.ts';
import type { VerificationKey } from './verification-read-store.ts';
import type { VerificationRow } from './verification-store.ts';

const DAY_MS = 86_400_000;

type Deps = {
  readonly accounts: AccountService;
  readonly clock: Clock;
  readonly mutex: KeyedMutex;
  readonly recompute: Pick<FaceRecompute, 'ofAccount' | 'ofSession'>;
};

function isSameEnrolled({ cipher, settings }: Project, a: FaceTemplateRow, b: FaceTemplateRow): boolean {
  const distance = faceDistance(
    decryptDescriptor(cipher, a.template_id, a.descriptor),
    decryptDescriptor(cipher, b.template_id, b.descriptor),
  );
  return isSameFace(distance, verificationDistance(settings.faceMatching));
}

/** The face cannot be read now. The client can retry; nothing was changed. */
async function recomputeNow(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    throw error instanceof VisionWorkerError ? unavailable(error) : error;
  });
}

/**
 * Whether the face of a session matches the face enrolled for an account. Stale faces are recomputed first; a stale enrolled face
 * without images counts as missing.
 */
export async function verifyIdentity(
  deps: Deps,
  viewer: Viewer,
  id: string,
  accountId: string,
): Promise<boolean> {
  assertMay(viewer, 'verification.verify');
  const { project } = viewer;
  const row = await getFor(deps, project, 'verify-identity', id);
  if (!(await findAccountByAccountId(project.database, accountId))) throw verificationAccountNotFound();
  if (row.simulation) return row.decision === 'Real';
  await recomputeNow(() => deps.recompute.ofAccount(project, accountId));
  await recomputeNow(() => deps.recompute.ofSession(project, row.session_id));
  const [face, enrolled] = await Promise.all([
    findFaceOfSession(project.database, row.session_id),
    findEnrolledFace(project.database, accountId),
  ]);
  if (!enrolled) throw accountNotEnrolled();
  if (!isComparable(enrolled)) throw enrolledFaceNotComparable();
  if (!face || !isComparable(face)) throw verificationError('session_not_valid_for_this_endpoint');
  return isSameEnrolled(project, face, enrolled);
}

/** Binds the session to the account, and enrolls its face if the account has none or if it is replaced. */
export async function enroll(
  deps: Deps,
  viewer: Viewer,
  requestId: string,
  { sessionId, accountId, replace }: FaceToEnroll,
): Promise<VerificationKey> {
  assertMay(viewer, 'verification.enroll');
  const { project } = viewer;
  if (replace) assertMay(viewer, 'verification.replace_face');
  const account = checkAccountId(accountId);
  if (account === null) throw verificationAccountNotFound();
  const row = await getFor(deps, project, 'enroll', sessionId);
  const owner = row.account_id ?? (await boundTo(project, row));
  if (owner !== null && owner !== account) throw sessionTied();
  await recomputeNow(() => deps.recompute.ofAccount(project, account));
  await recomputeNow(() => deps.recompute.ofSession(project, row.session_id));
  const binding = enrollment(deps, project, row, account, replace ?? false);
  await deps.mutex.runExclusive(project.projectId, () =>
    deps.accounts.bindVerification(viewer, requestId, account, row.session_id, binding),
  );
  return { projectId: project.projectId, sessionId: row.session_id, accountId: row.account_id };
}

/**
 * Additional effects of a binding that enrolls a face. An enrolled face is kept if the session shows the same one: the
 * person returned. An enrolled face that can no longer be compared is replaced.
 */
function enrollment(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  account: string,
  replaces: boolean,
): VerificationBinding {
  const { projectId } = project;
  const sessionId = row.session_id;
  const now = deps.clock.now();
  const seenUntil = new Date(now.getTime() + project.settings.seenFaceDays * DAY_MS);
  let check: BoundCheck;
  let isKept = false;
  return {
    isByCheck: true,
    async begin(transaction) {
      const rows = await transaction.run(
        [LOCK_FACES, [projectId]],
        ...lockCheckCalls(projectId, sessionId),
        [FIND_ENROLLED, [projectId, account]],
        [FIND_OF_SESSION, [projectId, sessionId]],
      );
      const locked = toLockedCheck(rows[2]);
      const [before, face] = rows.slice(3).map((found) => found[0] as FaceTemplateRow | undefined);
      if (!locked) throw verificationError('session_not_found');
      const owner = accountOfCheck(locked);
      if (owner !== null && owner !== account) throw sessionTied();
      // A project may keep faces for fewer days than results.
      if (!(face && isComparable(face)) && !row.simulation)
        throw verificationError('session_not_valid_for_this_endpoint');
      const isOther =
        before !== undefined && isComparable(before) && before.session_id !== sessionId && !replaces;
      isKept = isOther && face !== undefined && isSameEnrolled(project, face, before);
      if (isOther && !isKept && !row.simulation) throw accountAlreadyEnrolled();
      check = await readBoundCheck(project, transaction, { locked, sessionId, accountId: account, now });
      return check;
    },
    finish({ account: { row: own } }) {
      const at = [projectId, sessionId, own.id] as const;
      return {
        calls: [
          ...check.callsFor(own),
          // A simulated session has no face that could replace a real one.
          ...(row.simulation || isKept
            ? []
            : ([
                [REPLACE_ENROLLED, [...at, seenUntil]],
                [ENROLL, at],
              ] as const)),
        ],
        events: [],
      };
    },
  };
}
