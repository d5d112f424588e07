/** A change after which a client of the earlier version may fail. */
export type BreakingChange = {
  /** What changed: `Account.email`, `Query.account(accountId:)`, or `GET /account/{account_id} 200.account.email`. */
  readonly coordinate: string;
  readonly description: string;
};
