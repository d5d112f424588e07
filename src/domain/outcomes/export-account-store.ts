import { type AccountExport, orderBy } from '../model/account-export-store.ts';
import { OUTCOMES_TABLE } from './outcome.ts';

/** Reported outcomes with their notes. */
export const outcomesExports: readonly AccountExport[] = [
  {
    section: 'outcomes',
    columns: ['account_outcomes.account_id'],
    select: 'o.outcome_id, o.outcome, o.at, o.note, o.actor, o.reported_at',
    from: 'account_outcomes o where o.project_id = $1 and o.account_id = $2',
    order: [orderBy('o.outcome_id', 'uuid')],
    record: (row, { project }) => ({
      outcome: row.outcome,
      at: row.at,
      note: row.note ? project.cipher.decryptJson<string>(OUTCOMES_TABLE, row.outcome_id, row.note) : null,
      actor: row.actor,
      reportedAt: row.reported_at,
    }),
  },
];
