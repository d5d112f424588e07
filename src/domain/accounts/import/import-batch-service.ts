import { NO_RULES } from '@vouchgraph/decisions';
import type { SharedIdentifierChange } from '@vouchgraph/linking';
import type { Call, Transaction } from '../../../storage/database.ts';
import { insertAccountCheckCall } from '../../email-checks/account-check-store.ts';
import type { PendingCheck } from '../../email-checks/email-check-row.ts';
import type { ReadPerson } from '../../linking/read-persons.ts';
import { enqueueIdentifiers } from '../../linking/rescore-store.ts';
import type { Project } from '../../projects/project.ts';
import { eventsOf } from '../account-events.ts';
import { writeStatements } from '../account-write-store.ts';
import { personOfPlan } from '../change-accounts-service.ts';
import type { ChangeDependencies } from '../change-queue-service.ts';
import type { RequestedChangeContext } from '../change-request.ts';
import { awaitMailExchange, readEmailAnswers } from '../email-answers-adapter.ts';
import { pendingCheckOf } from '../email-check.ts';
import { type ChangePlan, planChange } from '../plan-change.ts';
import { readLinkedIds } from '../read-change-store.ts';
import type { ImportedAccount, ImportMemory } from './imported-account.ts';
import { type BatchRead, readBatch } from './read-batch-store.ts';

/**
 * `stored`: stored as a new account. `other`: not a new account, or a change that needs more statements. `again`: depends on an
 * account of its batch, so that a later batch must store it. An error: rejected.
 */
export type ImportOutcome = 'stored' | 'other' | 'again' | Error;

type Planned = {
  readonly plan: ChangePlan;
  readonly pendingCheck: PendingCheck | null;
  readonly person: ReadPerson;
};

/**
 * Stores new accounts in one transaction of two round trips, with the same effect as a `changeAccount` for each of them. No two
 * of them may share a linking identifier, except for blocking keys (`conflictKeys`). Links between other accounts are enqueued
 * for recalculation.
 */
export async function importBatch(
  deps: ChangeDependencies,
  project: Project,
  accounts: readonly ImportedAccount[],
  memory: ImportMemory,
): Promise<ImportOutcome[]> {
  const isOpen = await Promise.all(accounts.map(({ input }) => awaitMailExchange(deps, input.changes.email)));
  const done = await project.database.transaction(async (transaction) => {
    const read = await readBatch(deps, project, transaction, accounts, memory);
    const outcomes: ImportOutcome[] = [];
    const planned: Planned[] = [];
    const { now } = read;
    for (const [place, account] of accounts.entries()) {
      const context = read.contextOf(place);
      const plan = typeof context === 'string' ? context : tryPlan(deps, account, context, now);
      outcomes.push(typeof plan === 'string' || plan instanceof Error ? plan : 'stored');
      if (typeof plan === 'string' || plan instanceof Error) continue;
      const person = personOfPlan(plan);
      read.addStored(place, person);
      const { requestId } = account.input;
      const isOnline = deps.emailProviders?.isOnline ?? false;
      const pendingCheck = pendingCheckOf(plan, { requestId, isOpen: isOpen[place]!, isOnline });
      planned.push({ plan, pendingCheck, person });
    }
    const calls = planned.length === 0 ? [] : await writesOf(project, transaction, planned);
    await transaction.commit(...calls);
    return { outcomes, planned, version: read.version, storedFromDomain: read.storedFromDomain };
  });
  cacheStored(memory, done);
  notify(deps, project, done.planned);
  return done.outcomes;
}

function tryPlan(
  deps: ChangeDependencies,
  { input }: ImportedAccount,
  context: RequestedChangeContext,
  now: Date,
): ChangePlan | Error {
  try {
    const answers = readEmailAnswers(deps, input.changes.email);
    return planChange({ ...input, now, answers }, context, NO_RULES);
  } catch (error) {
    return error as Error;
  }
}

/** Trip 2: all writes of the batch. A trip before it reads the client ids of linked accounts, if there are any. */
async function writesOf(
  project: Project,
  transaction: Transaction,
  planned: readonly Planned[],
): Promise<Call[]> {
  const { database, projectId } = project;
  const linkedIds = await readLinkedIds(
    database,
    transaction,
    planned.map(({ plan }) => ({ plan, partnerIds: new Map(), isAll: false })),
  );
  const changes = planned.map(({ plan: { change, result, eventInput } }) => ({
    ...change,
    events: eventsOf(project, result.account, eventInput, linkedIds),
  }));
  return [
    ...writeStatements(database, changes),
    ...planned.flatMap(({ pendingCheck }) =>
      pendingCheck ? [insertAccountCheckCall(project, pendingCheck)] : [],
    ),
    ...enqueueCalls(projectId, planned),
  ];
}

/** Statements that enqueue recalculations of shared identifiers, one per account group. */
function enqueueCalls(projectId: string, planned: readonly Planned[]): Call[] {
  const byGroup = new Map<string, SharedIdentifierChange[]>();
  for (const { plan } of planned) {
    const { account_group: group } = plan.change.account;
    if (plan.sharing.crossed.length === 0) continue;
    byGroup.set(group, [...(byGroup.get(group) ?? []), ...plan.sharing.crossed]);
  }
  return [...byGroup].map(([group, crossed]) => enqueueIdentifiers(projectId, crossed, group));
}

/** Caches the stored accounts for later batches. */
function cacheStored(
  { persons, fromDomain }: ImportMemory,
  {
    planned,
    version,
    storedFromDomain,
  }: { planned: readonly Planned[] } & Pick<BatchRead, 'version' | 'storedFromDomain'>,
): void {
  for (const { person } of planned) persons.set(person.id, { version, person });
  // Concurrent batches have added their accounts. The next batch counts a domain again whose count has expired.
  for (const [key, { before, stored, isCounted }] of storedFromDomain) {
    const known = fromDomain.get(key) ?? (isCounted ? before : null);
    if (known !== null) fromDomain.set(key, known + stored);
  }
}

/** Notifies the workers after the commit. */
function notify(deps: ChangeDependencies, project: Project, planned: readonly Planned[]): void {
  const needsRecalculation = planned.some(({ plan: { change, sharing } }) => {
    return change.links.movesIdentity || change.links.rescored.length > 0 || sharing.crossed.length > 0;
  });
  if (needsRecalculation) deps.onRecalculationDue();
  for (const { pendingCheck } of planned)
    if (pendingCheck) deps.onEmailToCheck(project.projectId, pendingCheck);
}
