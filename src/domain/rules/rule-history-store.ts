import { MAX_COUNTED_MATCHES } from '@vouchgraph/decisions';
import { firstIdAt } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type {
  Prisma,
  RuleMatch,
  Rule as RuleModel,
  RuleVersion,
} from '../../storage/generated/prisma/client.ts';
import { idList, prismaPage } from '../../storage/prisma-page.ts';
import { countEach, countOfEach, totalsOf } from '../../storage/selection.ts';

/** Columns of a version or a match that are always read. */
export type RuleVersionKey = Pick<RuleVersion, 'projectId' | 'ruleId' | 'version'>;
export type RuleMatchKey = Pick<RuleMatch, 'projectId' | 'matchId'>;
type Ids<Names extends string> = Readonly<Record<'projectId' | Names, true>>;

/** Columns that a query selects of each version; at least its key. */
export type VersionQuery = { select: Prisma.RuleVersionSelect & Ids<'ruleId' | 'version'> };

/** The same page of the versions of several rules, the newest first, in the order of the rules' ids. */
export async function findRuleVersions(
  { projectId, prisma }: ProjectDatabase,
  ruleIds: readonly string[],
  page: KeysetPage,
  query: VersionQuery,
): Promise<RuleVersionKey[][]> {
  const rules = await prisma.rule.findMany({
    where: { projectId, ruleId: { in: idList(ruleIds) } },
    select: { ruleId: true, versions: { ...query, ...prismaPage('version', 'desc', page) } },
  });
  const byRule = new Map(rules.map((rule) => [rule.ruleId, rule.versions]));
  return ruleIds.map((id) => byRule.get(id) ?? []);
}

/** Number of versions of rules. */
export async function countRuleVersions(
  { projectId, prisma }: ProjectDatabase,
  ruleIds: readonly string[],
): Promise<number[]> {
  const where = { projectId, ruleId: { in: idList(ruleIds) } };
  const counted = await prisma.ruleVersion.groupBy({ by: 'ruleId', where, _count: true });
  return totalsOf(
    ruleIds,
    counted.map(({ ruleId, _count }) => ({ id: ruleId, total: _count })),
  );
}

/** What a query selects of each match; its key at least. */
export type MatchQuery = { select: Prisma.RuleMatchSelect & Ids<'matchId'> };

/** The same page of the matches of several rules, the newest first, in the order of the rules' ids. */
export async function findRuleMatches(
  { projectId, prisma }: ProjectDatabase,
  ruleIds: readonly string[],
  page: MatchPage,
  query: MatchQuery,
): Promise<RuleMatchKey[][]> {
  const rules = await prisma.rule.findMany({
    where: { projectId, ruleId: { in: idList(ruleIds) } },
    select: { ruleId: true, matches: matchesOf(page, query) },
  });
  const byRule = new Map(rules.map((rule) => [rule.ruleId, rule.matches]));
  return ruleIds.map((id) => byRule.get(id) ?? []);
}

/** A rule, and a page of its matches. */
export type RuleWithMatches = RuleModel & { readonly matches: RuleMatchKey[] };

/** Rules by their ids, each with the same page of its matches, in any order. */
export function findRulesWithMatches(
  { projectId, prisma }: ProjectDatabase,
  ruleIds: readonly string[],
  page: MatchPage,
  query: MatchQuery,
): Promise<RuleWithMatches[]> {
  return prisma.rule.findMany({
    where: { projectId, ruleId: { in: idList(ruleIds) } },
    include: { matches: matchesOf(page, query) },
  });
}

/** Arguments of Prisma for a page of the matches of a rule. */
function matchesOf({ shadow, page }: MatchPage, query: MatchQuery) {
  const { where, ...order } = prismaPage('matchId', 'desc', page);
  return { ...query, ...order, where: { ...where, ...(shadow === null ? {} : { shadow }) } };
}

/** Matches in shadow, or those in which the rule acted; null for both. */
export type MatchPage = { readonly shadow: boolean | null; readonly page: KeysetPage };

const COUNT_MATCHES = countOfEach(
  'rule.count_matches',
  'rule_matches m where m.project_id = $1 and m.rule_id = p.id and ($4::boolean is null or m.shadow = $4)',
);

/** Number of matches of rules, counted up to a limit. */
export function countMatches(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  shadow: boolean | null,
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT_MATCHES, ruleIds, limit, shadow);
}

/** Conditions of matches of all rules; a match meets all of them. */
export type RuleMatchFilter = {
  readonly ruleId?: string | null | undefined;
  /** Id of the account, assigned by the client. */
  readonly accountId?: string | null | undefined;
  readonly shadow?: boolean | null | undefined;
  /** Matches of [since, until). */
  readonly since?: Date | null | undefined;
  readonly until?: Date | null | undefined;
};

/** The matches that a filter selects; null when it names an account that does not exist. */
async function conditionOf(
  { projectId, prisma }: ProjectDatabase,
  { ruleId, accountId, shadow, since, until }: RuleMatchFilter,
): Promise<Prisma.RuleMatchWhereInput | null> {
  const times = { ...(since && { gte: firstIdAt(since) }), ...(until && { lt: firstIdAt(until) }) };
  const condition: Prisma.RuleMatchWhereInput = { projectId, AND: { matchId: times } };
  if (ruleId != null) condition.ruleId = ruleId;
  if (shadow != null) condition.shadow = shadow;
  if (accountId == null) return condition;
  // By its internal id, which the index of matches has.
  const where = { projectId_accountId: { projectId, accountId } };
  const account = await prisma.account.findUnique({ where, select: { id: true } });
  return account && { ...condition, accountId: account.id };
}

/** A page of the matches of all rules, the newest first, in the order in which it is read. */
export async function searchRuleMatches(
  database: ProjectDatabase,
  filter: RuleMatchFilter,
  page: KeysetPage,
  query: MatchQuery,
): Promise<RuleMatchKey[]> {
  const condition = await conditionOf(database, filter);
  if (!condition) return [];
  const { where, ...order } = prismaPage('matchId', 'desc', page);
  return database.prisma.ruleMatch.findMany({ ...query, ...order, where: { ...condition, ...where } });
}

/** Number of matches that a filter finds, counted up to a limit. */
export async function countFoundMatches(
  database: ProjectDatabase,
  filter: RuleMatchFilter,
  limit: number,
): Promise<number> {
  const where = await conditionOf(database, filter);
  return where ? database.prisma.ruleMatch.count({ where, take: limit }) : 0;
}

const COUNTS: Statement = {
  name: 'rule.match_counts',
  text: `select wanted.rule_id, m.live, m.shadow from unnest($2::uuid[]) as wanted (rule_id)
         cross join lateral (
           select (count(*) filter (where not latest.shadow))::int as live,
             (count(*) filter (where latest.shadow))::int as shadow
           from (
             select m.shadow from rule_matches m
             where m.project_id = $1 and m.rule_id = wanted.rule_id and m.match_id >= $3
             order by m.match_id desc limit ${MAX_COUNTED_MATCHES}
           ) latest
         ) m`,
};

export type RuleMatchCounts = { rule_id: string; live: number; shadow: number };

/** Number of matches of rules since a time: live ones, and those in shadow. */
export function countRuleMatches(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  since: Date,
): Promise<RuleMatchCounts[]> {
  return database.query<RuleMatchCounts>(COUNTS, [database.projectId, ruleIds, firstIdAt(since)]);
}
