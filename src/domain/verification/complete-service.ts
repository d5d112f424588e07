import type { Clock } from '../../platform/clock.ts';
import type { Turns } from '../../platform/turns.ts';
import type { Statement, Transaction } from '../../storage/database.ts';
import type { AccountService } from '../accounts/account-service.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { WEBHOOK_URL_SECONDS } from '../media/media-url.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import { Session } from '../sessions/session.ts';
import { sessionRecord } from '../sessions/session-record.ts';
import { findSessions } from '../sessions/session-store.ts';
import { checkRulesCall, toCheckRules } from './check-rules-store.ts';
import { type Assessed, assessSeen, compareSessions, type SeenEvidence } from './compare-service.ts';
import type { FaceSearch } from './face-index-service.ts';
import { FIND_ENROLLED, LOCK_FACES } from './face-store.ts';
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
  identifiersOf,
  sealResult,
  type VerificationResult,
  verificationFacts,
} from './verification-result.ts';
import { COMPLETE, LOCK_PROCESSING, type VerificationRow } from './verification-store.ts';
import { matchesOfSession, type VerificationViews } from './view-service.ts';

/** Somebody else completed it meanwhile. */
class AlreadyOver extends Error {}

const DAY_MS = 86_400_000;

export type CompleteService = ReturnType<typeof createCompleteService>;

/**
 * Completes a verification: compares its face and document with those of before, works out its score, binds it to its
 * account where one was named, and tells it; all in one transaction.
 */
export function createCompleteService(deps: {
  accounts: AccountService;
  faces: FaceSearch;
  views: VerificationViews;
  clock: Clock;
  /** One at a time of a project: see `createTurns`. */
  turns: Turns;
}) {
  const { accounts, faces, views, clock, turns } = deps;

  /** With a result that was made without pictures. */
  function completeSimulated(
    project: Project,
    row: VerificationRow,
    result: VerificationResult,
  ): Promise<boolean> {
    return finish(project, row, async () => ({ result, template: null, sighting: null }));
  }

  /** With what its pictures show. */
  async function completeSeen(project: Project, row: VerificationRow, seen: SeenEvidence): Promise<boolean> {
    const known = await faces.prepare(project);
    const comparison = await compareSessions(project, row);
    return finish(project, row, (transaction) =>
      assessSeen({ project, row, faces: known, now: clock.now() }, seen, comparison, transaction),
    );
  }

  async function finish(
    project: Project,
    row: VerificationRow,
    work: (transaction: Transaction) => Promise<Assessed>,
  ): Promise<boolean> {
    try {
      const { account_id: accountId } = row;
      await turns.take(project.projectId, () =>
        accountId === null ? finishAlone(project, row, work) : finishBound(project, row, accountId, work),
      );
      return true;
    } catch (error) {
      if (error instanceof AlreadyOver) return false;
      throw error;
    }
  }

  /** Held until the commit: faces come one after another, and a session is completed once. */
  async function begin(project: Project, row: VerificationRow, transaction: Transaction): Promise<void> {
    const [, waiting] = await transaction.run(
      [LOCK_FACES, [project.projectId]],
      [LOCK_PROCESSING, [project.projectId, row.session_id]],
    );
    if (waiting!.length === 0) throw new AlreadyOver();
  }

  async function finishAlone(
    project: Project,
    row: VerificationRow,
    work: (transaction: Transaction) => Promise<Assessed>,
  ): Promise<void> {
    const [stored] = await findSessions(project.database, [row.session_id]);
    const session = stored ? new Session(project, stored) : null;
    const media = await views.urlsOf(project, row.session_id, WEBHOOK_URL_SECONDS);
    await project.database.transaction(async (transaction) => {
      await begin(project, row, transaction);
      const assessed = await work(transaction);
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
    work: (transaction: Transaction) => Promise<Assessed>,
  ): Promise<void> {
    const media = await views.urlsOf(project, row.session_id, WEBHOOK_URL_SECONDS);
    let assessed: Assessed;
    let isEnrolled = false;
    let held: Transaction;
    await accounts.bindVerification(systemViewer(project), row.request_id, accountId, row.session_id, {
      async begin(transaction) {
        held = transaction;
        await begin(project, row, transaction);
        const [enrolled] = await transaction.run([FIND_ENROLLED, [project.projectId, accountId]]);
        isEnrolled = enrolled!.length > 0;
        assessed = await work(transaction);
        return {
          identifiers: identifiersOf(assessed.result),
          facts: verificationFacts(assessed.result),
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

  return { completeSimulated, completeSeen };
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
  text: `insert into outbox_events (project_id, event_id, type, created_at, payload, session_id, request_id)
         values ($1, $2, $3, $4, $5, $6, $7)`,
};

function tellCall({ projectId }: Project, row: VerificationRow, event: OutboxEvent, now: Date) {
  const values = [projectId, event.eventId, event.type, now, event.payload, row.session_id, row.request_id];
  return [TELL, values] as const;
}

function systemViewer(project: Project): Viewer {
  return { project, kind: 'key', role: 'server', actor: 'verification', limitKey: 'verification' };
}
