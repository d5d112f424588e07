import type { Clock } from '../../platform/clock.ts';
import type { KeyedMutex } from '../../platform/keyed-mutex.ts';
import type { KeysetPage } from '../../platform/keyset.ts';
import type { AccountService } from '../accounts/account-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { create, createByLink } from './create-verification-service.ts';
import { enroll, verifyIdentity } from './enrolled-face-service.ts';
import type { FaceRecompute } from './faces/face-recompute-service.ts';
import { countTemplates, type FaceTemplateCounts } from './faces/face-recompute-store.ts';
import { count, find, search, standingOf, type VerificationSearch } from './find-verification-service.ts';
import type { Verification, VerificationView } from './result/verification.ts';
import type { VerificationViews } from './result/view-service.ts';
import { type ReviewInput, review } from './review/review-service.ts';
import type { SimulationInput } from './simulation.ts';
import { type VerifyError, verifyError } from './state-table.ts';
import type { FaceToEnroll, NewVerificationInput } from './verification-input.ts';
import type { VerificationRow } from './verification-store.ts';

export type { FaceTemplateCounts } from './faces/face-recompute-store.ts';

export type VerificationService = ReturnType<typeof createVerificationService>;

type VerificationDeps = {
  accounts: AccountService;
  views: VerificationViews;
  clock: Clock;
  /** Mutex by project: one enrollment at a time. */
  mutex: KeyedMutex;
  recompute: Pick<FaceRecompute, 'ofAccount' | 'ofSession'>;
  /** Public URL of the gateway. */
  baseUrl: () => string;
  /** Whether images can be read. Without vision, only simulated sessions are possible. */
  hasVision: boolean;
};

export type { VerificationSearch } from './find-verification-service.ts';

/** Creates verification sessions and reads their results. */
export function createVerificationService(deps: VerificationDeps) {
  return {
    create: (viewer: Viewer, requestId: string, input: NewVerificationInput) =>
      create(deps, viewer, requestId, input),
    /** Creates a session for a page opened by the public link of a project. */
    createByLink: (
      viewer: Viewer,
      requestId: string,
      input: Omit<NewVerificationInput, keyof SimulationInput>,
    ) => createByLink(deps, viewer, requestId, input),
    /** Whether the face of a session matches the face enrolled for an account. */
    verifyIdentity: (viewer: Viewer, id: string, accountId: string) =>
      verifyIdentity(deps, viewer, id, accountId),
    /** Binds the session to the account, and enrolls its face if the account has none or if it is replaced. */
    enroll: (viewer: Viewer, requestId: string, input: FaceToEnroll) =>
      enroll(deps, viewer, requestId, input),
    /** Appends a reviewer's decision or its withdrawal. */
    review: (viewer: Viewer, requestId: string, input: ReviewInput) => review(deps, viewer, requestId, input),
    find,
    search: (viewer: Viewer, asked: VerificationSearch, page: KeysetPage) =>
      search(deps, viewer, asked, page),
    count: (viewer: Viewer, asked: VerificationSearch, limit: number) => count(deps, viewer, asked, limit),
    /** Reason why a session has no readable result; null if it has one. */
    resultError: ({ row }: Verification): VerifyError | null => resultErrorOf(deps, row),
    /** View of a completed session; null for any other session, and after the result has expired. */
    async viewIfComplete(verification: Verification): Promise<VerificationView | null> {
      const [view] = await viewsIfComplete(deps, verification.project, [verification]);
      return view!;
    },
    /** The same of several, in their order. */
    viewsIfComplete: (project: Project, verifications: readonly Verification[]) =>
      viewsIfComplete(deps, project, verifications),
    /** Face templates of the project by whether they can be compared. */
    countTemplates(viewer: Viewer): Promise<FaceTemplateCounts> {
      assertMay(viewer, 'project.read_face_templates');
      return countTemplates(viewer.project.database);
    },
    pageUrl: (sessionId: string, secret: string) => `${deps.baseUrl()}/verify/${sessionId}?s=${secret}`,
  };
}

type Reading = Pick<VerificationDeps, 'views' | 'clock'>;

function resultErrorOf({ clock }: Pick<Reading, 'clock'>, row: VerificationRow): VerifyError | null {
  return verifyError(standingOf(row), row.kind === 'id' ? 'verify-id' : 'verify-face', clock.now());
}

/** The same of several, in their order. */
async function viewsIfComplete(
  deps: Reading,
  project: Project,
  verifications: readonly Verification[],
): Promise<(VerificationView | null)[]> {
  const readable = verifications.filter(({ row }) => resultErrorOf(deps, row) === null);
  const made = readable.length === 0 ? [] : await deps.views.viewsOf(project, readable);
  const bySession = new Map(made.map((view) => [view.verification.sessionId, view]));
  return verifications.map(({ sessionId }) => bySession.get(sessionId) ?? null);
}
