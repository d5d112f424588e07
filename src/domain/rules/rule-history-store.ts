import { firstIdAt } from '../../platform/ids.ts';
import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { ActionOutcome } from './apply-actions.ts';
import { MAX_COUNTED_MATCHES, type Rule } from './rule.ts';
import { type RuleRow, toRule } from './rule-store.ts';

/** A rule as it was from a moment on. */
export type RuleVersion = Rule & { readonly actor: string; readonly at: Date; readonly setVersion: number };

type RuleVersionRow = RuleRow & { actor: string; rules_version: number };

const VERSION_COLUMNS = `v.rule_id, v.version, v.rules_version, v.name, v.description, v.trigger, v.state, v.paused,
  v.position, v.expression, v.actions, v.actor, v.created_at`;

function toVersion(row: RuleVersionRow): RuleVersion {
  return { ...toRule(row), actor: row.actor, at: row.created_at, setVersion: row.rules_version };
}

/** The same page of the versions of several rules, the newest first. */
export async function findRuleVersions(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  page: KeysetPage,
): Promise<RuleVersion[]> {
  const values: unknown[] = [database.projectId, ruleIds];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'v.version', type: 'int' }], 'DESC', page, parameter);
  const where = ['v.project_id = $1', 'v.rule_id = wanted.rule_id', ...keyset.conditions].join(' and ');
  const rows = await database.query<RuleVersionRow>(
    {
      name: `rule.versions:${keyset.shape}`,
      text: `select ${VERSION_COLUMNS} from unnest($2::uuid[]) as wanted (rule_id)
             cross join lateral (select * from rule_versions v where ${where} ${keyset.order}) v ${keyset.by}`,
    },
    values,
  );
  return rows.map(toVersion);
}

const COUNT_VERSIONS: Statement = {
  name: 'rule.count_versions',
  text: `select wanted.rule_id, (
           select count(*)::int from (
             select from rule_versions v where v.project_id = $1 and v.rule_id = wanted.rule_id limit $3
           ) found
         ) as total
         from unnest($2::uuid[]) as wanted (rule_id)`,
};

/** Number of versions of rules, counted up to a limit. */
export function countRuleVersions(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  limit: number,
): Promise<RuleTotal[]> {
  return database.query<RuleTotal>(COUNT_VERSIONS, [database.projectId, ruleIds, limit]);
}

const FIND_VERSIONS: Statement = {
  name: 'rule.find_versions',
  text: `select ${VERSION_COLUMNS} from unnest($2::uuid[], $3::int[]) as wanted (rule_id, version)
         join rule_versions v on v.project_id = $1 and v.rule_id = wanted.rule_id and v.version = wanted.version`,
};

export type VersionKey = { readonly ruleId: string; readonly version: number };

/** Versions of rules by their numbers, in any order. */
export async function findVersions(
  database: ProjectDatabase,
  keys: readonly VersionKey[],
): Promise<RuleVersion[]> {
  const rows = await database.query<RuleVersionRow>(FIND_VERSIONS, [
    database.projectId,
    keys.map(({ ruleId }) => ruleId),
    keys.map(({ version }) => version),
  ]);
  return rows.map(toVersion);
}

/** How many there are of a rule. */
export type RuleTotal = { rule_id: string; total: number };

/** A rule that matched an account in a session. */
export type RuleMatchRow = {
  match_id: string;
  rule_id: string;
  version: number;
  shadow: boolean;
  at: Date;
  /** Internal id of the account. */
  account: string;
  /** The client's own id of the account. */
  account_id: string;
  session_id: string;
  outcomes: ActionOutcome[];
};

const MATCH_COLUMNS = `m.match_id, m.rule_id, m.version, m.shadow, m.at, a.id as account, a.account_id, m.session_id,
  m.outcomes`;
const MATCHED = 'rule_matches m join accounts a on a.project_id = $1 and a.id = m.account_id';
const OF_RULE = `m.project_id = $1 and m.rule_id = wanted.rule_id and ($3::boolean is null or m.shadow = $3)`;

/** The same page of the matches of several rules, the newest first. */
export function findRuleMatches(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  { shadow, page }: MatchPage,
): Promise<RuleMatchRow[]> {
  const values: unknown[] = [database.projectId, ruleIds, shadow];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'm.match_id', type: 'uuid' }], 'DESC', page, parameter);
  const where = [OF_RULE, ...keyset.conditions].join(' and ');
  return database.query<RuleMatchRow>(
    {
      name: `rule.matches:${keyset.shape}`,
      text: `select m.* from unnest($2::uuid[]) as wanted (rule_id)
             cross join lateral (select ${MATCH_COLUMNS} from ${MATCHED} where ${where} ${keyset.order}) m
             ${keyset.by}`,
    },
    values,
  );
}

/** Matches in shadow, or those in which the rule acted; null for both. */
export type MatchPage = { readonly shadow: boolean | null; readonly page: KeysetPage };

const COUNT_MATCHES: Statement = {
  name: 'rule.count_matches',
  text: `select wanted.rule_id, (
           select count(*)::int from (select from ${MATCHED} where ${OF_RULE} limit $4) found
         ) as total
         from unnest($2::uuid[]) as wanted (rule_id)`,
};

/** Number of matches of rules, counted up to a limit. */
export function countMatches(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  shadow: boolean | null,
  limit: number,
): Promise<RuleTotal[]> {
  return database.query<RuleTotal>(COUNT_MATCHES, [database.projectId, ruleIds, shadow, limit]);
}

/** Conditions of matches of all rules; a match meets all of them. */
export type RuleMatchFilter = {
  readonly ruleId?: string | null | undefined;
  /** The client's own id of the account. */
  readonly accountId?: string | null | undefined;
  readonly shadow?: boolean | null | undefined;
  /** Matches of [since, until). */
  readonly since?: Date | null | undefined;
  readonly until?: Date | null | undefined;
};

/** What a filter selects of matches `m`. Each combination of conditions is a statement of its own. */
function matchConditions(filter: RuleMatchFilter, parameter: (value: unknown) => string) {
  const conditions = ['m.project_id = $1'];
  const shape: string[] = [];
  const add = (name: string, condition: string) => {
    shape.push(name);
    conditions.push(condition);
  };
  const { ruleId, accountId, shadow, since, until } = filter;
  if (ruleId != null) add('rule', `m.rule_id = ${parameter(ruleId)}::uuid`);
  if (accountId != null) {
    const id = `(select a.id from accounts a where a.project_id = $1 and a.account_id = ${parameter(accountId)})`;
    add('account', `m.account_id = ${id}`);
  }
  if (shadow != null) add('shadow', `m.shadow = ${parameter(shadow)}::boolean`);
  if (since) add('since', `m.match_id >= ${parameter(firstIdAt(since))}::uuid`);
  if (until) add('until', `m.match_id < ${parameter(firstIdAt(until))}::uuid`);
  return { conditions, shape };
}

/** A page of the matches of all rules, the newest first, in the order in which it is read. */
export function searchRuleMatches(
  database: ProjectDatabase,
  filter: RuleMatchFilter,
  page: KeysetPage,
): Promise<RuleMatchRow[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { conditions, shape } = matchConditions(filter, parameter);
  const keyset = keysetOf([{ sql: 'm.match_id', type: 'uuid' }], 'DESC', page, parameter);
  const where = [...conditions, ...keyset.conditions].join(' and ');
  return database.query<RuleMatchRow>(
    {
      name: `rule.search_matches:${keyset.shape}:${shape.join(',')}`,
      text: `select ${MATCH_COLUMNS} from (select * from rule_matches m where ${where} ${keyset.order}) m
             join accounts a on a.project_id = $1 and a.id = m.account_id
             order by m.match_id ${keyset.reads}`,
    },
    values,
  );
}

/** Number of matches that a filter finds, counted up to a limit. */
export async function countFoundMatches(
  database: ProjectDatabase,
  filter: RuleMatchFilter,
  limit: number,
): Promise<number> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { conditions, shape } = matchConditions(filter, parameter);
  const [row] = await database.query<{ total: number }>(
    {
      name: `rule.count_found_matches:${shape.join(',')}`,
      text: `select count(*)::int as total from (
               select from rule_matches m where ${conditions.join(' and ')}
               order by m.match_id desc limit ${parameter(limit)}) found`,
    },
    values,
  );
  return row!.total;
}

const FIND_MATCHES: Statement = {
  name: 'rule.find_matches',
  text: `select ${MATCH_COLUMNS} from ${MATCHED} where m.project_id = $1 and m.match_id = any ($2::uuid[])`,
};

/** Matches by their ids, in any order. */
export function findMatches(database: ProjectDatabase, matchIds: readonly string[]): Promise<RuleMatchRow[]> {
  return database.query<RuleMatchRow>(FIND_MATCHES, [database.projectId, matchIds]);
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

/** How often rules matched since a moment: those that acted, and those in shadow. */
export function countRuleMatches(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  since: Date,
): Promise<RuleMatchCounts[]> {
  return database.query<RuleMatchCounts>(COUNTS, [database.projectId, ruleIds, firstIdAt(since)]);
}
