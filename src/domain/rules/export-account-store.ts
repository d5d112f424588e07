import { type AccountExport, orderBy } from '../model/account-export-store.ts';

/** Matches of rules by the account. */
export const rulesExports: readonly AccountExport[] = [
  {
    section: 'rule_matches',
    columns: ['rule_matches.account_id'],
    select: 'm.match_id, m.rule_id, r.name, m.version, m.shadow, m.session_id, m.at, m.outcomes',
    from: `rule_matches m left join rules r on r.project_id = $1 and r.rule_id = m.rule_id
           where m.project_id = $1 and m.account_id = $2`,
    order: [orderBy('m.match_id', 'uuid')],
    record: (row) => ({
      matchId: row.match_id,
      ruleId: row.rule_id,
      rule: row.name,
      ruleVersion: row.version,
      isShadow: row.shadow,
      sessionId: row.session_id,
      at: row.at,
      outcomes: row.outcomes,
    }),
  },
];
