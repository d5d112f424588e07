import type { Call } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import type { AccountErasure, ErasedAccount } from '../model/account-erasure-store.ts';
import { countInSlices } from './count-events-service.ts';
import { HourlyCounts } from './counters.ts';
import {
  type ErasedDecision,
  type ErasedRows,
  erasedDecisionsCall,
  erasedRowsCall,
  LOCK_FOR_ERASURE,
} from './erased-rows-store.ts';

/** Decisions read at once. */
const PAGE_SIZE = 2000;

/** Adds to counters and to their parts of erased rows. */
const ADD_ERASED = namedStatement(
  'stats.add_erased',
  `insert into project_counters as c (project_id, hour, kind, key, value, removed)
         select :projectId, n.hour, n.kind, n.key, sum(n.value), sum(n.removed)
         from unnest(:hours::timestamptz[], :kinds::text[], :keys::text[], :values::bigint[], :removed::bigint[])
           as n (hour, kind, key, value, removed)
         group by n.hour, n.kind, n.key
         on conflict (project_id, hour, kind, key) do update set
           value = c.value + excluded.value, removed = c.removed + excluded.removed`,
);

/**
 * Statistics do not change with an erasure. Counts of the account's rows are kept for rebuilds, and rows whose events the worker
 * has not counted are counted now. Neither identifies the account. Before anything is deleted.
 */
export const statsErasure: AccountErasure = {
  firstLocks: (projectId) => [[LOCK_FOR_ERASURE, [projectId]]],
  finds: (account) => [erasedRowsCall(account), erasedDecisionsCall(account, null, PAGE_SIZE)],
  async found([rows = [], decisions = []], account, transaction) {
    const removed = new HourlyCounts();
    const uncounted = new HourlyCounts();
    for (const row of rows as ErasedRows[]) {
      addRows(removed, row, row.removed);
      addRows(uncounted, row, row.uncounted);
    }
    for (let page = decisions as ErasedDecision[]; page.length > 0; ) {
      const of = (key: 'is_removed' | 'is_uncounted') => page.filter((row) => row[key]);
      await countInSlices(of('is_removed'), account.cipher, removed);
      await countInSlices(of('is_uncounted'), account.cipher, uncounted);
      if (page.length < PAGE_SIZE) break;
      const next = erasedDecisionsCall(account, page.at(-1)!.decision_id, PAGE_SIZE);
      page = (await transaction.run(next))[0] as ErasedDecision[];
    }
    return { writes: addErased(account, uncounted, removed) };
  },
  deletes: (_account, { writes }) => writes,
};

function addRows(counts: HourlyCounts, row: ErasedRows, times: number): void {
  const { of, at, name, shadow, state, decision } = row;
  if (times === 0) return;
  if (of === 'session') counts.addCompletedSessions(at, times);
  if (of === 'match') counts.addMatches({ at, rule_id: name, shadow }, times);
  if (of === 'check') counts.addChecks({ completed_at: at, kind: name, state, decision }, times);
  if (of === 'outcome') counts.addOutcomes(at, name, times);
}

function addErased({ projectId }: ErasedAccount, added: HourlyCounts, removed: HourlyCounts): Call[] {
  const rows = [
    ...added.rows().map((row) => ({ ...row, removed: 0 })),
    ...removed.rows().map((row) => ({ ...row, value: 0, removed: row.value })),
  ];
  if (rows.length === 0) return [];
  const column = <Key extends keyof (typeof rows)[number]>(key: Key) => rows.map((row) => row[key]);
  return [
    ADD_ERASED.call({
      projectId,
      hours: column('hour'),
      kinds: column('kind'),
      keys: column('key'),
      values: column('value'),
      removed: column('removed'),
    }),
  ];
}
