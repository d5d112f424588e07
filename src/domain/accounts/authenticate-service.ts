import { isUuid } from '../../platform/ids.ts';
import type { Call, Transaction } from '../../storage/database.ts';
import { insertAccountCheckCall } from '../email-checks/account-check-store.ts';
import type { PendingCheck } from '../email-checks/email-check-row.ts';
import type { OutboxEvent } from '../events/outbox-event.ts';
import type { IdentifierKey } from '../linking/account-identifiers.ts';
import { enqueueLeftIdentifiers, recalculateOtherLinks } from '../linking/rescore-service.ts';
import type { DocumentIdentity } from '../model/document-identity.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import type { Facts } from '../rules/language/expression.ts';
import { sessionExpired, sessionNotFound } from '../sessions/errors.ts';
import type { Session } from '../sessions/session.ts';
import { type ClientIds, eventsOf, linkedOf } from './account-events.ts';
import type { AuthenticateAccount } from './account-input.ts';
import { writeStatements } from './account-write-store.ts';
import type { ChangedAccount, ChangeInput, StatedChangeContext } from './change-request.ts';
import { awaitMailExchange, type EmailSources, readEmailAnswers } from './email-answers-adapter.ts';
import { pendingCheckOf } from './email-check.ts';
import { accountNotFound } from './errors.ts';
import { statedKinds } from './merge-account.ts';
import { type ChangePlan, planChange } from './plan-change.ts';
import { checkLists } from './plan-lists.ts';
import {
  type ChangeReads,
  lockAndReadChange,
  namePartners,
  readRules,
  statedIdentifiers,
} from './read-change-store.ts';

/*
 * Authenticating an account, and every other change of one, takes two trips to the database:
 *
 *   trip 1   BEGIN, the locks, the reads         lockAndReadChange
 *            the plan, without I/O               planChange
 *   trip 2   the writes, COMMIT                  writeStatements
 *
 * Some changes take more between them: a session with a check (its locks come before all others), identifiers that depend
 * on stored fields, lists or rules that are new to this process, links between other accounts, and the names of the
 * accounts to which links came or went.
 */

/** What a request says of an account: its identifiers as keyed hashes, and the fields by which people are compared. */
export type StatedOfAccount = {
  readonly identifiers: readonly IdentifierKey[];
  readonly fields: { readonly [field in 'email' | 'firstName' | 'lastName']?: string | null | undefined };
};

/** A session with a check, and the account that a request names for it. */
export type BindingOfCheck = {
  readonly sessionId: string;
  /** The client's own id of the account that the session is bound to. */
  readonly accountId: string;
  /** The group that the request gives the account; null leaves it. */
  readonly group?: string | null;
  readonly now: Date;
};

/** What the check of a session brings to its binding: in the same transaction, seen by the same rules. */
export type VerificationBinding = {
  /** Whether the check binds its session itself: also one that expired; its event names all linked accounts. */
  readonly isByCheck: boolean;
  /** Before anything else is locked or read. `stated`: what the request says of the account. */
  begin(
    transaction: Transaction,
    stated: StatedOfAccount,
  ): Promise<{
    /** The face and the document, as keyed hashes. */
    identifiers: readonly IdentifierKey[];
    /** What was found, by the names of the fields of rules; null before the check is completed. */
    facts: Facts | null;
    /** Time of the completion; null before. */
    completedAt: Date | null;
    /** Date of birth and number of the document, for linking only; null without a document that has them. */
    document: DocumentIdentity | null;
  }>;
  /** Writes and events, from the account's links and lists after the change. */
  finish(
    bound: ChangedAccount & { session: Session },
    linked: readonly { accountId: string; kinds: number }[],
  ): AddedWrites | Promise<AddedWrites>;
};

/** What is written in trip 2 besides the change. */
export type AddedWrites = { readonly calls: readonly Call[]; readonly events: readonly OutboxEvent[] };

/** A change with what takes part in its transaction. */
export type AccountChangeRequest = ChangeInput & {
  readonly binding?: VerificationBinding;
  /** The end of the email check that the change comes from. Throws where the account does not change. */
  readonly completion?: {
    missing(): Error;
    finish(transaction: Transaction, plan: ChangePlan): Promise<AddedWrites>;
  };
};

export type ChangeDependencies = ChangeReads &
  EmailSources & {
    /** Binds a session that has a check. */
    readonly bindSessionOfCheck: (project: Project, binding: BindingOfCheck) => VerificationBinding;
    /** Receives checks of emails that were committed, to ask what is still unknown. */
    readonly onEmailToCheck: (projectId: string, check: PendingCheck) => void;
    /** Called when a change left links or identities to be recalculated. */
    readonly onRecalculationDue: () => void;
  };

export type AuthenticatedSession = ChangedAccount & {
  session: Session;
  decided: NonNullable<ChangedAccount['decided']>;
};

/** The session to be bound has a check, whose locks come before all others. */
class SessionHasCheck extends Error {}

/** Binds a session to an account (new or known), links it and scores it. The same pair again counts once. */
export async function authenticate(
  deps: ChangeDependencies,
  viewer: Viewer,
  requestId: string,
  input: AuthenticateAccount,
  sessionId: string,
): Promise<AuthenticatedSession> {
  assertMay(viewer, 'session.authenticate');
  checkLists(input.lists ?? []);
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

/** The answer of a change with a session. */
export function authenticated(changed: ChangedAccount & { session: Session | null }): AuthenticatedSession {
  return { ...changed, session: changed.session!, decided: changed.decided! };
}

/** Changes an account in one transaction. */
export async function changeAccount(
  deps: ChangeDependencies,
  request: AccountChangeRequest,
): Promise<ChangedAccount & { session: Session | null }> {
  const { project, changes } = request;
  // Before the transaction: nothing that waits for the outside stands between its locks and its commit.
  const isOpen = await awaitMailExchange(deps, changes.email);
  const answers = readEmailAnswers(deps, changes.email);
  const { result, needsRecalculation, asks } = await project.database.transaction(async (transaction) => {
    const { input, identifiers } = await beginBinding(request, transaction);

    // Trip 1: begin, locks, reads.
    const context = await lockAndReadChange(deps, transaction, input, identifiers);
    refuseChange(request, context, deps.clock.now());
    const { ruled, rules } = await readRules(deps, transaction, input, context);

    const plan = planChange({ ...input, now: deps.clock.now(), answers }, ruled, rules);

    const following = await followLinks(project, transaction, plan);
    const partners = await namePartners(
      project,
      transaction,
      ruled,
      plan,
      request.binding?.isByCheck ?? false,
    );
    const added = await finishOthers(request, transaction, plan, partners);
    const events = [...eventsOf(project, plan.result.account, plan.told, partners), ...added.events];
    const { requestId } = request;
    const asks = pendingCheckOf(plan, {
      requestId,
      isOpen,
      isOnline: deps.emailProviders?.isOnline ?? false,
    });

    // Trip 2: writes, commit.
    await transaction.commit(
      ...writeStatements(project.database, { ...plan.change, events }),
      ...added.calls,
      ...(asks ? [insertAccountCheckCall(project, asks)] : []),
      ...following,
    );
    const { movesIdentity, rescored } = plan.change.links;
    const needsRecalculation = following.length > 0 || movesIdentity || rescored.length > 0;
    return { result: plan.result, needsRecalculation, asks };
  });
  if (needsRecalculation) deps.onRecalculationDue();
  if (asks) deps.onEmailToCheck(project.projectId, asks);
  return result;
}

/** Locks and reads the check of the session; nothing, and no trip, for other changes. */
async function beginBinding(
  { binding, completion: _, ...input }: AccountChangeRequest,
  transaction: Transaction,
): Promise<{ input: ChangeInput; identifiers: readonly IdentifierKey[] }> {
  if (!binding) return { input, identifiers: [] };
  const { changes, options } = input;
  const stated = statedIdentifiers(input, null, statedKinds(changes, null));
  const check = await binding.begin(transaction, { identifiers: stated, fields: changes });
  const { identifiers, facts, document, completedAt: verifiedAt } = check;
  return {
    input: facts ? { ...input, options: { ...options, verification: facts, verifiedAt, document } } : input,
    identifiers,
  };
}

/** Throws where the session cannot be bound, or the account does not exist and is not to be created. */
function refuseChange(
  { options, binding, completion }: AccountChangeRequest,
  context: StatedChangeContext,
  now: Date,
): void {
  const { session } = context;
  if (options.sessionId !== null) {
    if (!session) throw sessionNotFound();
    // The session of a verification may be bound for as long as its result exists.
    const isVerified = binding?.isByCheck ?? false;
    if (!isVerified && !context.sessionBound && session.expires_at <= now) throw sessionExpired();
  } else if (!context.account && completion) throw completion.missing();
  else if (!context.account && !options.imports) throw accountNotFound();
  if (options.rebinds && context.boundScores === null) throw accountNotFound();
  if (context.hasCheck && !binding) throw new SessionHasCheck();
}

/** What a change does to the links between other accounts. */
async function followLinks(
  project: Project,
  transaction: Transaction,
  { change: { account, now }, crowds, left }: ChangePlan,
): Promise<Call[]> {
  const marks = left ? enqueueLeftIdentifiers(project, left.identifiers, left.group) : [];
  const following = await recalculateOtherLinks(project, transaction, crowds, account.account_group, now);
  return [...marks, ...following];
}

/** What the check of the session, or the check of the email, writes with the change. */
async function finishOthers(
  { binding, completion }: AccountChangeRequest,
  transaction: Transaction,
  plan: ChangePlan,
  partners: ClientIds,
): Promise<AddedWrites> {
  if (completion) return completion.finish(transaction, plan);
  const { result } = plan;
  const finished = await binding?.finish(
    { ...result, session: result.session! },
    linkedOf(plan.told.links, partners),
  );
  return finished ?? { calls: [], events: [] };
}
