import { setTimeout as delay } from 'node:timers/promises';
import { type OutboxEvent, outboxEvent } from '@vouchgraph/events';
import {
  BRIDGE_CAP,
  isLinkingKind,
  kindOfNumber,
  LINK_WEIGHTS,
  matchTypesOf,
  type Pair,
  pairsAmong,
  type Rescored,
  rescorePairs,
  type SharedIdentifierChanges,
  type SharingUpdates,
} from '@vouchgraph/linking';
import type { Clock } from '@vouchgraph/platform/clock';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { Statement, Transaction } from '../../storage/database.ts';
import type { EventOfAccount } from '../events/insert-events-store.ts';
import type { Project } from '../projects/project.ts';
import {
  claimPendingIdentifiers,
  contactPairsCall,
  deferPendingIdentifier,
  deletePendingIdentifiers,
  dependentPairsCall,
  enqueueIdentifiers,
  INITIAL_PAIR,
  lockAndReadHolders,
  type PendingIdentifier,
} from './pending-identifier-store.ts';
import { readPersons } from './read-persons.ts';
import { findClientIds, lockAndReadPairs, writePairs } from './rescore-store.ts';

/*
 * When the number of accounts of a shared identifier enters another sharing band, the links between its other accounts change.
 * Up to INLINE_PAIRS pairs are recalculated in the transaction of the change. For more pairs the transaction enqueues a pending
 * recalculation (a row of `link_recalculations`), which the recalculation worker processes.
 */
const INLINE_PAIRS = 120;

type Call = readonly [Statement, readonly unknown[]];

/** Advisory lock key of an account, derived from the client's id, so that it also locks an account before its creation. */
export function accountLockOf(cipher: ProjectCipher, accountId: string): bigint {
  return cipher.blindIndex('account lock', accountId).readBigInt64BE();
}

/**
 * Statements that update the links between other accounts, to be sent with the change: the recalculated links, or pending
 * recalculations if there are too many pairs or another transaction has locked one of the accounts.
 */
export async function recalculateOtherLinks(
  project: Project,
  transaction: Transaction,
  { crossed, ...updates }: SharedIdentifierChanges,
  group: string,
  now: Date,
): Promise<Call[]> {
  if (crossed.length === 0) return [];
  const pairs = distinct(crossed.flatMap(({ others }) => pairsAmong(others)));
  const isFew = pairs.length <= INLINE_PAIRS && crossed.every(({ isWhole }) => isWhole);
  const rescored = isFew ? await rescore(project, transaction, pairs, group, updates) : null;
  if (!rescored) return enqueueOtherLinks(project, { crossed, ...updates }, group);
  return isNothing(rescored) ? [] : [writeCall(project, rescored, now)];
}

/** The same, left to the recalculation worker. */
export function enqueueOtherLinks(
  { projectId }: Project,
  { crossed }: SharedIdentifierChanges,
  group: string,
): Call[] {
  return crossed.length === 0 ? [] : [enqueueIdentifiers(projectId, crossed, group)];
}

/** Pending recalculations of the identifiers of an account that leaves its group. The old group is not counted in the change. */
export function enqueueLeftIdentifiers(
  project: Project,
  identifiers: readonly { kind: number; hash: Buffer }[],
  group: string,
): Call[] {
  const linking = identifiers.filter(({ kind }) => isLinkingKind(kindOfNumber(kind)));
  return linking.length === 0 ? [] : [enqueueIdentifiers(project.projectId, linking, group)];
}

/** Rescored pairs with the client's ids of the accounts. */
type NamedRescored = Rescored & { readonly clientIds: ReadonlyMap<string, string> };

/** Recalculates the links of pairs; null when another transaction has locked one of the accounts. */
async function rescore(
  project: Project,
  transaction: Transaction,
  pairs: readonly Pair[],
  group: string,
  updates?: SharingUpdates,
): Promise<NamedRescored | null> {
  const accounts = await findClientIds(project.database, transaction, [...new Set(pairs.flat())]);
  const read = await lockAndReadPairs(project.database, transaction, {
    ids: accounts.map(({ id }) => id),
    locks: accounts.map(({ account_id }) => accountLockOf(project.cipher, account_id)),
    group,
  });
  if (!read) return null;
  const clientIds = new Map(accounts.map(({ id, account_id }) => [id, account_id]));
  const persons = readPersons(project, read.persons);
  return { ...rescorePairs(pairs, read.identifiers, read.links, persons, updates), clientIds };
}

function writeCall(project: Project, rescored: NamedRescored, now: Date): Call {
  return writePairs(project.projectId, rescored, eventsOf(project, rescored, now), now);
}

/** Internal ids of the accounts of a link. */
type Ends = { readonly a: string; readonly b: string };

function eventsOf(
  { cipher }: Project,
  { added, removed, clientIds }: NamedRescored,
  now: Date,
): EventOfAccount[] {
  const ids = ({ a, b }: Ends) => ({ accountId: clientIds.get(a)!, linkedAccountId: clientIds.get(b)! });
  const ofBoth = ({ a, b }: Ends, event: OutboxEvent) => ({ ...event, accountId: a, otherAccount: b });
  return [
    ...added.map((link) => {
      const facts = { ...ids(link), score: link.score, matchTypes: matchTypesOf(link.kinds) };
      return ofBoth(link, outboxEvent(cipher, 'account.linked', null, facts, now));
    }),
    ...removed.map((link) => ofBoth(link, outboxEvent(cipher, 'account.unlinked', null, ids(link), now))),
  ];
}

function isNothing({ changed, removed }: Rescored): boolean {
  return changed.length === 0 && removed.length === 0;
}

function distinct(pairs: readonly Pair[]): Pair[] {
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}

type Step =
  | { outcome: 'done' | 'busy' | 'none' }
  | { outcome: 'more'; identifier: PendingIdentifier; after: Pair };

/** Pairs of a large identifier per transaction: each needs the locks of two accounts. */
const PAIR_BATCH_SIZE = 100;

/**
 * Identifiers per transaction, and their maximum number of pairs. Batches save round trips: a small identifier alone needs
 * five round trips and a WAL flush.
 */
const IDENTIFIER_BATCH_SIZE = 16;
const MAX_PAIRS_OF_BATCH = 300;

/**
 * Processes the oldest pending identifiers. `none`: nothing is pending. `busy`: another transaction has locked one of the
 * accounts. A batch is more often busy than a single identifier, so the first identifier is then retried alone.
 */
async function recalculateBatch(
  project: Project,
  now: Date,
  signal?: AbortSignal,
): Promise<'done' | 'busy' | 'none'> {
  let step = await recalculateStep(project, now, IDENTIFIER_BATCH_SIZE);
  if (step.outcome === 'busy') step = await recalculateStep(project, now, 1);
  while (step.outcome === 'more') {
    if (signal?.aborted) return 'busy';
    step = await recalculateStep(project, now, step.identifier, step.after);
  }
  return step.outcome;
}

/**
 * One transaction. The pending rows of a large identifier are deleted with its last page of pairs. `next`: the identifier to
 * continue, or the number of pending identifiers to claim.
 */
function recalculateStep(
  project: Project,
  now: Date,
  next: PendingIdentifier | number,
  after = INITIAL_PAIR,
): Promise<Step> {
  const { database, projectId } = project;
  return database.transaction(async (transaction) => {
    const claimed =
      typeof next === 'number'
        ? await claimPendingIdentifiers(database, transaction, next)
        : ([next] as [PendingIdentifier]);
    if (typeof claimed === 'string') return { outcome: claimed };
    const found = await pairsOfIdentifiers(project, transaction, claimed, after);
    const pairs = distinct(found.flatMap((one) => one.pairs));
    const [first] = found;
    const rescored =
      pairs.length === 0 ? null : await rescore(project, transaction, pairs, first.identifier.group);
    if (pairs.length > 0 && !rescored) {
      if (found.length === 1) await transaction.commit(deferPendingIdentifier(projectId, first.identifier));
      return { outcome: 'busy' };
    }
    const writes = rescored && !isNothing(rescored) ? [writeCall(project, rescored, now)] : [];
    const pendingIds = found.flatMap(({ identifier, isWhole }) => (isWhole ? identifier.pendingIds : []));
    await transaction.commit(
      ...writes,
      ...(pendingIds.length > 0 ? [deletePendingIdentifiers(projectId, pendingIds)] : []),
    );
    return first.isWhole
      ? { outcome: 'done' }
      : { outcome: 'more', identifier: first.identifier, after: first.pairs.at(-1)! };
  });
}

type PairsOfIdentifier = {
  readonly identifier: PendingIdentifier;
  readonly pairs: readonly Pair[];
  /** Whether `pairs` includes the last pair. */
  readonly isWhole: boolean;
};

/** Pairs of the first identifier after `after`, and of further identifiers that fit into the batch completely. */
async function pairsOfIdentifiers(
  project: Project,
  transaction: Transaction,
  identifiers: readonly [PendingIdentifier, ...PendingIdentifier[]],
  after: Pair,
): Promise<[PairsOfIdentifier, ...PairsOfIdentifier[]]> {
  const holdersOfEach = await lockAndReadHolders(
    project.database,
    transaction,
    identifiers,
    (identifier) => maxHoldersOf(identifier) + 1,
  );
  const locked = identifiers.flatMap((identifier, place) => {
    const holders = holdersOfEach[place];
    return holders ? [{ identifier, holders, call: pairsCall(project, identifier, holders, after) }] : [];
  });
  const calls = locked.flatMap(({ call }) => (call ? [call] : []));
  const rows = calls.length === 0 ? [] : await transaction.run(...calls);
  const found: PairsOfIdentifier[] = [];
  let count = 0;
  for (const [place, { identifier, holders, call }] of locked.entries()) {
    const page = call ? rows.shift()!.map(({ a, b }): Pair => [a, b]) : null;
    const one = page
      ? { identifier, pairs: page, isWhole: page.length < PAIR_BATCH_SIZE }
      : { identifier, pairs: isLinking(identifier) ? pairsAmong(holders) : [], isWhole: true };
    const fits = place === 0 || (one.isWhole && count + one.pairs.length <= MAX_PAIRS_OF_BATCH);
    if (!fits) continue;
    found.push(one);
    count += one.pairs.length;
  }
  return found as [PairsOfIdentifier, ...PairsOfIdentifier[]];
}

const isLinking = ({ kind }: PendingIdentifier) => isLinkingKind(kindOfNumber(kind));

/** Maximum number of accounts for which all pairs of an identifier are recalculated. */
function maxHoldersOf(identifier: PendingIdentifier): number {
  const kind = kindOfNumber(identifier.kind);
  const cap = isLinkingKind(kind) ? LINK_WEIGHTS[kind].cap : 0;
  return Number.isFinite(cap) ? cap : BRIDGE_CAP;
}

/**
 * Null for an identifier within its sharing limit: all of its pairs are recalculated. Over the limit, a page of the pairs whose
 * links still include it. An email of that many accounts can have become a shared mailbox, whose links no longer include it,
 * or be no longer shared, so that all links include it. A phone of that many accounts can have been a family's before.
 */
function pairsCall(
  { projectId }: Project,
  identifier: PendingIdentifier,
  holders: readonly string[],
  after: Pair,
): Call | null {
  const kind = kindOfNumber(identifier.kind);
  if (!isLinkingKind(kind) || holders.length <= maxHoldersOf(identifier)) return null;
  const page = { isFullMatch: !Number.isFinite(LINK_WEIGHTS[kind].cap), after, limit: PAIR_BATCH_SIZE };
  return kind === 'email' || kind === 'phone'
    ? contactPairsCall(projectId, identifier, page)
    : dependentPairsCall(projectId, identifier, page);
}

const BUSY_PAUSE_MS = 20;

/** Limits of a recalculation run. `until`: time of `performance.now()`. */
export type Limits = { signal?: AbortSignal; until?: number };

export function isOver({ signal, until = Number.POSITIVE_INFINITY }: Limits): boolean {
  return signal?.aborted === true || performance.now() > until;
}

/** Processes the pending identifiers of a project, until none is left or a limit is reached. */
export async function recalculateSharedIdentifiers(
  project: Project,
  clock: Clock,
  limits: Limits = {},
): Promise<void> {
  while (!isOver(limits)) {
    const outcome = await recalculateBatch(project, clock.now(), limits.signal);
    if (outcome === 'none') return;
    if (outcome === 'busy') await delay(BUSY_PAUSE_MS);
  }
}
