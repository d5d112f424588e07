/** Outcome of one account in a call that names several. */
export type AddOutcome = 'ADDED' | 'ALREADY_ON_LIST' | 'NOT_FOUND';
export type RemoveOutcome = 'REMOVED' | 'NOT_ON_LIST' | 'NOT_FOUND';
export type LiftOutcome = 'LIFTED' | 'NOT_KEPT_OFF' | 'NOT_FOUND';
export type MoveOutcome = 'MOVED' | 'CONFLICT' | 'NOT_FOUND';

export type AccountOutcome<Outcome> = { accountId: string; outcome: Outcome };

/** Outcome of an addition, with the end of the membership before and after it; null for no end and without a membership. */
export type AddedAccount = AccountOutcome<AddOutcome> & {
  readonly previousExpiresAt: Date | null;
  readonly expiresAt: Date | null;
};

type KnownMember = { accountId: string; isMember: boolean; expiresAt: string | null };

/** Outcomes of an addition with this end. Without one, members keep theirs. */
export function additionsOf(
  accountIds: readonly string[],
  known: readonly KnownMember[],
  expiresAt: Date | null,
): AddedAccount[] {
  const outcomes = outcomesOf<KnownMember, AddOutcome>(accountIds, known, ({ isMember }) =>
    isMember ? 'ALREADY_ON_LIST' : 'ADDED',
  );
  const ends = new Map(known.map((account) => [account.accountId, account.expiresAt]));
  return outcomes.map(({ accountId, outcome }) => {
    const end = ends.get(accountId) ?? null;
    const previousExpiresAt = end === null ? null : new Date(end);
    const added = outcome === 'NOT_FOUND' ? null : (expiresAt ?? previousExpiresAt);
    return { accountId, outcome, previousExpiresAt, expiresAt: added };
  });
}

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
