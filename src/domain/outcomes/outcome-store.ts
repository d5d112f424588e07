import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { Outcome } from './outcome.ts';

/** A stored outcome; the note is encrypted. */
export type OutcomeRow = {
  outcome_id: string;
  /** Internal id of the account; `account_id` is the client's id. */
  account: string;
  account_id: string;
  outcome: Outcome;
  at: Date;
  note: Buffer | null;
  actor: string;
  reported_at: Date;
};

const COLUMNS = `o.outcome_id, o.account_id as account, a.account_id, o.outcome, o.at, o.note, o.actor, o.reported_at`;
const WITH_ACCOUNT = 'join accounts a on a.project_id = $1 and a.id = o.account_id';

/** Runs under the account's lock, so that a concurrent equal report finds the row, and an erasure misses none. */
export const REPORT: Statement = {
  name: 'outcome.report',
  text: `with account as (
           select id from accounts where project_id = $1 and account_id = $2
         ), stored as (
           select o.* from account_outcomes o join account on o.account_id = account.id
           where o.project_id = $1 and o.outcome = $4 and o.at = $5
         ), inserted as (
           insert into account_outcomes (project_id, outcome_id, account_id, outcome, at, note, actor, reported_at)
           select $1, $3, account.id, $4, $5, $6, $7, $8 from account where not exists (select from stored)
           returning *
         )
         select ${COLUMNS}, o.outcome_id = $3 as is_new
         from (select * from inserted union all select * from stored) o ${WITH_ACCOUNT}`,
};

export const RETRACT: Statement = {
  name: 'outcome.retract',
  text: `with o as (delete from account_outcomes where project_id = $1 and outcome_id = $2 returning *)
         select ${COLUMNS} from o ${WITH_ACCOUNT}`,
};

const FIND: Statement = {
  name: 'outcome.find',
  text: `select ${COLUMNS} from account_outcomes o ${WITH_ACCOUNT}
         where o.project_id = $1 and o.outcome_id = any ($2::uuid[])`,
};

/** Outcomes by their ids, in any order. */
export function findOutcomes(database: ProjectDatabase, ids: readonly string[]): Promise<OutcomeRow[]> {
  return database.query<OutcomeRow>(FIND, [database.projectId, ids]);
}

const ORDER = [
  { sql: 'o.at', type: 'timestamptz' },
  { sql: 'o.outcome_id', type: 'uuid' },
] as const;

/** One page of outcomes per account (internal ids), the latest first. */
export function findOutcomesOfAccounts(
  database: ProjectDatabase,
  accounts: readonly string[],
  page: KeysetPage,
): Promise<OutcomeRow[]> {
  const values: unknown[] = [database.projectId, accounts];
  const keyset = keysetOf(ORDER, 'DESC', page, (value) => `$${values.push(value)}`);
  const where = ['o.project_id = $1', 'o.account_id = w.id', ...keyset.conditions].join(' and ');
  return database.query<OutcomeRow>(
    {
      name: `outcome.find_pages:${keyset.shape}`,
      text: `select ${COLUMNS} from unnest($2::uuid[]) as w (id) cross join lateral (
               select o.* from account_outcomes o where ${where} ${keyset.order}
             ) o ${WITH_ACCOUNT} ${keyset.by}`,
    },
    values,
  );
}

const COUNT: Statement = {
  name: 'outcome.count',
  text: `select w.id, (
           select count(*)::int from (
             select from account_outcomes o where o.project_id = $1 and o.account_id = w.id limit $3
           ) found
         ) as total
         from unnest($2::uuid[]) as w (id)`,
};

/** Number of outcomes of accounts, counted up to a limit. */
export function countOutcomes(
  database: ProjectDatabase,
  accounts: readonly string[],
  limit: number,
): Promise<{ id: string; total: number }[]> {
  return database.query(COUNT, [database.projectId, accounts, limit]);
}

const LATEST: Statement = {
  name: 'outcome.latest',
  text: `select w.id, o.outcome from unnest($2::uuid[]) as w (id) cross join lateral (
           select outcome from account_outcomes where project_id = $1 and account_id = w.id
           order by at desc, outcome_id desc limit 1
         ) o`,
};

/** The latest outcome of each account that has one. */
export function findLatestOutcomes(
  database: ProjectDatabase,
  accounts: readonly string[],
): Promise<{ id: string; outcome: Outcome }[]> {
  return database.query(LATEST, [database.projectId, accounts]);
}
