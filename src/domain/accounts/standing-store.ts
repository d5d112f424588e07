import type { LinkStrength } from '@vouchgraph/decisions';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Call, ProjectDatabase, Row, Statement, Transaction } from '../../storage/database.ts';
import { tryLockByName } from '../../storage/locks.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { linkStrengthsCall } from '../linking/link-store.ts';
import { findClientIds } from '../linking/rescore-store.ts';
import type { AccountRow } from '../model/account-row.ts';
import type { AccountStanding } from './account-standing.ts';
import { findAccountsCall } from './account-store.ts';

/* Statements for recalculations of `account_standing`. Changes of accounts write it themselves (account-write-store.ts). */

/** One process at a time per project. */
const TRY_LOCK = tryLockByName('standing.try_lock', 'standing');

const TAKE_FLAGS: Statement = {
  name: 'standing.take_flags',
  text: 'select flag_id, account_id from standing_flags where project_id = $1 order by flag_id limit $2',
};

/**
 * The current settings, and the progress of a recalculation of all accounts. It starts when all transactions that started before
 * its request have ended, so that their writes with earlier settings are visible. Transactions of a gateway take less than a
 * minute; longer ones are not waited for.
 */
const READ_STATE: Statement = {
  name: 'standing.read_state',
  text: `select p.settings, r.generation, r.position,
           r.position <> '${NIL_UUID}' or r.changed_xid < pg_snapshot_xmin(pg_current_snapshot())::text::bigint
             or r.changed_at < clock_timestamp() - interval '1 minute' as may_run
         from projects p left join standing_recalculations r on r.project_id = p.project_id
         where p.project_id = $1`,
};

/** A recalculation of all accounts. `position`: the last completed account. */
export type Recalculation = {
  readonly generation: number;
  readonly position: string;
  readonly mayRun: boolean;
};

export type StandingWork = {
  /** Ids of flags; `flagged` are their accounts in the same order. */
  readonly flags: readonly string[];
  readonly flagged: readonly string[];
  /** Null when no recalculation of all accounts is due. */
  readonly recalculation: Recalculation | null;
  /** Stored settings of the project. */
  readonly settings: unknown;
};

/** Locks and reads the pending work of a project; null when another process has the lock. */
export async function claimStandingWork(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  limit: number,
): Promise<StandingWork | null> {
  const [locked = [], flags = [], states = []] = await transaction.run(
    [TRY_LOCK, [projectId]],
    [TAKE_FLAGS, [projectId, limit]],
    [READ_STATE, [projectId]],
  );
  if (!locked[0]?.is_locked) return null;
  const { settings, generation, position, may_run: mayRun } = states[0]!;
  return {
    flags: flags.map(({ flag_id }) => flag_id),
    flagged: flags.map(({ account_id }) => account_id),
    recalculation: generation === null ? null : { generation, position, mayRun },
    settings,
  };
}

const READ_PAGE: Statement = {
  name: 'standing.read_page',
  text: 'select id from accounts where project_id = $1 and id > $2 order by id limit $3',
};

/** Internal ids of the accounts after a position. */
export async function readStandingPage(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  position: string,
  limit: number,
): Promise<string[]> {
  const [rows = []] = await transaction.run([READ_PAGE, [projectId, position, limit]]);
  return rows.map(({ id }) => id);
}

const TRY_ACCOUNT_LOCKS: Statement = {
  name: 'standing.try_account_locks',
  text: `select k.id, pg_try_advisory_xact_lock(k.key) as is_locked from unnest($1::uuid[], $2::bigint[]) as k (id, key)`,
};

export type LockedAccounts = {
  readonly accounts: readonly { readonly row: AccountRow; readonly links: LinkStrength }[];
  /** Accounts locked by other transactions. */
  readonly busy: readonly string[];
};

/** Locks accounts without waiting, and reads the locked ones. */
export async function lockAndReadAccounts(
  database: ProjectDatabase,
  transaction: Transaction,
  ids: readonly string[],
  lockOf: (accountId: string) => bigint,
): Promise<LockedAccounts> {
  const names = await findClientIds(database, transaction, ids);
  if (names.length === 0) return { accounts: [], busy: [] };
  const locks = names.map(({ account_id }) => lockOf(account_id).toString());
  const [tried = []] = await transaction.run([TRY_ACCOUNT_LOCKS, [names.map(({ id }) => id), locks]]);
  const idsWhere = (isLocked: boolean) =>
    tried.filter(({ is_locked }) => is_locked === isLocked).map(({ id }) => id);
  const locked: string[] = idsWhere(true);
  const [rows = [], strengths = []] = await transaction.run(
    findAccountsCall(database.projectId, locked),
    linkStrengthsCall(database.projectId, locked),
  );
  const linksOf = new Map(
    strengths.map((row): [string, LinkStrength] => [row.id, row as LinkStrength & Row]),
  );
  const accounts = (rows as AccountRow[]).map((row) => ({ row, links: linksOf.get(row.id)! }));
  return { accounts, busy: idsWhere(false) };
}

const WRITE = namedStatement(
  'standing.write',
  `insert into account_standing as s (project_id, account_id, account_group, account_score, decision, country,
           num_sessions, last_seen, created_at)
         select :projectId, w.* from unnest(:accountIds::uuid[], :groups::text[], :scores::float8[], :decisions::text[],
           :countries::text[], :numSessions::int[],
           :lastSeen::timestamptz[], :createdAt::timestamptz[]) as w
         on conflict (project_id, account_id) do update set
           account_group = excluded.account_group, account_score = excluded.account_score, decision = excluded.decision,
           country = excluded.country, num_sessions = excluded.num_sessions, last_seen = excluded.last_seen
         where (s.account_group, s.account_score, s.decision, s.country, s.num_sessions, s.last_seen) is distinct from
           (excluded.account_group, excluded.account_score, excluded.decision, excluded.country, excluded.num_sessions,
            excluded.last_seen)`,
);

/** Writes the standings of accounts whose locks are held. */
export function writeStandingsCall(
  projectId: string,
  standings: readonly { readonly row: AccountRow; readonly standing: AccountStanding }[],
): Call {
  return WRITE.call({
    projectId,
    accountIds: standings.map(({ row }) => row.id),
    groups: standings.map(({ row }) => row.account_group),
    scores: standings.map(({ standing }) => standing.score),
    decisions: standings.map(({ standing }) => standing.decision),
    countries: standings.map(({ row }) => row.country),
    numSessions: standings.map(({ row }) => row.num_sessions),
    lastSeen: standings.map(({ row }) => row.last_seen),
    createdAt: standings.map(({ row }) => row.created_at),
  });
}

const END_FLAGS: Statement = {
  name: 'standing.end_flags',
  text: `with done as (
           delete from standing_flags where project_id = $1 and flag_id = any($2::bigint[])
         )
         insert into standing_flags (project_id, account_id)
         select $1, b.account_id from unnest($3::uuid[]) as b (account_id)`,
};

/** Deletes flags, and flags busy accounts again at the end of the queue. */
export function endFlagsCall(projectId: string, flags: readonly string[], busy: readonly string[]): Call {
  return [END_FLAGS, [projectId, flags, busy]];
}

const MOVE_ON: Statement = {
  name: 'standing.move_on',
  text: 'update standing_recalculations set position = $3 where project_id = $1 and generation = $2',
};
const END: Statement = {
  name: 'standing.end_recalculation',
  text: 'delete from standing_recalculations where project_id = $1 and generation = $2',
};

/** Stores the last completed account; null completes the recalculation. A newer request starts again from the beginning. */
export function moveOnCall(projectId: string, { generation }: Recalculation, position: string | null): Call {
  return position === null ? [END, [projectId, generation]] : [MOVE_ON, [projectId, generation, position]];
}
