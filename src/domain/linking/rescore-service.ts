import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../platform/clock.ts';
import type { ProjectCipher } from '../../platform/crypto.ts';
import type { Statement, Transaction } from '../../storage/database.ts';
import type { EventOfAccount } from '../events/insert-events-store.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { kindOfNumber, matchTypesOf } from '../identifiers/identifier-kinds.ts';
import type { Project } from '../projects/project.ts';
import type { CrowdChanges } from './crowd-changes.ts';
import { BRIDGE_CAP, isLinkingKind, LINK_WEIGHTS } from './link-weights.ts';
import { readPersons } from './read-persons.ts';
import { type CrowdUpdates, type Pair, pairsAmong, type Rescored, rescorePairs } from './rescore-pairs.ts';
import {
  type Crowd,
  contactPairsCall,
  deferMarks,
  FIRST_PAIR,
  findClientIds,
  forgetMarks,
  lockAndReadPairs,
  lockCrowds,
  markCrowds,
  restingPairsCall,
  takeCrowds,
  writePairs,
} from './rescore-store.ts';

/*
 * When one more account takes an identifier into another crowd band, links between the others that share it change
 * with it. Up to INLINE_PAIRS pairs are followed in the same transaction, more afterwards, from marks that the
 * transaction left.
 */
const INLINE_PAIRS = 120;

type Call = readonly [Statement, readonly unknown[]];

/** An account's lock: the same for a known and for a new account, in a space of its own. */
export function accountLockOf(cipher: ProjectCipher, accountId: string): bigint {
  return cipher.blindIndex('account lock', accountId).readBigInt64BE();
}

/**
 * The statements by which the links of others follow a change, to be sent with it: written out, or marks for later when
 * they are many or somebody is changing one of the accounts.
 */
export async function followCrowds(
  project: Project,
  transaction: Transaction,
  { crossed, ...updates }: CrowdChanges,
  group: string,
  now: Date,
): Promise<Call[]> {
  if (crossed.length === 0) return [];
  const pairs = distinct(crossed.flatMap(({ others }) => pairsAmong(others)));
  const isFew = pairs.length <= INLINE_PAIRS && crossed.every(({ isWhole }) => isWhole);
  const rescored = isFew ? await rescore(project, transaction, pairs, group, updates) : null;
  if (!rescored) return [markCrowds(project.projectId, crossed, group)];
  return isNothing(rescored) ? [] : [writeCall(project, rescored, now)];
}

/** Marks for identifiers of an account that leaves its group, whose crowds there nobody has counted. */
export function markLeftCrowds(
  project: Project,
  identifiers: readonly { kind: number; hash: Buffer }[],
  group: string,
): Call[] {
  const linking = identifiers.filter(({ kind }) => isLinkingKind(kindOfNumber(kind)));
  return linking.length === 0 ? [] : [markCrowds(project.projectId, linking, group)];
}

/** With what the client calls the accounts. */
type NamedRescored = Rescored & { readonly clientIds: ReadonlyMap<string, string> };

/** What the links of the pairs have to be; null when somebody else is changing one of the accounts. */
async function rescore(
  project: Project,
  transaction: Transaction,
  pairs: readonly Pair[],
  group: string,
  updates?: CrowdUpdates,
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

function eventsOf(
  { cipher }: Project,
  { added, removed, clientIds }: NamedRescored,
  now: Date,
): EventOfAccount[] {
  const event = (type: OutboxEvent['type'], { a, b }: { a: string; b: string }, facts: object) => {
    const ids = { accountId: clientIds.get(a), linkedAccountId: clientIds.get(b) };
    return { ...outboxEvent(cipher, type, null, { ...ids, ...facts }, now), accountId: a, otherAccount: b };
  };
  return [
    ...added.map((link) =>
      event('account.linked', link, { score: link.score, matchTypes: matchTypesOf(link.kinds) }),
    ),
    ...removed.map((link) => event('account.unlinked', link, {})),
  ];
}

function isNothing({ changed, removed }: Rescored): boolean {
  return changed.length === 0 && removed.length === 0;
}

function distinct(pairs: readonly Pair[]): Pair[] {
  return [...new Map(pairs.map((pair) => [pair.join(), pair])).values()];
}

type Step = { outcome: 'done' | 'busy' | 'none' } | { outcome: 'more'; crowd: Crowd; after: Pair };

/** So many pairs of a large crowd are looked at together: each takes the locks of two accounts. */
const PAIRS_AT_ONCE = 100;

/**
 * So many crowds are looked at together, while they have at most so many pairs: a small one costs five round trips and a
 * write to the disk by itself.
 */
const CROWDS_AT_ONCE = 16;
const PAIRS_OF_CROWDS = 300;

/**
 * Looks again at the crowds that have waited longest. `none`: nothing is left; `busy`: somebody is at one of their accounts.
 * Of several crowds together that is likelier: then the first is looked at alone.
 */
async function rescoreNextCrowds(
  project: Project,
  now: Date,
  signal?: AbortSignal,
): Promise<'done' | 'busy' | 'none'> {
  let step = await rescoreStep(project, now, CROWDS_AT_ONCE);
  if (step.outcome === 'busy') step = await rescoreStep(project, now, 1);
  while (step.outcome === 'more') {
    if (signal?.aborted) return 'busy';
    step = await rescoreStep(project, now, step.crowd, step.after);
  }
  return step.outcome;
}

/**
 * One transaction; the marks of a crowd stay until its last. `taken`: the crowd that is being looked at, or how many of the
 * next.
 */
function rescoreStep(project: Project, now: Date, taken: Crowd | number, after = FIRST_PAIR): Promise<Step> {
  const { database, projectId } = project;
  return database.transaction(async (transaction) => {
    const taking = typeof taken === 'number' ? await takeCrowds(database, transaction, taken) : [taken];
    if (typeof taking === 'string') return { outcome: taking };
    const found = await pairsOfCrowds(project, transaction, taking as [Crowd, ...Crowd[]], after);
    const pairs = distinct(found.flatMap((one) => one.pairs));
    const [first] = found;
    const rescored =
      pairs.length === 0 ? null : await rescore(project, transaction, pairs, first.crowd.group);
    if (pairs.length > 0 && !rescored) {
      if (found.length === 1) await transaction.commit(deferMarks(projectId, first.crowd));
      return { outcome: 'busy' };
    }
    const writes = rescored && !isNothing(rescored) ? [writeCall(project, rescored, now)] : [];
    const markIds = found.flatMap(({ crowd, isWhole }) => (isWhole ? crowd.markIds : []));
    await transaction.commit(...writes, ...(markIds.length > 0 ? [forgetMarks(projectId, markIds)] : []));
    return first.isWhole
      ? { outcome: 'done' }
      : { outcome: 'more', crowd: first.crowd, after: first.pairs.at(-1)! };
  });
}

type PairsOfCrowd = {
  readonly crowd: Crowd;
  readonly pairs: readonly Pair[];
  /** Whether no pair behind these is left. */
  readonly isWhole: boolean;
};

/** Pairs of the first crowd, from `after` on, and of those behind it that are whole, while they are few. */
async function pairsOfCrowds(
  project: Project,
  transaction: Transaction,
  crowds: readonly [Crowd, ...Crowd[]],
  after: Pair,
): Promise<[PairsOfCrowd, ...PairsOfCrowd[]]> {
  const held = await lockCrowds(project.database, transaction, crowds, (crowd) => mostOf(crowd) + 1);
  const locked = crowds.flatMap((crowd, place) => {
    const holders = held[place];
    return holders ? [{ crowd, holders, call: pairsCall(project, crowd, holders, after) }] : [];
  });
  const asked = locked.flatMap(({ call }) => (call ? [call] : []));
  const rows = asked.length === 0 ? [] : await transaction.run(...asked);
  const found: PairsOfCrowd[] = [];
  let count = 0;
  for (const [place, { crowd, holders, call }] of locked.entries()) {
    const page = call ? rows.shift()!.map(({ a, b }): Pair => [a, b]) : null;
    const one = page
      ? { crowd, pairs: page, isWhole: page.length < PAIRS_AT_ONCE }
      : { crowd, pairs: isLinking(crowd) ? pairsAmong(holders) : [], isWhole: true };
    const isTaken = place === 0 || (one.isWhole && count + one.pairs.length <= PAIRS_OF_CROWDS);
    if (!isTaken) continue;
    found.push(one);
    count += one.pairs.length;
  }
  return found as [PairsOfCrowd, ...PairsOfCrowd[]];
}

const isLinking = ({ kind }: Crowd) => isLinkingKind(kindOfNumber(kind));

/** So many holders are read to know whether a crowd counts. */
function mostOf(crowd: Crowd): number {
  const kind = kindOfNumber(crowd.kind);
  const cap = isLinkingKind(kind) ? LINK_WEIGHTS[kind].cap : 0;
  return Number.isFinite(cap) ? cap : BRIDGE_CAP;
}

/**
 * Null for a crowd that counts, all pairs of which are looked at. Of one over its sharing limit those whose links may still
 * rest on it, a page of them. An email of so many may have become a shared mailbox, on which no link rests, or none again, on
 * which all of them do. A phone of so many may have been a family's when its accounts were compared last.
 */
function pairsCall(
  { projectId }: Project,
  crowd: Crowd,
  holders: readonly string[],
  after: Pair,
): Call | null {
  const kind = kindOfNumber(crowd.kind);
  if (!isLinkingKind(kind) || holders.length <= mostOf(crowd)) return null;
  const page = { isFullMatch: !Number.isFinite(LINK_WEIGHTS[kind].cap), after, limit: PAIRS_AT_ONCE };
  return kind === 'email' || kind === 'phone'
    ? contactPairsCall(projectId, crowd, page)
    : restingPairsCall(projectId, crowd, page);
}

const BUSY_PAUSE_MS = 20;

/** When to stop although something is left: `until` on the clock of `performance`. */
export type Limits = { signal?: AbortSignal; until?: number };

export function isOver({ signal, until = Number.POSITIVE_INFINITY }: Limits): boolean {
  return signal?.aborted === true || performance.now() > until;
}

/** Looks at the marked crowds of the project until none is left, or it is over. */
export async function settleCrowds(project: Project, clock: Clock, limits: Limits = {}): Promise<void> {
  while (!isOver(limits)) {
    const outcome = await rescoreNextCrowds(project, clock.now(), limits.signal);
    if (outcome === 'none') return;
    if (outcome === 'busy') await delay(BUSY_PAUSE_MS);
  }
}
