/** What accounts can be ordered by, with its column. */
export const ACCOUNT_ORDERS = {
  CREATED_AT: { column: 'created_at', type: 'timestamptz' },
  LAST_SEEN: { column: 'last_seen', type: 'timestamptz' },
  NUM_SESSIONS: { column: 'num_sessions', type: 'int' },
} as const;
export type AccountOrderField = keyof typeof ACCOUNT_ORDERS;
