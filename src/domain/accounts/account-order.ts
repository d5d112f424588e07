/** Sort orders of accounts, with their columns of `account_standing`. */
export const ACCOUNT_ORDERS = {
  CREATED_AT: { column: 'created_at', type: 'timestamptz' },
  LAST_SEEN: { column: 'last_seen', type: 'timestamptz' },
  NUM_SESSIONS: { column: 'num_sessions', type: 'int' },
  SCORE: { column: 'account_score', type: 'float8' },
} as const;
export type AccountOrderField = keyof typeof ACCOUNT_ORDERS;
