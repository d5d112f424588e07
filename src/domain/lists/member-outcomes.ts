/** Outcome of one account in a call that names several. */
export type AddOutcome = 'ADDED' | 'ALREADY_ON_LIST' | 'NOT_FOUND';
export type RemoveOutcome = 'REMOVED' | 'NOT_ON_LIST' | 'NOT_FOUND';
export type LiftOutcome = 'LIFTED' | 'NOT_KEPT_OFF' | 'NOT_FOUND';
export type MoveOutcome = 'MOVED' | 'CONFLICT' | 'NOT_FOUND';

export type AccountOutcome<Outcome> = { accountId: string; outcome: Outcome };

/** One entry for each distinct id, in the order sent; of an id that was not found there is no account. */
export function outcomesOf<Known extends { accountId: string }, Outcome>(
  accountIds: readonly string[],
  known: readonly Known[],
  outcomeOf: (account: Known) => Outcome,
): AccountOutcome<Outcome | 'NOT_FOUND'>[] {
  const byId = new Map(known.map((account) => [account.accountId, account]));
  return [...new Set(accountIds)].map((accountId) => {
    const account = byId.get(accountId);
    return { accountId, outcome: account ? outcomeOf(account) : 'NOT_FOUND' };
  });
}
