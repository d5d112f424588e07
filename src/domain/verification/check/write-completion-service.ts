import { type OutboxEvent, outboxEvent } from '@vouchgraph/events';
import { WEBHOOK_URL_SECONDS } from '@vouchgraph/media';
import type { Clock } from '@vouchgraph/platform/clock';
import { documentOf, encryptResult, identifiersOf, verificationFacts } from '@vouchgraph/verification';
import type { Statement, Transaction } from '../../../storage/database.ts';
import type { AccountService } from '../../accounts/account-service.ts';
import { insertEventsCall } from '../../events/insert-events-store.ts';
import { LOCK_FACES } from '../../model/face-lock-store.ts';
import type { Viewer } from '../../projects/access-service.ts';
import type { Project } from '../../projects/project.ts';
import { Session } from '../../sessions/session.ts';
import { sessionSnapshot } from '../../sessions/session-snapshot.ts';
import { findSessions } from '../../sessions/session-store.ts';
import { accountOfCheck, lockCheckCalls, toLockedCheck } from '../check-lock-store.ts';
import { FIND_ENROLLED } from '../faces/face-store.ts';
import { checkRulesCall, toCheckRules } from '../result/check-rules-store.ts';
import {
  type CompletedCheck,
  decisionAfterLists,
  matchesOf,
  ruleNamesOf,
  type VerificationMatch,
} from '../result/verification.ts';
import { verificationSnapshot } from '../result/verification-snapshot.ts';
import { matchesOfSession, type VerificationViews } from '../result/view-service.ts';
import type { VerificationRow } from '../verification-store.ts';
import { COMPLETE } from './check-store.ts';
import type { Assessed } from './compare-service.ts';

type Deps = {
  readonly accounts: AccountService;
  readonly views: VerificationViews;
  readonly clock: Clock;
};

/** Another process completed the session in the meantime. */
export class AlreadyEnded extends Error {}

/** The session was bound to this account in the meantime. */
export class BoundMeanwhile extends Error {
  readonly accountId: string | null;
  constructor(accountId: string | null) {
    super('the session was bound meanwhile');
    this.accountId = accountId;
  }
}

const DAY_MS = 86_400_000;

/** Assesses the findings for the account of the check. */
export type Work = (transaction: Transaction, accountId: string | null) => Promise<Assessed>;

function completedEvent(
  { projectId, cipher }: Project,
  { session_id: sessionId, referring_session_id: referringSessionId, request_id: requestId }: VerificationRow,
  view: CompletedCheck,
  matches: readonly Omit<VerificationMatch, 'id'>[],
  now: Date,
): OutboxEvent {
  const { result, accountId } = view;
  const type = result.kind === 'id' ? 'verification.id_check.completed' : 'verification.face_check.completed';
  const facts = {
    accountId,
    referringSessionId,
    ...verificationSnapshot({ projectId, sessionId, referringSessionId }, view, matches, requestId, now),
  };
  return outboxEvent(cipher, type, sessionId, facts, now);
}

/** Completes the session record of the page. A bound session is completed with the binding. */
function sessionEvent({ cipher }: Project, session: Session, now: Date): OutboxEvent {
  return outboxEvent(cipher, 'session.completed', session.sessionId, sessionSnapshot(session), now);
}

/** Viewer of the gateway itself, for bindings. */
export function systemViewer(project: Project): Viewer {
  return { project, kind: 'key', role: 'server', actor: 'verification', limitKey: 'verification' };
}

/**
 * Takes locks until the commit: faces are compared one after another, a session is completed once, and no other
 * transaction binds it. Throws if the check belongs to another account than `expected`.
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
  // Images replaced in the meantime have no result.
  if (check?.state !== 'processing' || check.document_retakes !== row.document_retakes)
    throw new AlreadyEnded();
  const accountId = accountOfCheck(check);
  if (accountId !== expected) throw new BoundMeanwhile(accountId);
}

/** Completes a check without an account. */
export async function finishAlone(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  work: Work,
): Promise<void> {
  const [stored] = await findSessions(project.database, [row.session_id]);
  const session = stored ? new Session(project, stored) : null;
  const media = await deps.views.urlsOf(project, row.session_id, WEBHOOK_URL_SECONDS);
  await project.database.transaction(async (transaction) => {
    await begin(project, row, null, transaction);
    const assessed = await work(transaction, null);
    const ask = async (...call: Parameters<typeof transaction.run>[0] & readonly unknown[]) =>
      (await transaction.run(call))[0]!;
    const matches = await matchesOfSession(project, ask, session, assessed.result);
    const now = deps.clock.now();
    const view = {
      result: assessed.result,
      decision: assessed.result.decision,
      session,
      accountId: null,
      lists: [],
      rules: [],
      media,
    };
    const event = completedEvent(project, row, view, matches, now);
    await transaction.commit(
      completeCall(project, row, assessed, { account: null, group: '', enrolls: false }, now),
      insertEventsCall(
        project.projectId,
        session?.row.state === 'open' ? [sessionEvent(project, session, now), event] : [event],
        { requestId: row.request_id, now },
      ),
    );
  });
}

/** Completes a check and binds its account. */
export async function finishBound(
  deps: Deps,
  project: Project,
  row: VerificationRow,
  accountId: string,
  work: Work,
): Promise<void> {
  const media = await deps.views.urlsOf(project, row.session_id, WEBHOOK_URL_SECONDS);
  let assessed: Assessed;
  let isEnrolled = false;
  let held: Transaction;
  await deps.accounts.bindVerification(systemViewer(project), row.request_id, accountId, row.session_id, {
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
        completedAt: deps.clock.now(),
        document: documentOf(project.cipher, assessed.result, deps.clock.now()),
      };
    },
    async finish({ account, session, decided }, linked) {
      const pair = { account: account.row.id, sessionId: row.session_id };
      const [found = []] = await held.run(checkRulesCall(project.projectId, [pair]));
      const triggered = (decided?.rules ?? []).map(({ name }) => name);
      const now = deps.clock.now();
      const { result } = assessed;
      const view = {
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
      // Never replaces an enrolled face, and never enrolls a face that indicates fraud.
      const enrolls = !isEnrolled && result.decision !== 'Fake';
      const owner = { account: account.row.id, group: account.row.account_group, enrolls };
      return {
        calls: [completeCall(project, row, assessed, owner, now)],
        events: [completedEvent(project, row, view, matchesOf(linked), now)],
      };
    },
  });
}

function completeCall(
  project: Project,
  row: VerificationRow,
  { result, template, sighting }: Assessed,
  { account, group, enrolls }: { account: string | null; group: string; enrolls: boolean },
  now: Date,
): readonly [Statement, readonly unknown[]] {
  const seenUntil = new Date(now.getTime() + project.settings.seenFaceDays * DAY_MS);
  return COMPLETE.call({
    projectId: project.projectId,
    sessionId: row.session_id,
    now,
    decision: result.decision,
    riskScore: result.riskScore,
    result: encryptResult(project.cipher, row.session_id, result),
    accountId: account,
    templateId: template?.templateId ?? null,
    group,
    isEnrolled: enrolls,
    descriptor: template?.encrypted ?? null,
    seenUntil,
    numberHash: sighting?.numberHash ?? null,
    nameHash: sighting?.nameHash ?? null,
  });
}
