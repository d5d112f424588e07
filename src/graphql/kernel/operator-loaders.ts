import type { Clock } from '@vouchgraph/platform/clock';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import DataLoader from 'dataloader';
import { readAccounts } from '../../domain/accounts/account-read-service.ts';
import { readSummaries, readVersionInUse } from '../../domain/calibration/calibration-read-service.ts';
import {
  countMatchesOfBacktests,
  listMatchesOfBacktests,
  type MatchedQuery,
  readMatched,
} from '../../domain/decisions/backtests/backtest-read-service.ts';
import {
  countListMembers,
  countMembersUpTo,
  type KeepOffQuery,
  listMembersOfLists,
  readAccountIdsOfLists,
  readableByToken,
  readKeepOffs,
  readListsByName,
} from '../../domain/lists/list-read-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import {
  countMatchesOfRules,
  countMatchesUpTo,
  countVersionsOfRules,
  listRuleMatches,
  listRuleVersions,
  type MatchPage,
  type MatchQuery,
  type RuleMatchCounts,
  readRulesWithMatches,
  type VersionQuery,
} from '../../domain/rules/rule-history-service.ts';
import { readRules } from '../../domain/rules/rule-read-service.ts';
import { kept, pageLoaders } from './kept-loader.ts';

/** Loaders of operators' objects: lists, rules, backtests, keys, calibrations and the audit log. */
export function operatorLoaders(viewer: Viewer, clock: Clock) {
  return {
    ...listLoaders(viewer, clock),
    ...ruleLoaders(viewer),
    ...backtestLoaders(viewer),

    /** Version of the newest calibration that is not retired; the key is the project. */
    calibrationInUse: loader(async (projects) => Array(projects.length).fill(await readVersionInUse(viewer))),

    /** Labels and scores of calibrations, by their versions. */
    calibrationSummary: new DataLoader(async (versions: readonly number[]) =>
      readSummaries(viewer, versions),
    ),
  };
}

/** Synchronously thrown errors become rejections too. */
function loader<Value>(load: (keys: readonly string[]) => Promise<Value[]>): DataLoader<string, Value> {
  return new DataLoader<string, Value>(async (keys) => load(keys));
}

function listLoaders(viewer: Viewer, clock: Clock) {
  return {
    /** Lists by their names. */
    listByName: loader((names) => readListsByName(viewer, names)),

    /** Number of accounts on lists. */
    listMemberCount: loader((ids) => countListMembers(viewer, ids, clock.now())),

    /** The same, counted up to a limit. */
    listMembersUpTo: loader((ids) => countMembersUpTo(viewer, ids, clock.now(), LIMITS.countedObjects + 1)),

    /** Ids, assigned by the client, of all accounts on lists. */
    listAccountIds: loader((ids) => readAccountIdsOfLists(viewer, ids, clock.now())),

    /** Lists that rules may not add accounts to. */
    keepOffs: pageLoaders((ids, query: KeepOffQuery) => readKeepOffs(viewer, ids, query)),

    /** Whether a browser token reads lists. */
    listIsReadable: loader((ids) => readableByToken(viewer, ids, clock.now())),

    /** The same page of the memberships of several lists, with their accounts. */
    listMembers: pageLoaders((ids, page: KeysetPage) => listMemberships(viewer, ids, page, clock.now())),
  };
}

/** Memberships, and their accounts; null for an account that was erased meanwhile. */
async function listMemberships(viewer: Viewer, listIds: readonly string[], page: KeysetPage, now: Date) {
  const pages = await listMembersOfLists(viewer, listIds, page, now);
  const ids = [...new Set(pages.flat().map(({ accountId }) => accountId))];
  const accounts = ids.length === 0 ? [] : await readAccounts(viewer, ids);
  const byId = new Map(accounts.map((account, index) => [ids[index], account]));
  return pages.map((members) =>
    members.map((member) => ({ member, node: byId.get(member.accountId) ?? null })),
  );
}

function ruleLoaders(viewer: Viewer) {
  const counts = new Map<string, DataLoader<string, RuleMatchCounts>>();
  const totals = new Map<string, DataLoader<string, number>>();
  return {
    rule: loader((ids) => readRules(viewer, ids)),

    /** The same page of the versions of several rules. */
    ruleVersions: pageLoaders((ids, { page, query }: { page: KeysetPage; query: VersionQuery }) =>
      listRuleVersions(viewer, ids, page, query),
    ),
    ruleVersionTotal: loader((ids) => countVersionsOfRules(viewer, ids)),

    /** The same page of the matches of several rules. */
    ruleMatches: pageLoaders((ids, { query, ...page }: MatchPage & { query: MatchQuery }) =>
      listRuleMatches(viewer, ids, page, query),
    ),

    /** Rules, each with the same page of its matches. */
    rulesWithMatches: pageLoaders((ids, { query, ...page }: MatchPage & { query: MatchQuery }) =>
      readRulesWithMatches(viewer, ids, page, query),
    ),

    /** Number of matches of rules, counted up to a limit. */
    ruleMatchTotal: (shadow: boolean | null) =>
      kept(totals, String(shadow), (ids) => countMatchesUpTo(viewer, ids, shadow, LIMITS.countedObjects + 1)),

    /** Number of matches of rules since a time. */
    ruleMatchCounts: (since: Date) =>
      kept(counts, since.toISOString(), (ids) => countMatchesOfRules(viewer, ids, since)),
  };
}

function backtestLoaders(viewer: Viewer) {
  return {
    /** Decisions that backtests matched, by their ids; null for a decision on an erased account. */
    matchedDecisions: pageLoaders((ids, query: MatchedQuery) => readMatched(viewer, ids, query)),

    /** The same page of the matches of several backtests. */
    backtestMatches: pageLoaders((ids, { page, query }: { page: KeysetPage; query: MatchedQuery }) =>
      listMatchesOfBacktests(viewer, ids, page, query),
    ),
    backtestMatchTotal: loader((ids) => countMatchesOfBacktests(viewer, ids, LIMITS.countedObjects + 1)),
  };
}
