import { type AuthenticateAccount, rejectFutureBirth, requestedKinds } from '@vouchgraph/decisions';
import type { OutboxEvent } from '@vouchgraph/events';
import type { IdentifierKey } from '@vouchgraph/linking';
import type { DocumentIdentity } from '@vouchgraph/persons';
import { isUuid } from '@vouchgraph/platform/ids';
import type { Facts } from '@vouchgraph/rules';
import type { Call, Transaction } from '../../storage/database.ts';
import { insertAccountCheckCall } from '../email-checks/account-check-store.ts';
import type { PendingCheck } from '../email-checks/email-check-row.ts';
import { enqueueLeftIdentifiers, recalculateOtherLinks } from '../linking/rescore-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { sessionExpired, sessionNotFound } from '../sessions/errors.ts';
import type { Session } from '../sessions/session.ts';
import { type ClientIds, eventsOf, linkedOf } from './account-events.ts';
import { writeStatements } from './account-write-store.ts';
import type { ChangedAccount, ChangeInput, RequestedChangeContext } from './change-request.ts';
import { awaitMailExchange, type EmailSources, readEmailAnswers } from './email-answers-adapter.ts';
import { pendingCheckOf } from './email-check.ts';
import { accountNotFound } from './errors.ts';
import { type ChangePlan, planChange } from './plan-change.ts';
import { checkLists } from './plan-lists.ts';
import {
  type ChangeReads,
  lockAndReadChange,
  readLinkedIds,
  readRules,
  requestedIdentifiers,
} from './read-change-store.ts';

/*
 * Authenticating an account, and every other change of one, needs two round trips to the database:
 *
 *   trip 1   BEGIN, the locks, the reads         lockAndReadChange
 *            the plan, without I/O               planChange
 *   trip 2   the writes, COMMIT                  writeStatements
 *
 * Some changes need further trips: a session with a verification (its locks come before all others), identifiers that depend on
 * stored fields, lists or rules that this process has not read, links between other accounts, and the client ids of accounts
 * with added or removed links.
 */

/** Account data of a request: its identifiers as keyed hashes, and the compared fields. */
export type RequestedData = {
  readonly identifiers: readonly IdentifierKey[];
  readonly fields: { readonly [field in 'email' | 'firstName' | 'lastName']?: string | null | undefined };
};

/** A session with a verification, and the account of the request. */
export type BindingOfCheck = {
  readonly sessionId: string;
  /** The client's id of the account to which the session is bound. */
  readonly accountId: string;
  /** Account group of the request; null keeps the stored group. */
  readonly group?: string | null;
  readonly now: Date;
};

/** Participation of a session's verification in its binding, in the same transaction and under the same rules. */
export type VerificationBinding = {
  /** Whether the verification binds its own session, even an expired one; its event contains all linked accounts. */
  readonly isByCheck: boolean;
  /** Runs before all other locks and reads. `requested`: account data of the request. */
  begin(
    transaction: Transaction,
    requested: RequestedData,
  ): Promise<{
    /** The face and the document, as keyed hashes. */
    identifiers: readonly IdentifierKey[];
    /** Findings by the names of rule fields; null before completion. */
    facts: Facts | null;
    /** Completion time; null before completion. */
    completedAt: Date | null;
    /** Date of birth and number of the document, for linking only; null without them. */
    document: DocumentIdentity | null;
  }>;
  /** Computes writes and events from the account's links and lists after the change. */
  finish(
    bound: ChangedAccount & { session: Session },
    linked: readonly { accountId: string; kinds: number }[],
  ): AddedWrites | Promise<AddedWrites>;
};

/** Additional writes of trip 2. */
export type AddedWrites = { readonly calls: readonly Call[]; readonly events: readonly OutboxEvent[] };

/** A change with the participants of its transaction. */
export type AccountChangeRequest = ChangeInput & {
  readonly binding?: VerificationBinding;
  /** Completion of the email check that causes the change. Throws when the account does not change. */
  readonly completion?: {
    missing(): Error;
    finish(transaction: Transaction, plan: ChangePlan): Promise<AddedWrites>;
  };
};

export type ChangeDependencies = ChangeReads &
  EmailSources & {
    /** Binds a session with a verification. */
    readonly bindSessionOfCheck: (project: Project, binding: BindingOfCheck) => VerificationBinding;
    /** Receives committed email checks, which look up missing evidence. */
    readonly onEmailToCheck: (projectId: string, check: PendingCheck) => void;
    /** Called when a change enqueued recalculations of links or identities. */
    readonly onRecalculationDue: () => void;
  };

export type AuthenticatedSession = ChangedAccount & {
  session: Session;
  decided: NonNullable<ChangedAccount['decided']>;
};

/** Thrown when the session has a verification, whose locks must be acquired before all others. */
class SessionHasCheck extends Error {}

/** Binds a session to a new or known account, links it and scores it. A repeated pair counts once. */
export async function authenticate(
  deps: ChangeDependencies,
  viewer: Viewer,
  requestId: string,
  input: AuthenticateAccount,
  sessionId: string,
): Promise<AuthenticatedSession> {
  assertMay(viewer, 'session.authenticate');
  checkLists(input.lists ?? []);
  rejectFutureBirth(input, deps.clock.now(), ['account', 'dateOfBirth']);
  if (!isUuid(sessionId)) throw sessionNotFound();
  const { project, actor } = viewer;
  const options = { sessionId, listNames: input.lists ?? [] };
  const request = { project, actor, requestId, accountId: input.id, changes: input, options };
  const changed = await changeAccount(deps, request).catch((error: unknown) => {
    if (!(error instanceof SessionHasCheck)) throw error;
    const of = { sessionId, accountId: input.id, group: input.group ?? null, now: deps.clock.now() };
    return changeAccount(deps, { ...request, binding: deps.bindSessionOfCheck(project, of) });
  });
  return authenticated(changed);
}

/** The result of a change with a session. */
export function authenticated(changed: ChangedAccount & { session: Session | null }): AuthenticatedSession {
  return { ...changed, session: changed.session!, decided: changed.decided! };
}

/** Changes an account in one transaction. */
export async function changeAccount(
  deps: ChangeDependencies,
  request: AccountChangeRequest,
): Promise<ChangedAccount & { session: Session | null }> {
  const { project, changes } = request;
  // Before the transaction: no external I/O while locks are held.
  const isOpen = await awaitMailExchange(deps, changes.email);
  const answers = readEmailAnswers(deps, changes.email);
  const { result, needsRecalculation, pendingCheck } = await project.database.transaction(
    async (transaction) => {
      const { input, identifiers } = await beginBinding(request, transaction);

      // Trip 1: begin, locks, reads.
      const context = await lockAndReadChange(deps, transaction, input, identifiers);
      refuseChange(request, context, deps.clock.now());
      const { ruled: ruleContext, rules } = await readRules(deps, transaction, input, context);

      const plan = planChange({ ...input, now: deps.clock.now(), answers }, ruleContext, rules);

      const otherLinks = await otherLinkCalls(project, transaction, plan);
      const linkedIds = await readLinkedIds(
        project,
        transaction,
        ruleContext,
        plan,
        request.binding?.isByCheck ?? false,
      );
      const added = await finishOthers(request, transaction, plan, linkedIds);
      const events = [...eventsOf(project, plan.result.account, plan.eventInput, linkedIds), ...added.events];
      const { requestId } = request;
      const pendingCheck = pendingCheckOf(plan, {
        requestId,
        isOpen,
        isOnline: deps.emailProviders?.isOnline ?? false,
      });

      // Trip 2: writes, commit.
      await transaction.commit(
        ...writeStatements(project.database, { ...plan.change, events }),
        ...added.calls,
        ...(pendingCheck ? [insertAccountCheckCall(project, pendingCheck)] : []),
        ...otherLinks,
      );
      const { movesIdentity, rescored } = plan.change.links;
      const needsRecalculation = otherLinks.length > 0 || movesIdentity || rescored.length > 0;
      return { result: plan.result, needsRecalculation, pendingCheck };
    },
  );
  if (needsRecalculation) deps.onRecalculationDue();
  if (pendingCheck) deps.onEmailToCheck(project.projectId, pendingCheck);
  return result;
}

/** Locks and reads the verification of the session. Other changes need no trip. */
async function beginBinding(
  { binding, completion: _, ...input }: AccountChangeRequest,
  transaction: Transaction,
): Promise<{ input: ChangeInput; identifiers: readonly IdentifierKey[] }> {
  if (!binding) return { input, identifiers: [] };
  const { changes, options } = input;
  const requested = requestedIdentifiers(input, null, requestedKinds(changes, null));
  const check = await binding.begin(transaction, { identifiers: requested, fields: changes });
  const { identifiers, facts, document, completedAt: verifiedAt } = check;
  return {
    input: facts ? { ...input, options: { ...options, verification: facts, verifiedAt, document } } : input,
    identifiers,
  };
}

/** Throws when the session cannot be bound, or when the account does not exist and must not be created. */
function refuseChange(
  { options, binding, completion }: AccountChangeRequest,
  context: RequestedChangeContext,
  now: Date,
): void {
  const { session } = context;
  if (options.sessionId !== null) {
    if (!session) throw sessionNotFound();
    // The session of a verification can be bound as long as its result exists.
    const isVerified = binding?.isByCheck ?? false;
    if (!isVerified && !context.sessionBound && session.expires_at <= now) throw sessionExpired();
  } else if (!context.account && completion) throw completion.missing();
  else if (!context.account && !options.imports) throw accountNotFound();
  if (options.rebinds && context.boundScores === null) throw accountNotFound();
  if (context.hasCheck && !binding) throw new SessionHasCheck();
}

/** Statements for the links between other accounts. */
async function otherLinkCalls(
  project: Project,
  transaction: Transaction,
  { change: { account, now }, sharing, left }: ChangePlan,
): Promise<Call[]> {
  const enqueued = left ? enqueueLeftIdentifiers(project, left.identifiers, left.group) : [];
  const recalculated = await recalculateOtherLinks(project, transaction, sharing, account.account_group, now);
  return [...enqueued, ...recalculated];
}

/** Additional writes of the session's verification or of the email check. */
async function finishOthers(
  { binding, completion }: AccountChangeRequest,
  transaction: Transaction,
  plan: ChangePlan,
  linkedIds: ClientIds,
): Promise<AddedWrites> {
  if (completion) return completion.finish(transaction, plan);
  const { result } = plan;
  const finished = await binding?.finish(
    { ...result, session: result.session! },
    linkedOf(plan.eventInput.links, linkedIds),
  );
  return finished ?? { calls: [], events: [] };
}
