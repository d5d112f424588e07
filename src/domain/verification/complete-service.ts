import type { Clock } from '../../platform/clock.ts';
import type { KeyedMutex } from '../../platform/keyed-mutex.ts';
import type { Statement, Transaction } from '../../storage/database.ts';
import type { AccountService } from '../accounts/account-service.ts';
import { referringSessionOf } from '../events/event-store.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { WEBHOOK_URL_SECONDS } from '../media/media-url.ts';
import { LOCK_FACES } from '../model/face-lock-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import { Session } from '../sessions/session.ts';
import { sessionRecord } from '../sessions/session-record.ts';
import { findSessions } from '../sessions/session-store.ts';
import { bindSessionOfCheck } from './bind-check-service.ts';
import { checkRulesCall, toCheckRules } from './check-rules-store.ts';
import { type Assessed, assessSeen, compareSessions, type SeenEvidence } from './compare-service.ts';
import type { FaceSearch } from './face-index-service.ts';
import type { FaceRecompute } from './face-recompute-service.ts';
import { FIND_ENROLLED } from './face-store.ts';
import {
  decisionAfterLists,
  matchesOf,
  ruleNamesOf,
  Verification,
  type VerificationMatch,
  type VerificationView,
} from './verification.ts';
import { verificationRecord } from './verification-record.ts';
import {
  documentOf,
  identifiersOf,
  sealResult,
  type VerificationResult,
  verificationFacts,
} from './verification-result.ts';
import {
  accountOfCheck,
  COMPLETE,
  findAccountOfCheck,
  findFurtherAccounts,
  lockCheckCalls,
  toLockedCheck,
  type VerificationRow,
} from './verification-store.ts';
import { matchesOfSession, type VerificationViews } from './view-service.ts';

/** Somebody else completed it meanwhile. */
class AlreadyOver extends Error {}

/** Its session was bound to this account meanwhile. */
class BoundMeanwhile extends Error {
  readonly accountId: string | null;
  constructor(accountId: string | null) {
    super('the session was bound meanwhile');
    this.accountId = accountId;
  }
}

const DAY_MS = 86_400_000;

export type CompleteService = ReturnType<typeof createCompleteService>;

/** Assesses what was seen, for the account that the check belongs to. */
type Work = (transaction: Transaction, accountId: string | null) => Promise<Assessed>;

/**
 * Completes a verification: compares its face and document with those of before, works out its score, binds it to the
 * account that it was made for, or that its session was bound to meanwhile, and emits its event; all in one transaction.
 */
export function createCompleteService(deps: {
  accounts: AccountService;
  faces: FaceSearch;
  views: VerificationViews;
  clock: Clock;
  /** Held by project: one enrollment at a time. */
  mutex: KeyedMutex;
  /** Recomputes the enrolled face of an account that an earlier version made; null or absent for none. */
  recompute?: Pick<FaceRecompute, 'ofAccount'> | null;
}) {
  const { accounts, faces, views, clock, mutex, recompute = null } = deps;

  /** With a result that was made without images. Score and flags stay as sent: the comparison is shown, and weighs nothing. */
  async function completeSimulated(
    project: Project,
    row: VerificationRow,
    simulated: VerificationResult,
  ): Promise<boolean> {
    const compared = row.referring_session_id === null ? null : await compareSessions(project, row);
    const result = { ...simulated, referring: compared?.referring?.signals ?? null };
    return finish(project, row, async () => ({ result, template: null, sighting: null }));
  }

  /** With what its pictures show. */
  async function completeSeen(project: Project, row: VerificationRow, seen: SeenEvidence): Promise<boolean> {
    const known = await faces.prepare(project);
    // What cannot be recomputed now is not compared: the check itself does not wait for it.
    if (row.account_id !== null) await recompute?.ofAccount(project, row.account_id).catch(() => {});
    const comparison = await compareSessions(project, row);
    return finish(project, row, (transaction, accountId) =>
      assessSeen({ project, row, accountId, faces: known, now: clock.now() }, seen, comparison, transaction),
    );
  }

  async function finish(project: Project, row: VerificationRow, work: Work): Promise<boolean> {
    if (!(await finishOnce(project, row, work))) return false;
    await bindFurther(project, row);
    return true;
  }

  /**
   * Brings the result to accounts that the session was bound to besides, before there was one: rules act on them as on
   * accounts that it is bound to afterwards. Again, it changes nothing.
   */
  async function bindFurther(project: Project, row: VerificationRow): Promise<void> {
    const { session_id: sessionId, request_id: requestId } = row;
    for (const accountId of await findFurtherAccounts(project.database, sessionId)) {
      const binding = bindSessionOfCheck(project, { sessionId, accountId, now: clock.now() });
      await accounts.rebindVerification(systemViewer(project), requestId, accountId, sessionId, binding);
    }
  }

  async function finishOnce(project: Project, row: VerificationRow, work: Work): Promise<boolean> {
    // Known without asking for most; what the lock shows decides.
    let accountId =
      row.account_id ??
      (row.bound_account_id && (await findAccountOfCheck(project.database, row.session_id)));
    for (;;) {
      try {
        await mutex.runExclusive(project.projectId, () =>
          accountId === null ? finishAlone(project, row, work) : finishBound(project, row, accountId, work),
        );
        return true;
      } catch (error) {
        if (error instanceof AlreadyOver) return false;
        if (!(error instanceof BoundMeanwhile)) throw error;
        accountId = error.accountId;
      }
    }
  }

  /**
   * Held until the commit: faces come one after another, a session is completed once, and nobody binds it meanwhile.
   * Throws where the check belongs to another account than `expected`.
   */
  async function begin(
    project: Project,
    row: VerificationRow,
    expected: string | null,
    transaction: Transaction,
  ): Promise<void> {
    const rows = await transaction.run(
      [LOCK_FACES, [project.projectId]],
      ...lockCheckCalls(project.projectId, row.session_id),
    );
    const check = toLockedCheck(rows.at(-1));
    // Images that were replaced meanwhile have no result.
    if (check?.state !== 'processing' || check.document_retakes !== row.document_retakes)
      throw new AlreadyOver();
    const accountId = accountOfCheck(check);
    if (accountId !== expected) throw new BoundMeanwhile(accountId);
  }

  async function finishAlone(project: Project, row: VerificationRow, work: Work): Promise<void> {
    const [stored] = await findSessions(project.database, [row.session_id]);
    const session = stored ? new Session(project, stored) : null;
    const media = await views.urlsOf(project, row.session_id, WEBHOOK_URL_SECONDS);
    await project.database.transaction(async (transaction) => {
      await begin(project, row, null, transaction);
      const assessed = await work(transaction, null);
      const ask = async (...call: Parameters<typeof transaction.run>[0] & readonly unknown[]) =>
        (await transaction.run(call))[0]!;
      const matches = await matchesOfSession(project, ask, session, assessed.result);
      const now = clock.now();
      const view = {
        verification: new Verification(project, row),
        result: assessed.result,
        decision: assessed.result.decision,
        session,
        accountId: null,
        lists: [],
        rules: [],
        media,
      };
      const event = completedEvent(project, view, matches, row.request_id, now);
      await transaction.commit(
        completeCall(project, row, assessed, { account: null, group: '', enrols: false }, now),
        ...(session?.row.state === 'open'
          ? [tellCall(project, row, sessionEvent(project, session, now), now)]
          : []),
        tellCall(project, row, event, now),
      );
    });
  }

  async function finishBound(
    project: Project,
    row: VerificationRow,
    accountId: string,
    work: Work,
  ): Promise<void> {
    const media = await views.urlsOf(project, row.session_id, WEBHOOK_URL_SECONDS);
    let assessed: Assessed;
    let isEnrolled = false;
    let held: Transaction;
    await accounts.bindVerification(systemViewer(project), row.request_id, accountId, row.session_id, {
      isByCheck: true,
      async begin(transaction) {
        held = transaction;
        await begin(project, row, accountId, transaction);
        const [enrolled] = await transaction.run([FIND_ENROLLED, [project.projectId, accountId]]);
        isEnrolled = enrolled!.length > 0;
        assessed = await work(transaction, accountId);
        return {
          identifiers: identifiersOf(assessed.result),
          facts: verificationFacts(assessed.result),
          document: documentOf(project.cipher, assessed.result),
        };
      },
      async finish({ account, session, decided }, linked) {
        const pair = { account: account.row.id, sessionId: row.session_id };
        const [found = []] = await held.run(checkRulesCall(project.projectId, [pair]));
        const triggered = (decided?.rules ?? []).map(({ name }) => name);
        const now = clock.now();
        const { result } = assessed;
        const view = {
          verification: new Verification(project, row),
          result,
          decision: decisionAfterLists(result.decision, account.row.lists),
          session,
          accountId,
          lists: account.row.lists.map(({ name }) => name),
          rules: ruleNamesOf(
            toCheckRules(found),
            { account: account.row, sessionId: row.session_id },
            triggered,
          ),
          media,
        };
        // Never over a face that is enrolled, and never one that speaks for a fraud.
        const enrols = !isEnrolled && result.decision !== 'Fake';
        const owner = { account: account.row.id, group: account.row.account_group, enrols };
        return {
          calls: [completeCall(project, row, assessed, owner, now)],
          events: [completedEvent(project, view, matchesOf(linked), row.request_id, now)],
        };
      },
    });
  }

  function completeCall(
    project: Project,
    row: VerificationRow,
    { result, template, sighting }: Assessed,
    { account, group, enrols }: { account: string | null; group: string; enrols: boolean },
    now: Date,
  ): readonly [Statement, readonly unknown[]] {
    const seenUntil = new Date(now.getTime() + project.settings.seenFaceDays * DAY_MS);
    return [
      COMPLETE,
      [
        project.projectId,
        row.session_id,
        now,
        result.decision,
        result.riskScore,
        sealResult(project.cipher, row.session_id, result),
        account,
        template?.templateId ?? null,
        group,
        enrols,
        template?.sealed ?? null,
        seenUntil,
        sighting?.numberHash ?? null,
        sighting?.nameHash ?? null,
      ],
    ];
  }

  return { completeSimulated, completeSeen, bindFurther };
}

function completedEvent(
  project: Project,
  view: Omit<VerificationView, 'matches'>,
  matches: readonly VerificationMatch[],
  requestId: string,
  now: Date,
): OutboxEvent {
  const { result, verification, accountId } = view;
  const type = result.kind === 'id' ? 'verification.id_check.completed' : 'verification.face_check.completed';
  const data = {
    account_id: accountId,
    referring_session_id: verification.row.referring_session_id,
    ...verificationRecord(view, matches, requestId, now),
  };
  return outboxEvent(project.cipher, type, verification.sessionId, data, now);
}

/** Its page is done with it; the session of one that is bound is completed with the binding. */
function sessionEvent({ cipher }: Project, session: Session, now: Date): OutboxEvent {
  return outboxEvent(cipher, 'session.completed', session.sessionId, sessionRecord(session), now);
}

const TELL: Statement = {
  name: 'verification.tell',
  text: `insert into outbox_events (project_id, event_id, type, created_at, payload, session_id, request_id,
           referring_session_id)
         values ($1, $2, $3, $4, $5, $6, $7, ${referringSessionOf('$6')})`,
};

function tellCall({ projectId }: Project, row: VerificationRow, event: OutboxEvent, now: Date) {
  const values = [projectId, event.eventId, event.type, now, event.payload, row.session_id, row.request_id];
  return [TELL, values] as const;
}

function systemViewer(project: Project): Viewer {
  return { project, kind: 'key', role: 'server', actor: 'verification', limitKey: 'verification' };
}
