import type { Clock } from '../../platform/clock.ts';
import { sha256 } from '../../platform/crypto.ts';
import { unavailable } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { KeyedMutex } from '../../platform/keyed-mutex.ts';
import type { AccountService, VerificationBinding } from '../accounts/account-service.ts';
import { findAccountByAccountId } from '../accounts/account-store.ts';
import { LOCK_FACES } from '../model/face-lock-store.ts';
import type { VerificationKind } from '../model/verification-kind.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { newSessionSecret } from '../projects/session-secret.ts';
import { findSessions } from '../sessions/session-store.ts';
import { faceDistance, isSameFace } from '../vision/faces/face-distance.ts';
import { verificationDistance } from '../vision/faces/face-thresholds.ts';
import { VisionWorkerError } from '../vision/vision-pool.ts';
import { type BoundCheck, readBoundCheck } from './bind-check-service.ts';
import { has } from './capture.ts';
import { randomChallenge } from './capture-service.ts';
import {
  accountAlreadyEnrolled,
  accountNotEnrolled,
  enrolledFaceNotComparable,
  referringSessionNotFound,
  sessionTied,
  verificationAccountNotFound,
  verificationError,
} from './errors.ts';
import { openDescriptor } from './face-index-service.ts';
import type { FaceRecompute } from './face-recompute-service.ts';
import { countTemplates } from './face-recompute-store.ts';
import {
  ENROL,
  type FaceTemplateRow,
  FIND_ENROLLED,
  FIND_OF_SESSION,
  findEnrolledFace,
  findFaceOfSession,
  isComparable,
  REPLACE_ENROLLED,
} from './face-store.ts';
import { encryptRedirect } from './redirect-url.ts';
import { readSimulation } from './simulation.ts';
import {
  type Endpoint,
  type SessionStanding,
  START_WITHIN_HOURS,
  type StoredState,
  type VerificationState,
  verifyError,
} from './state-table.ts';
import { timesOf, Verification, type VerificationView } from './verification.ts';
import {
  checkAccountId,
  checkRedirect,
  languageOf,
  type NewVerificationInput,
  sessionIdOf,
} from './verification-input.ts';
import {
  accountOfCheck,
  findAccountOfCheck,
  findVerification,
  insertVerification,
  lockCheckCalls,
  searchVerifications,
  toLockedCheck,
  type VerificationFilter,
  type VerificationRow,
} from './verification-store.ts';
import type { VerificationViews } from './view-service.ts';

export type { FaceTemplateCounts } from './face-recompute-store.ts';

export type CreatedVerification = {
  readonly verification: Verification;
  /** Goes into the address of its page. */
  readonly secret: string;
};

const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;

export type VerificationService = ReturnType<typeof createVerificationService>;

/** Makes verification sessions, and answers what came of them. */
export function createVerificationService(deps: {
  accounts: AccountService;
  views: VerificationViews;
  clock: Clock;
  /** Held by project: one enrollment at a time. */
  mutex: KeyedMutex;
  recompute: Pick<FaceRecompute, 'ofAccount' | 'ofSession'>;
  /** What clients reach the service by. */
  baseUrl: () => string;
}) {
  const { accounts, views, clock, mutex, recompute } = deps;

  function create(
    viewer: Viewer,
    requestId: string,
    input: NewVerificationInput,
  ): Promise<CreatedVerification> {
    assertMay(viewer, 'verification.create');
    return insert(viewer.project, requestId, input);
  }

  /** The same for a page that followed the public link of a project. */
  function createByLink(
    viewer: Viewer,
    requestId: string,
    input: Omit<NewVerificationInput, 'simulation'>,
  ): Promise<CreatedVerification> {
    assertMay(viewer, 'verification.create_by_link');
    return insert(viewer.project, requestId, input);
  }

  async function insert(
    project: Project,
    requestId: string,
    input: NewVerificationInput,
  ): Promise<CreatedVerification> {
    const simulation = readSimulation(input.simulation ?? {}, project.environment === 'sandbox');
    const now = clock.now();
    const secret = newSessionSecret(project.projectId);
    const sessionId = newId(now.getTime());
    const redirectUrl = checkRedirect(project, input.redirectUrl);
    const row = {
      session_id: sessionId,
      kind: input.kind,
      simulation,
      secret_hash: sha256(secret),
      account_id: checkAccountId(input.accountId),
      referring_session_id: await referringOf(project, input.referringSessionId),
      sealed_redirect_url: encryptRedirect(project.cipher, sessionId, redirectUrl),
      language: languageOf(input.language),
      challenge: randomChallenge(),
      request_id: requestId,
      created_at: now,
      expires_at: new Date(now.getTime() + START_WITHIN_HOURS * HOUR_MS),
    };
    const stored = await insertVerification(project.database, row);
    return { verification: new Verification(project, stored), secret };
  }

  async function referringOf(project: Project, told: string | null | undefined): Promise<string | null> {
    if (!told) return null;
    const sessionId = sessionIdOf(told);
    if (sessionId === null || (await findSessions(project.database, [sessionId])).length === 0)
      throw referringSessionNotFound();
    return sessionId;
  }

  /** The session's row as an endpoint may use it. Throws the documented errors. */
  async function getFor({ project }: Viewer, endpoint: Endpoint, id: string): Promise<VerificationRow> {
    const sessionId = sessionIdOf(id);
    const row = sessionId === null ? null : await findVerification(project.database, sessionId);
    const error = verifyError(row && standingOf(row), endpoint, clock.now());
    if (error) throw verificationError(error);
    return row!;
  }

  /** The result of a completed check, with lists, rules and matches of now. */
  async function verify(
    viewer: Viewer,
    endpoint: 'verify-id' | 'verify-face',
    id: string,
  ): Promise<VerificationView> {
    assertMay(viewer, 'verification.verify');
    const verification = new Verification(viewer.project, await getFor(viewer, endpoint, id));
    const [view] = await views.viewsOf(viewer.project, [verification]);
    return view!;
  }

  /**
   * Whether the face of a session is the one that is enrolled for an account. Faces that earlier versions described are
   * recomputed first; an enrolled one without images is none.
   */
  async function verifyIdentity(viewer: Viewer, id: string, accountId: string): Promise<boolean> {
    assertMay(viewer, 'verification.verify');
    const { project } = viewer;
    const row = await getFor(viewer, 'verify-identity', id);
    if (!(await findAccountByAccountId(project.database, accountId))) throw verificationAccountNotFound();
    if (row.simulation) return row.decision === 'Real';
    await recomputeNow(() => recompute.ofAccount(project, accountId));
    await recomputeNow(() => recompute.ofSession(project, row.session_id));
    const [face, enrolled] = await Promise.all([
      findFaceOfSession(project.database, row.session_id),
      findEnrolledFace(project.database, accountId),
    ]);
    if (!enrolled) throw accountNotEnrolled();
    if (!isComparable(enrolled)) throw enrolledFaceNotComparable();
    if (!face || !isComparable(face)) throw verificationError('session_not_valid_for_this_endpoint');
    return isSameEnrolled(project, face, enrolled);
  }

  /** Binds the session to the account, and makes its face the account's, where it has none, or where it is replaced. */
  async function enrol(
    viewer: Viewer,
    requestId: string,
    { sessionId, accountId, replaces }: { sessionId: string; accountId: string; replaces: boolean },
  ): Promise<Verification> {
    assertMay(viewer, 'verification.enroll');
    const { project } = viewer;
    if (replaces) assertMay(viewer, 'verification.replace_face');
    const account = checkAccountId(accountId);
    if (account === null) throw verificationAccountNotFound();
    const row = await getFor(viewer, 'enroll', sessionId);
    const owner = row.account_id ?? (await boundTo(project, row));
    if (owner !== null && owner !== account) throw sessionTied();
    await recomputeNow(() => recompute.ofAccount(project, account));
    await recomputeNow(() => recompute.ofSession(project, row.session_id));
    const binding = enrollment(project, row, account, replaces);
    await mutex.runExclusive(project.projectId, () =>
      accounts.bindVerification(viewer, requestId, account, row.session_id, binding),
    );
    return new Verification(project, (await findVerification(project.database, row.session_id))!);
  }

  /**
   * What binding a session to enroll its face does besides. The enrolled face stays where the session shows the same
   * one: its person came back. One that can no longer be compared is replaced.
   */
  function enrollment(
    project: Project,
    row: VerificationRow,
    account: string,
    replaces: boolean,
  ): VerificationBinding {
    const { projectId } = project;
    const sessionId = row.session_id;
    const now = clock.now();
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
            // A simulated session has no face that could take the place of a real one.
            ...(row.simulation || isKept
              ? []
              : ([
                  [REPLACE_ENROLLED, [...at, seenUntil]],
                  [ENROL, at],
                ] as const)),
          ],
          events: [],
        };
      },
    };
  }

  function boundTo({ database }: Project, { session_id }: VerificationRow): Promise<string | null> {
    return findAccountOfCheck(database, session_id);
  }

  /** A session that the viewer may see, or null: unknown, foreign and malformed ids alike. */
  async function find(viewer: Viewer, id: string): Promise<Verification | null> {
    assertMay(viewer, 'verification.read');
    const sessionId = sessionIdOf(id);
    if (sessionId === null) return null;
    if (viewer.sessionId !== undefined && viewer.sessionId !== sessionId) return null;
    const row = await findVerification(viewer.project.database, sessionId);
    if (!row) return null;
    if (viewer.accountId !== undefined && !(await isOf(viewer, row))) return null;
    return new Verification(viewer.project, row);
  }

  async function isOf({ project, accountId }: Viewer, row: VerificationRow): Promise<boolean> {
    return (row.account_id ?? (await boundTo(project, row))) === accountId;
  }

  async function search(
    viewer: Viewer,
    asked: VerificationSearch,
    after: { createdAt: Date; sessionId: string } | null,
    limit: number,
  ): Promise<Verification[]> {
    assertMay(viewer, 'verification.search', { accountId: asked.accountId });
    const filter = filterOf(asked, clock.now());
    const rows = await searchVerifications(viewer.project.database, filter, after, limit);
    return rows.map((row) => new Verification(viewer.project, row));
  }

  /** The view of a completed session, null for any other, and for one whose time is over. */
  async function viewIfComplete(verification: Verification): Promise<VerificationView | null> {
    const [view] = await viewsIfComplete(verification.project, [verification]);
    return view!;
  }

  /** The same of several, in their order. */
  async function viewsIfComplete(
    project: Project,
    verifications: readonly Verification[],
  ): Promise<(VerificationView | null)[]> {
    const now = clock.now();
    const readable = verifications.filter(({ row }) => {
      const endpoint = row.kind === 'id' ? 'verify-id' : 'verify-face';
      return verifyError(standingOf(row), endpoint, now) === null;
    });
    const made = readable.length === 0 ? [] : await views.viewsOf(project, readable);
    const bySession = new Map(made.map((view) => [view.verification.sessionId, view]));
    return verifications.map(({ sessionId }) => bySession.get(sessionId) ?? null);
  }

  return {
    create,
    createByLink,
    verify,
    verifyIdentity,
    enrol,
    find,
    search,
    viewIfComplete,
    viewsIfComplete,
    /** Face templates of the project by whether they can be compared. */
    countTemplates(viewer: Viewer) {
      assertMay(viewer, 'project.read_face_templates');
      return countTemplates(viewer.project.database);
    },
    pageUrl: (sessionId: string, secret: string) => `${deps.baseUrl()}/verify/${sessionId}?s=${secret}`,
    /** The client's own id of the account that a session is bound to. */
    boundAccount(viewer: Viewer, { row }: Verification) {
      assertMay(viewer, 'verification.read');
      return row.bound_account_id === null ? null : boundTo(viewer.project, row);
    },
  };
}

/** Which sessions are looked for. */
export type VerificationSearch = {
  readonly kind?: VerificationKind | null | undefined;
  readonly state?: VerificationState | null | undefined;
  readonly decision?: string | null | undefined;
  readonly accountId?: string | null | undefined;
  readonly createdAfter?: Date | null | undefined;
  readonly createdBefore?: Date | null | undefined;
};

/** `expired` follows from the times, and those that are have another state stored. */
function filterOf(asked: VerificationSearch, now: Date): VerificationFilter {
  const { kind = null, state = null, decision = null, accountId = null } = asked;
  const expiring: StoredState[] = ['created', 'opened', 'capturing'];
  return {
    kind,
    states: state === null ? null : state === 'expired' ? expiring : [state],
    isExpired: state === 'expired' ? true : expiring.some((each) => each === state) ? false : null,
    decision,
    accountId,
    createdAfter: asked.createdAfter ?? null,
    createdBefore: asked.createdBefore ?? null,
    now,
  };
}

function standingOf(row: VerificationRow): SessionStanding {
  return {
    ...timesOf(row),
    kind: row.kind,
    failure: row.failure,
    createdAt: row.created_at,
    waitsForDocument:
      row.document_retakes === 0 && has(row.media, 'face_frame') && !has(row.media, 'id_front'),
  };
}

function isSameEnrolled({ cipher, settings }: Project, a: FaceTemplateRow, b: FaceTemplateRow): boolean {
  const distance = faceDistance(
    openDescriptor(cipher, a.template_id, a.descriptor),
    openDescriptor(cipher, b.template_id, b.descriptor),
  );
  return isSameFace(distance, verificationDistance(settings.faceMatching));
}

/** A face that cannot be read just now is asked for again; nothing was changed. */
async function recomputeNow(work: () => Promise<void>): Promise<void> {
  await work().catch((error: unknown) => {
    throw error instanceof VisionWorkerError ? unavailable(error) : error;
  });
}
