import { NO_RULES } from '@vouchgraph/decisions';
import { knownPerson, type SharedIdentifierChanges } from '@vouchgraph/linking';
import { AppError } from '@vouchgraph/platform/errors';
import type { Call, Transaction } from '../../storage/database.ts';
import { isFull, isLostBy } from '../../storage/translate-error.ts';
import { insertAccountCheckCall } from '../email-checks/account-check-store.ts';
import type { PendingCheck } from '../email-checks/email-check-row.ts';
import { personOfFields } from '../linking/read-persons.ts';
import {
  enqueueLeftIdentifiers,
  enqueueOtherLinks,
  recalculateOtherLinks,
} from '../linking/rescore-service.ts';
import type { ListMembership } from '../model/account-row.ts';
import type { Project } from '../projects/project.ts';
import { sessionExpired, sessionNotFound } from '../sessions/errors.ts';
import { type ClientIds, eventsOf, linkedOf } from './account-events.ts';
import { writeStatements } from './account-write-store.ts';
import { createBatchConflicts } from './batch-conflicts.ts';
import {
  type AccountChangeRequest,
  type AddedWrites,
  type BegunBinding,
  type ChangeDependencies,
  type ChangeOutcome,
  type QueuedChange,
  SessionHasCheck,
} from './change-queue-service.ts';
import type { ChangeInput, ChangeOptions, RequestedChangeContext } from './change-request.ts';
import { pendingCheckOf } from './email-check.ts';
import { accountNotFound } from './errors.ts';
import { type ChangePlan, planChange } from './plan-change.ts';
import {
  type ChangeToRead,
  identifiersAfter,
  isSameStored,
  lockAndReadChanges,
  lockAndReadStored,
  readLinkedIds,
  readRules,
  readsStoredFields,
  rememberOverLimit,
} from './read-change-store.ts';

/*
 * Authenticating an account, and every other change of one, is part of a batch: one transaction of two round trips for all
 * changes that wait when it starts.
 *
 *   trip 1   BEGIN, the locks, the reads           lockAndReadChanges
 *            the plan of each, without I/O         planChange
 *   trip 2   the writes, COMMIT                    writeStatements
 *
 * Some batches need further trips: for lists or rules that this process has not read, links between other accounts, and the client
 * ids of accounts with added or removed links. A change whose identifiers depend on stored fields reads the account's row before it
 * waits, and under the account's lock if the row was changed meanwhile. Changes that need trips of their own are a batch each: with
 * a verification (its locks come before all others), an email check or a recomputation of match keys. So are, after a first attempt,
 * those that create a list or move an account to another group, and those of a failed batch.
 */

/**
 * Runs a batch. When it fails, each change is repeated alone, so that only the one that causes it fails. When the connection is
 * lost, nothing is repeated, because the batch may be committed, nor when the server has no room for any of them.
 */
export async function runBatch(
  deps: ChangeDependencies,
  changes: readonly QueuedChange[],
): Promise<ChangeOutcome[]> {
  let done: Awaited<ReturnType<typeof changeAccounts>>;
  let isCommitting = false;
  const onCommit = () => {
    isCommitting = true;
  };
  try {
    done = await changeAccounts(deps, changes, onCommit);
  } catch (error) {
    if (changes.length === 1 || !isRepeatable(error, isCommitting)) throw error;
    return changes.map(() => 'alone');
  }
  const { outcomes, written } = done;
  if (written?.needsRecalculation) deps.onRecalculationDue();
  const { projectId } = changes[0]!.request.project;
  for (const check of written?.pendingChecks ?? []) deps.onEmailToCheck(projectId, check);
  return outcomes;
}

/** Whether the changes of a failed batch can be repeated, each alone. */
function isRepeatable(error: unknown, isCommitting: boolean): boolean {
  if (error instanceof AppError && error.kind === 'unavailable') return !isLostBy(error) && !isFull(error);
  // A fault of this process before the commit is sent commits nothing.
  return !isCommitting || !isLostBy(error);
}

/** A planned change of a batch. */
type Planned = {
  readonly queued: QueuedChange;
  readonly context: RequestedChangeContext;
  readonly plan: ChangePlan;
};

/** Changes accounts of a project in one transaction. */
async function changeAccounts(
  deps: ChangeDependencies,
  queued: readonly QueuedChange[],
  onCommit: () => void,
): Promise<{ outcomes: ChangeOutcome[]; written: Omit<Written, 'calls'> | null }> {
  const { project } = queued[0]!.request;
  return project.database.shared.transaction(async (transaction) => {
    const toRead: ChangeToRead[] = [];
    for (const change of queued) toRead.push(await beginChange(change, transaction));
    // Trip 1: begin, locks, reads.
    const contexts = await lockAndReadChanges(deps, transaction, project, toRead);
    const { outcomes, planned } = await planChanges(deps, transaction, queued, toRead, contexts);
    for (const { plan, context } of planned)
      rememberOverLimit(deps, plan.change.account.account_group, context.matches);
    if (planned.length === 0) return { outcomes, written: null };
    const { calls, ...written } = await writesOf(deps, transaction, project, planned);
    // Trip 2: writes, commit.
    const joined = planned.reduce<Transaction>(
      (joint, { queued }) => queued.request.project.database.join(joint),
      transaction,
    );
    onCommit();
    await joined.commit(...calls);
    return { outcomes, written };
  });
}

/** The inputs of a change with the lists of rules that it did not read. */
function withLists(
  context: RequestedChangeContext,
  lists: readonly ListMembership[],
): RequestedChangeContext {
  const unread = lists.filter(({ name }) => !context.namedLists.includes(name));
  return { ...context, lists: [...context.lists, ...unread] };
}

/** The change with its identifiers. No trip, unless they are computed under locks. */
async function beginChange(
  { request: { binding, completion: _, ...input }, identifiers }: QueuedChange,
  transaction: Transaction,
): Promise<ChangeToRead> {
  if (identifiers) return { input, identifiers };
  const check = await binding?.begin(transaction, {
    identifiers: identifiersAfter(input, null),
    fields: input.changes,
  });
  const bound = check?.facts ? { ...input, options: { ...input.options, ...ofCheck(check) } } : input;
  const stored = readsStoredFields(bound) ? await lockAndReadStored(transaction, bound) : null;
  return { input: bound, identifiers: [...identifiersAfter(bound, stored), ...(check?.identifiers ?? [])] };
}

/** What the verification of the session adds to a change. */
function ofCheck({ facts, document, completedAt }: BegunBinding): Partial<ChangeOptions> {
  return { verification: facts!, verifiedAt: completedAt, document };
}

/** Plans the changes one after the other, each with what the earlier ones of the batch add to its inputs. */
async function planChanges(
  deps: ChangeDependencies,
  transaction: Transaction,
  queued: readonly QueuedChange[],
  toRead: readonly ChangeToRead[],
  contexts: readonly RequestedChangeContext[],
): Promise<{ outcomes: ChangeOutcome[]; planned: Planned[] }> {
  const { project } = queued[0]!.request;
  const { rules, lists } = await readRules(deps, transaction, project, contexts);
  const conflicts = createBatchConflicts();
  // One time for all: the events of a batch are one write, which belongs to one day.
  const now = deps.clock.now();
  const planned: Planned[] = [];
  const outcomes = queued.map((one, place): ChangeOutcome => {
    const { input } = toRead[place]!;
    const read = contexts[place]!;
    try {
      refuseChange(one.request, read, now);
      if (one.assumedRow !== undefined && !isSameStored(one.assumedRow, read.account)) return 'alone';
      if (queued.length > 1 && lacksLists(input, read)) return 'alone';
      const group = input.changes.group ?? read.account?.account_group ?? '';
      if (queued.length > 1 && read.account && read.account.account_group !== group) return 'alone';
      const inputs = queued.length === 1 ? { context: read } : conflicts.inputsAfter(read, group, now);
      if ('dependsOn' in inputs) return inputs;
      const { context } = inputs;
      const ruled = context.session ? withLists(context, lists) : context;
      const plan = planChange(
        { ...input, now, answers: one.answers },
        ruled,
        context.session ? rules : NO_RULES,
      );
      if (queued.length > 1) conflicts.add(plan, context, personOfPlan(plan));
      planned.push({ queued: one, context, plan });
      return plan.result;
    } catch (error) {
      if (queued.length === 1) throw error;
      return error as Error;
    }
  });
  return { outcomes, planned };
}

/** Whether a list that the request names must be created. */
function lacksLists({ options }: ChangeInput, { lists }: RequestedChangeContext): boolean {
  return options.listNames.some((name) => !lists.some((list) => list.name === name));
}

/** The person of a planned account, without decrypting its stored row. */
function personOfPlan({ result: { account }, change: { identifiers } }: ChangePlan) {
  const person = knownPerson(personOfFields(account.personal), identifiers.added);
  return { id: account.row.id, person };
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

/** All statements of trip 2 (`calls`), and what follows its commit. */
type Written = {
  readonly calls: Call[];
  readonly needsRecalculation: boolean;
  readonly pendingChecks: PendingCheck[];
};

async function writesOf(
  deps: ChangeDependencies,
  transaction: Transaction,
  project: Project,
  planned: readonly Planned[],
): Promise<Written> {
  const otherLinks = await otherLinkCalls(project, transaction, planned);
  const linkedIds = await readLinkedIds(
    project.database,
    transaction,
    planned.map(({ plan, context: { partnerIds }, queued: { request } }) => {
      return { plan, partnerIds, isAll: request.binding?.isByCheck ?? false };
    }),
  );
  const isOnline = deps.emailProviders?.isOnline ?? false;
  const changes = [];
  const calls: Call[] = [];
  const pendingChecks: PendingCheck[] = [];
  for (const { plan, queued } of planned) {
    const { request, isMailOpen: isOpen } = queued;
    const added = await finishOthers(request, transaction, plan, linkedIds);
    const events = eventsOf(request.project, plan.result.account, plan.eventInput, linkedIds);
    changes.push({ ...plan.change, events: [...events, ...added.events] });
    calls.push(...added.calls);
    const check = pendingCheckOf(plan, { requestId: request.requestId, isOpen, isOnline });
    if (!check) continue;
    pendingChecks.push(check);
    calls.push(insertAccountCheckCall(request.project, check));
  }
  const needsRecalculation =
    otherLinks.length > 0 || changes.some(({ links }) => links.movesIdentity || links.rescored.length > 0);
  return {
    calls: [...writeStatements(project.database, changes), ...calls, ...otherLinks],
    needsRecalculation,
    pendingChecks,
  };
}

/** Statements for the links between other accounts: by account group, because a recalculation counts within one. */
async function otherLinkCalls(
  project: Project,
  transaction: Transaction,
  planned: readonly Planned[],
): Promise<Call[]> {
  const calls = planned.flatMap(({ plan: { left } }) =>
    left ? enqueueLeftIdentifiers(project, left.identifiers, left.group) : [],
  );
  const byGroup = Map.groupBy(planned, ({ plan }) => plan.change.account.account_group);
  for (const [group, changes] of byGroup) {
    const sharing = joinSharing(changes.map(({ plan }) => plan.sharing));
    const { now } = changes[0]!.plan.change;
    // An import does not answer with links.
    if (changes.every(({ queued }) => queued.request.options.imports))
      calls.push(...enqueueOtherLinks(project, sharing, group));
    else calls.push(...(await recalculateOtherLinks(project, transaction, sharing, group, now)));
  }
  return calls;
}

/**
 * The effect of several changes on shared identifiers. Only blocking keys, and identifiers over their sharing limit, can
 * be in more than one of them.
 */
function joinSharing(all: readonly SharedIdentifierChanges[]): SharedIdentifierChanges {
  if (all.length === 1) return all[0]!;
  const deltas = new Map<string, number>();
  for (const one of all)
    for (const [key, delta] of one.deltas) deltas.set(key, (deltas.get(key) ?? 0) + delta);
  return {
    crossed: all.flatMap(({ crossed }) => crossed),
    deltas,
    mailboxes: new Map(all.flatMap(({ mailboxes }) => [...mailboxes])),
  };
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
