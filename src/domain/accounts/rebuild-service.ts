import { addSession, NO_AGGREGATES, parseAggregates } from '@vouchgraph/decisions';
import {
  applyHistoryLimits,
  componentsOf,
  isPartial,
  isSameLink,
  planLinks,
  type StoredLink,
} from '@vouchgraph/linking';
import type { Clock } from '@vouchgraph/platform/clock';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import pLimit from 'p-limit';
import { recalculateLinks } from '../linking/recalculation-worker.ts';
import { accountLockOf } from '../linking/rescore-service.ts';
import type { AccountRow } from '../model/account-row.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { immediateRun } from '../recompute/recompute-rows.ts';
import { lockAccountsCall, lockAndRead } from './account-change-store.ts';
import type { AccountService } from './account-service.ts';
import { findAccountByAccountId } from './account-store.ts';
import { TRIM_IDENTIFIERS } from './account-write-store.ts';
import { type Linking, readLinking } from './linking-read-store.ts';
import { hasCurrentKeys, readableFields, recomputeMatchKeys } from './match-key-service.ts';
import { readMatchKeys } from './match-key-store.ts';
import { personsOfPlan } from './plan-identifiers.ts';
import {
  accountsAfter,
  allBridges,
  allIdentities,
  type CountedAccount,
  enqueueAllIdentities,
  findCounted,
  findOverLimit,
} from './rebuild-store.ts';

/** Result of a check; everything after the first three fields is empty when all links are consistent. */
export type LinkCheck = {
  accounts: number;
  /** Number of pairs that must be linked. */
  links: number;
  /** Number of accounts in rings so large that not all of their links are stored. */
  notCompared: number;
  /** Pairs whose link is missing, must not exist, or differs, by the client's ids. */
  missing: string[][];
  surplus: string[][];
  different: string[][];
  /** Accounts whose counts, times or averages differ from their sessions. */
  counters: string[];
  /** Accounts whose match keys are not those that the current rules make, or whose fields cannot be decrypted. */
  keys: string[];
  /** Number of identity groups that differ from the links. */
  identities: number;
};

export type RebuildService = ReturnType<typeof createRebuildService>;

const PAGE = 200;
const CONCURRENCY = 8;

/** Rebuilds links and identities, or compares them with a recomputation, for the command line. */
export function createRebuildService({ accounts, clock }: { accounts: AccountService; clock: Clock }) {
  /** Rebuilds the links of every account, then all identities. Returns the number of accounts. */
  async function rebuild(viewer: Viewer, onProgress: (accounts: number) => void): Promise<number> {
    assertMay(viewer, 'account.rebuild');
    await trimHistories(viewer.project);
    await recomputeMatchKeys(viewer, accounts, immediateRun());
    let done = 0;
    for await (const page of pagesOf(viewer)) {
      await pLimit(CONCURRENCY).map(page, ({ account_id }) => accounts.relink(viewer, account_id));
      done += page.length;
      onProgress(done);
    }
    await enqueueAllIdentities(viewer.project.database);
    await recalculateLinks(viewer.project, clock);
    return done;
  }

  /** Compares the stored state with a recomputation, after processing pending recalculations. Changes nothing else. */
  async function check(viewer: Viewer, onProgress: (accounts: number) => void): Promise<LinkCheck> {
    assertMay(viewer, 'account.rebuild');
    const { database } = viewer.project;
    await recalculateLinks(viewer.project, clock);
    const found: LinkCheck = {
      accounts: 0,
      links: 0,
      notCompared: 0,
      missing: [],
      surplus: [],
      different: [],
      counters: [],
      keys: [],
      identities: 0,
    };
    const clientIds = new Map<string, string>();
    const partial = new Set<string>();
    const linksFromLater = new Map<string, number>();
    const seen = { found, partial, linksFromLater };
    for await (const page of pagesOf(viewer)) {
      for (const { id, account_id } of page) clientIds.set(id, account_id);
      await pLimit(CONCURRENCY).map(page, ({ id, account_id }) =>
        compareAccount(viewer, id, account_id, seen),
      );
      const ids = page.map(({ id }) => id);
      const [counted, keyed] = await Promise.all([findCounted(database, ids), readMatchKeys(database, ids)]);
      found.counters.push(...counted.filter((account) => !isCounted(account)).map((each) => each.account_id));
      const wrong = keyed.filter((account) => !hasCurrentKeys(viewer.project, account));
      found.keys.push(...wrong.map(({ account_id }) => account_id));
      found.accounts += page.length;
      onProgress(found.accounts);
    }
    // Pairs whose first account was not compared are counted from their second account.
    for (const id of partial) found.links += linksFromLater.get(id) ?? 0;
    found.identities = await countWrongIdentities(viewer);
    for (const kind of ['missing', 'surplus', 'different'] as const) {
      const whole = found[kind].filter(([, other]) => !partial.has(other!));
      found[kind] = whole.map(([one, other]) => [one!, clientIds.get(other!) ?? other!]);
    }
    return found;
  }

  return { rebuild, check };
}

/**
 * Trims accounts with more identifiers than the history limits allow. All accounts are trimmed before any is linked, because
 * a dropped identifier no longer links another account.
 */
async function trimHistories(project: Project): Promise<void> {
  const { database, cipher, projectId } = project;
  for await (const page of pagesOf({ project })) {
    const long = await findOverLimit(
      database,
      page.map(({ id }) => id),
    );
    await pLimit(CONCURRENCY).map(long, ({ id, account_id }) =>
      database.transaction(async (transaction) => {
        await transaction.run(lockAccountsCall([accountLockOf(cipher, account_id)]));
        await transaction.commit([TRIM_IDENTIFIERS, [projectId, id]]);
      }),
    );
  }
}

async function* pagesOf({
  project,
}: Pick<Viewer, 'project'>): AsyncGenerator<{ id: string; account_id: string }[]> {
  for (let after = NIL_UUID; ; ) {
    const page = await accountsAfter(project.database, after, PAGE);
    if (page.length === 0) return;
    yield page;
    after = page.at(-1)!.id;
  }
}

type Difference = { missing: string[]; surplus: string[]; different: string[]; linked: string[] };

/** Results of a check while it runs. */
type Comparisons = {
  found: LinkCheck;
  /** Internal ids of accounts that are not compared. */
  partial: Set<string>;
  /** Number of links of each account with accounts of greater ids, counted from these. */
  linksFromLater: Map<string, number>;
};

/** Compares without locks first; a difference is compared again under the account's lock. */
async function compareAccount(
  { project }: Viewer,
  id: string,
  accountId: string,
  { found, partial, linksFromLater }: Comparisons,
): Promise<void> {
  const [linking, account] = await Promise.all([
    readLinking(project.database, { accountId }),
    findAccountByAccountId(project.database, accountId),
  ]);
  let difference = compared(project, linking, account);
  if (difference && !isNothing(difference)) {
    difference = await project.database.transaction(async (transaction) => {
      const scope = {
        accountLock: accountLockOf(project.cipher, accountId),
        accountId,
        sessionId: null,
        group: null,
        identifiers: [],
        domain: 'uncounted' as const,
      };
      const { contexts } = await lockAndRead(project.database, transaction, [scope], []);
      const context = contexts[0]!;
      return compared(project, context, context.account);
    });
  }
  if (!difference) {
    found.notCompared++;
    partial.add(id);
    return;
  }
  for (const other of difference.linked) {
    if (id < other) found.links++;
    else linksFromLater.set(other, (linksFromLater.get(other) ?? 0) + 1);
  }
  // Each pair is compared from both accounts, and reported from the smaller id only.
  for (const kind of ['missing', 'surplus', 'different'] as const) {
    found[kind].push(...difference[kind].filter((other) => id < other).map((other) => [accountId, other]));
  }
}

function isNothing({ missing, surplus, different }: Difference): boolean {
  return missing.length + surplus.length + different.length === 0;
}

/** Null for an account whose links are not all stored. */
function compared(
  project: Project,
  { mine, matches, links, mailboxes, persons }: Linking,
  account: AccountRow | null,
): Difference | null {
  const { kept } = applyHistoryLimits(mine);
  if (isPartial(kept, matches, mailboxes)) return null;
  const personal = account && readableFields(project, account);
  const holders = personal ? personsOfPlan(project, personal, kept, persons) : undefined;
  const plan = planLinks(kept, matches, [], false, mailboxes, holders);
  const expected = new Map(plan.links.map((link) => [link.accountId, link]));
  const stored = new Map(links.map((link) => [link.accountId, link]));
  const ids = (from: ReadonlyMap<string, StoredLink>, isWanted: (link: StoredLink) => boolean) =>
    [...from.values()].filter(isWanted).map(({ accountId }) => accountId);
  return {
    linked: [...expected.keys()],
    missing: ids(expected, ({ accountId }) => !stored.has(accountId)),
    surplus: ids(stored, ({ accountId }) => !expected.has(accountId)),
    different: ids(
      expected,
      (link) => stored.has(link.accountId) && !isSameLink(link, stored.get(link.accountId)),
    ),
  };
}

const ROUNDING = 1e-6;

/** Whether counts and averages equal those of the account's sessions. */
function isCounted({ is_right, aggregates, starts, scores }: CountedAccount): boolean {
  const stored = parseAggregates(aggregates);
  const vectors = JSON.parse(scores ?? '[]') as number[][];
  let expected = NO_AGGREGATES;
  for (const [index, start] of (starts ?? []).entries())
    expected = addSession(expected, start, vectors[index]!, null);
  const isNear = (a: number, b: number) => Math.abs(a - b) <= ROUNDING * Math.max(1, Math.abs(b));
  return (
    is_right &&
    isNear(stored.weight, expected.weight) &&
    stored.sums.every((sum, index) => isNear(sum, expected.sums[index]!))
  );
}

async function countWrongIdentities({ project }: Viewer): Promise<number> {
  const [bridges, identities] = await Promise.all([
    allBridges(project.database),
    allIdentities(project.database),
  ]);
  const expected = new Set(componentsOf(bridges).map((ids) => ids.join()));
  const stored = identities.map(({ size, accounts }) => ({
    size,
    key: [...accounts].sort().join(),
    accounts,
  }));
  const wrong = stored.filter(({ size, key, accounts }) => size !== accounts.length || !expected.has(key));
  const keys = new Set(stored.map(({ key }) => key));
  const missing = [...expected].filter((key) => !keys.has(key));
  return wrong.length + missing.length;
}
