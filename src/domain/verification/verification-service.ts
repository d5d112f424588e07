import type { Clock } from '@vouchgraph/platform/clock';
import type { KeyedMutex } from '@vouchgraph/platform/keyed-mutex';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { FaceToEnroll, NewVerificationInput, SimulationInput } from '@vouchgraph/verification';
import type { AccountService } from '../accounts/account-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { create, createByLink } from './create-verification-service.ts';
import { enroll, verifyIdentity } from './enrolled-face-service.ts';
import type { FaceRecompute } from './faces/face-recompute-service.ts';
import { countTemplates, type FaceTemplateCounts } from './faces/face-recompute-store.ts';
import { count, search } from './find-verification-service.ts';
import type { MediaUrls, VerificationView } from './result/verification.ts';
import type { VerificationViews } from './result/view-service.ts';
import { type ReviewInput, review } from './review/review-service.ts';
import type { MediaRecord, PagedQuery, ResultRecord, VerificationFilter } from './verification-read-store.ts';
import { resultErrorOf } from './verification-record.ts';

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

/** Creates verification sessions and reads their results. */
export function createVerificationService(deps: VerificationDeps) {
  return {
    create: (viewer: Viewer, requestId: string, input: NewVerificationInput, sessionId?: string) =>
      create(deps, viewer, requestId, input, sessionId),
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
    search: (viewer: Viewer, filter: VerificationFilter, page: KeysetPage, query: PagedQuery) =>
      search(deps, viewer, filter, page, query),
    count: (viewer: Viewer, filter: VerificationFilter, limit: number) => count(deps, viewer, filter, limit),
    /** Views of completed sessions, in their order; null for any other session, and after the result has expired. */
    viewsIfComplete: (project: Project, verifications: readonly ResultRecord[]) =>
      viewsIfComplete(deps, project, verifications),
    /** Signed URLs of images and videos. */
    mediaUrls(project: Project, { media }: MediaRecord): MediaUrls {
      const now = deps.clock.now();
      return deps.views.readUrlsOf(
        project,
        media.filter(({ expiresAt }) => expiresAt > now),
      );
    },
    /** Face templates of the project by whether they can be compared. */
    countTemplates(viewer: Viewer): Promise<FaceTemplateCounts> {
      assertMay(viewer, 'project.read_face_templates');
      return countTemplates(viewer.project.database);
    },
    pageUrl: (sessionId: string, secret: string) => `${deps.baseUrl()}/verify/${sessionId}?s=${secret}`,
  };
}

function viewsIfComplete(
  { views, clock }: Pick<VerificationDeps, 'views' | 'clock'>,
  project: Project,
  verifications: readonly ResultRecord[],
): (VerificationView | null)[] {
  const now = clock.now();
  const readable = verifications.filter((each) => resultErrorOf(each, now) === null);
  const made = views.viewsOf(project, readable);
  const viewOf = new Map(readable.map((each, index) => [each, made[index]!]));
  return verifications.map((each) => viewOf.get(each) ?? null);
}
