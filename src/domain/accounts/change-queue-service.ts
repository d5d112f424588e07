import type { OutboxEvent } from '@vouchgraph/events';
import type { IdentifierKey } from '@vouchgraph/linking';
import type { DocumentIdentity } from '@vouchgraph/persons';
import { unavailable } from '@vouchgraph/platform/errors';
import type { Facts } from '@vouchgraph/rules';
import type { Call, Transaction } from '../../storage/database.ts';
import { lockTimedOut } from '../../storage/translate-error.ts';
import type { PendingCheck } from '../email-checks/email-check-row.ts';
import type { AccountRow } from '../model/account-row.ts';
import type { Project } from '../projects/project.ts';
import type { Session } from '../sessions/session.ts';
import { type ConflictKeys, createBatches } from './change-batches.ts';
import type { ChangedAccount, ChangeInput } from './change-request.ts';
import { awaitMailExchange, type EmailSources, readEmailAnswers } from './email-answers-adapter.ts';
import type { EmailAnswers } from './known-email.ts';
import type { ChangePlan } from './plan-change.ts';
import { type ChangeReads, identifiersAfter, readStored, readsStoredFields } from './read-change-store.ts';

/*
 * A change of an account: what it is asked for and who takes part in it, the queue in which it waits for a batch of its project, and
 * its repetition. change-accounts-service.ts runs the batches.
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

/** What a session's verification contributes to a change. */
export type BegunBinding = {
  /** The face and the document, as keyed hashes. */
  readonly identifiers: readonly IdentifierKey[];
  /** Findings by the names of rule fields; null before completion. */
  readonly facts: Facts | null;
  /** Completion time; null before completion. */
  readonly completedAt: Date | null;
  /** Date of birth and number of the document, for linking only; null without them. */
  readonly document: DocumentIdentity | null;
};

/** Participation of a session's verification in its binding, in the same transaction and under the same rules. */
export type VerificationBinding = {
  /** Whether the verification binds its own session, even an expired one; its event contains all linked accounts. */
  readonly isByCheck: boolean;
  /** Runs before all other locks and reads. `requested`: account data of the request. */
  begin(transaction: Transaction, requested: RequestedData): Promise<BegunBinding>;
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
    /** Runs a change in a batch of its project. */
    readonly runInBatch: (change: QueuedChange) => Promise<ChangeOutcome>;
  };

/** A change that waits for a batch, with what was found out about its email before. */
export type QueuedChange = {
  readonly request: AccountChangeRequest;
  readonly answers: EmailAnswers;
  /** Whether the DNS look-up of the email's domain is still pending. */
  readonly isMailOpen: boolean;
  /** The identifiers of the request; null when they are computed under the account's lock. */
  readonly identifiers: readonly IdentifierKey[] | null;
  /** The account's row, or null for a new account, if the identifiers depend on it; otherwise undefined. */
  readonly assumedRow: AccountRow | null | undefined;
  /** Whether the change must be a batch of its own. */
  readonly isAlone: boolean;
  /** What the change shares with a change of its last batch, on which it depended. */
  readonly dependsOn: string | null;
  /** Time of `performance.now()` until which the change may wait; null: as long as it takes. */
  readonly waitsUntil: number | null;
};

type Changed = ChangedAccount & { session: Session | null };

/**
 * The account after its change. `dependsOn`: it depends on another change of its batch. `alone`: it needs a batch of its own,
 * because it moves the account to another group or creates a list, because the account was changed after its row was read, or
 * because its batch failed. An error: refused, without an effect on the other changes of the batch.
 */
export type ChangeOutcome = Changed | { readonly dependsOn: string } | 'alone' | Error;

/** Thrown when the session has a verification, whose locks must be acquired before all others. */
export class SessionHasCheck extends Error {}

/** Changes an account. */
export async function changeAccount(
  deps: ChangeDependencies,
  request: AccountChangeRequest,
): Promise<Changed> {
  return changeQueued(deps, await queuedChange(deps, request));
}

/** Changes an account for which its batch found that it needs one of its own. */
export function changeAlone(deps: ChangeDependencies, change: QueuedChange): Promise<Changed> {
  return changeQueued(deps, aloneChange(change));
}

async function changeQueued(deps: ChangeDependencies, queued: QueuedChange): Promise<Changed> {
  let change = queued;
  for (;;) {
    const outcome = await deps.runInBatch(change);
    if (outcome instanceof Error) throw outcome;
    if (outcome === 'alone') change = aloneChange(change);
    else if ('dependsOn' in outcome) change = { ...change, dependsOn: outcome.dependsOn };
    else return outcome;
  }
}

/** A change before its first batch. Imports assume that their accounts are new. */
export async function queuedChange(deps: EmailSources, request: AccountChangeRequest): Promise<QueuedChange> {
  const { changes, binding, completion, options } = request;
  // Before the transaction: no external I/O while locks are held.
  const isMailOpen = await awaitMailExchange(deps, changes.email);
  const { maxTurnMs } = request.project.database;
  const queued = {
    ...{ request, isMailOpen, dependsOn: null, assumedRow: undefined },
    answers: readEmailAnswers(deps, changes.email),
    waitsUntil: maxTurnMs === null ? null : performance.now() + maxTurnMs,
  };
  if (binding || completion || options.recomputes) return aloneChange(queued);
  const isDependent = readsStoredFields(request);
  if (isDependent && !options.imports) return withStoredRow({ ...queued, isAlone: false });
  const assumedRow = isDependent ? null : undefined;
  return { ...queued, isAlone: false, assumedRow, identifiers: identifiersAfter(request, null) };
}

/** The change with the account's current row, and the identifiers that depend on it. One trip. */
export async function withStoredRow(change: Omit<QueuedChange, 'identifiers'>): Promise<QueuedChange> {
  const assumedRow = await readStored(change.request);
  return { ...change, assumedRow, identifiers: identifiersAfter(change.request, assumedRow) };
}

/** The same change as a batch of its own. */
const aloneChange = (change: Omit<QueuedChange, 'isAlone' | 'identifiers'>): QueuedChange => {
  return { ...change, isAlone: true, identifiers: null, assumedRow: undefined };
};

/** Changes of a batch: most need about 30 locks, and a long history 350. */
const BATCH_SIZE = 16;
/** While one batch waits for the disk, the next one is read and planned, unless it would be small. */
const BATCHES_OF_A_PROJECT = 2;
const STARTS_BESIDE_FROM = 3;
/** Changes that need trips of their own: they may use most connections, as far as other projects leave them. */
const ALONE_OF_A_PROJECT = 8;
/** A batch that runs longer waits for a lock, or the database is busy: then the next ones become larger. */
const SLOW_MS = 100;
const SLOW_OF_A_PROJECT = 8;

/** The queue of changes: what arrives while batches of its project run forms the next one. */
export function createChangeQueue(
  run: (changes: readonly QueuedChange[]) => Promise<ChangeOutcome[]>,
): ChangeDependencies['runInBatch'] {
  const queues = new Map<string, { add: (change: QueuedChange) => Promise<ChangeOutcome>; size: number }>();
  const open = () =>
    createBatches<QueuedChange, ChangeOutcome>({
      maxSize: BATCH_SIZE,
      concurrency: BATCHES_OF_A_PROJECT,
      startsBesideFrom: STARTS_BESIDE_FROM,
      aloneConcurrency: ALONE_OF_A_PROJECT,
      slowMs: SLOW_MS,
      maxSlow: SLOW_OF_A_PROJECT,
      isAlone: ({ isAlone }) => isAlone,
      isFirst: ({ dependsOn }) => dependsOn !== null,
      maxWaitOf: ({ waitsUntil }) =>
        waitsUntil === null ? null : Math.max(0, waitsUntil - performance.now()),
      lateError: (isBlocked) => (isBlocked ? lockTimedOut() : unavailable()),
      keysOf,
      run,
    });
  return async (change) => {
    const { projectId } = change.request.project;
    const queue = queues.get(projectId) ?? { add: open(), size: 0 };
    queues.set(projectId, queue);
    queue.size += 1;
    try {
      return await queue.add(change);
    } finally {
      queue.size -= 1;
      if (queue.size === 0) queues.delete(projectId);
    }
  };
}

/** Changes of one account or session run one after another, and so do those that were found to depend on each other. */
function keysOf({ request: { accountId, options }, dependsOn }: QueuedChange): ConflictKeys {
  const session = options.sessionId === null ? [] : [`session ${options.sessionId.toLowerCase()}`];
  const shared = dependsOn === null ? [] : [dependsOn];
  return { inBatch: [`account ${accountId}`, ...session, ...shared], acrossBatches: [] };
}
