import { firstIdAt } from '@vouchgraph/platform/ids';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { LabeledMatches } from './rule-performance.ts';

type Counted = { readonly [count in keyof LabeledMatches]: number };

/** Each account with an outcome, once, by the one reported last. */
const LABELS = `labels as materialized (
    select distinct on (o.account_id) o.account_id, o.outcome <> 'legitimate' as is_fraud
    from account_outcomes o where o.project_id = $1
    order by o.account_id, o.outcome_id desc
  )`;

const COUNTS = `(count(*) filter (where is_fraud and is_matched))::int as "matchedFraud",
    (count(*) filter (where not is_fraud and is_matched))::int as "matchedLegitimate",
    (count(*) filter (where is_fraud and not is_matched))::int as "missedFraud",
    (count(*) filter (where not is_fraud and not is_matched))::int as "missedLegitimate"`;

/** Starts from the labels, which are few, and finds decisions and matches by account. */
const OF_RULES: Statement = {
  name: 'outcome.rule_performance',
  text: `with ${LABELS}, decided as materialized (
           select l.* from labels l where exists (
             select from decisions d where d.project_id = $1 and d.account_id = l.account_id and d.decision_id >= $3)
         ), matched as materialized (
           select distinct m.rule_id, m.account_id from decided l
           join rule_matches m on m.project_id = $1 and m.account_id = l.account_id
           where m.rule_id = any ($2::uuid[]) and m.match_id >= $3 and ($4::boolean is null or m.shadow = $4)
         )
         select w.rule_id, ${COUNTS} from (
           select r.rule_id, l.is_fraud, m.account_id is not null as is_matched
           from unnest($2::uuid[]) as r (rule_id) cross join decided l
           left join matched m on m.rule_id = r.rule_id and m.account_id = l.account_id
         ) w group by w.rule_id`,
};

/** Counts of labeled accounts with a decision since a time, by matches of rules since; no row without such an account. */
export function countLabeledMatchesOfRules(
  database: ProjectDatabase,
  ruleIds: readonly string[],
  { since, shadow }: { since: Date; shadow: boolean | null },
): Promise<(Counted & { rule_id: string })[]> {
  return database.query(OF_RULES, [database.projectId, ruleIds, firstIdAt(since), shadow]);
}

/** Kind of verification for triggers that apply to one kind only. */
const KIND_OF_TRIGGER = `case b.trigger when 'ID_CHECK_COMPLETED' then 'id' when 'FACE_CHECK_COMPLETED' then 'face' end`;

const OF_BACKTESTS: Statement = {
  name: 'outcome.backtest_performance',
  text: `with ${LABELS}
         select w.backtest_id, ${COUNTS} from (
           select b.backtest_id, l.account_id, l.is_fraud, bool_or(m.decision_id is not null) as is_matched
           from unnest($2::uuid[], $3::uuid[], $4::uuid[]) as r (backtest_id, first_id, end_id)
           join backtests b on b.project_id = $1 and b.backtest_id = r.backtest_id
           cross join labels l
           join decisions d on d.project_id = $1 and d.account_id = l.account_id and d.decision_id > r.first_id
             and d.decision_id < r.end_id and (d.first_session or b.trigger <> 'FIRST_SESSION')
           left join backtest_matches m on m.project_id = $1 and m.backtest_id = b.backtest_id
             and m.decision_id = d.decision_id
           where ${KIND_OF_TRIGGER} is null or exists (
             select from verification_sessions v
             where v.project_id = $1 and v.session_id = d.session_id and v.kind = ${KIND_OF_TRIGGER})
           group by b.backtest_id, l.account_id, l.is_fraud
         ) w group by w.backtest_id`,
};

/** Counts of labeled accounts with a decision that a backtest examines, by its matches; no row without such an account. */
export function countLabeledMatchesOfBacktests(
  database: ProjectDatabase,
  backtests: readonly { backtestId: string; since: Date; until: Date }[],
): Promise<(Counted & { backtest_id: string })[]> {
  return database.query(OF_BACKTESTS, [
    database.projectId,
    backtests.map(({ backtestId }) => backtestId),
    backtests.map(({ since }) => firstIdAt(since)),
    backtests.map(({ until }) => firstIdAt(until)),
  ]);
}
