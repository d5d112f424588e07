/** An earlier session with the same face. */
export type FaceMatch = {
  readonly sessionId: string;
  /** Internal id of the account that the session is bound to; null for none. */
  readonly account: string | null;
  /** Whether that account is on a blocking list or decided Fake. */
  readonly isFraud: boolean;
  /** Whether browser, device or referring session equal those of the checked session. */
  readonly agrees: boolean;
  /**
   * Whether the account shares a second piece of evidence with the check or its account: a document number, a device, a
   * browser, a phone, an email or a username.
   */
  readonly isConfirmed: boolean;
};

/** Owner and matches of a face at one moment. */
export type FaceStanding = {
  /** Internal id of the account of the checked session; `new` if it does not exist yet; null for none. */
  readonly owner: string | null;
  readonly matches: readonly FaceMatch[];
};

/** Owner of a session whose completion creates the account. */
export const NEW_ACCOUNT = 'new';

/**
 * Risk weights of a repeated face, as expert priors. `otherAccount`: two accounts with one face and a second piece of
 * evidence contradict each other. `hint`: a match alone may be another person, and an unbound session is most often the
 * returning owner of the account. `noAccount`: a session without an account is hardly evidence.
 */
export const REPEAT_FACE_WEIGHTS = { otherAccount: 0.6, hint: 0.2, noAccount: 0.1 } as const;

export type FaceRepeat = {
  /** Weight of `repeat_face`; 0 where the flag is not raised. */
  readonly weight: number;
  /** Whether `known_fraud_face` is raised. */
  readonly isFraud: boolean;
};

/**
 * Weight of the matches of a face. An account's own face never counts against it. A match without second evidence is a
 * hint, even if the other account is known for fraud.
 */
export function weighFaces({ owner, matches }: FaceStanding): FaceRepeat {
  const others = matches.filter(({ account }) => account !== null && account !== owner);
  const confirmed = new Set(others.filter((match) => match.isConfirmed).map(({ account }) => account));
  const isFraud = matches.some((match) => match.isFraud && (match.account === owner || match.isConfirmed));
  if (isFraud || confirmed.size > 1 || (confirmed.size === 1 && owner !== null))
    return { weight: REPEAT_FACE_WEIGHTS.otherAccount, isFraud };
  if (others.length > 0) return { weight: REPEAT_FACE_WEIGHTS.hint, isFraud };
  // The account's own face confirms that unbound sessions belong to its owner.
  const isOwn = owner !== null && matches.some(({ account }) => account === owner);
  const isElsewhere = matches.some(({ account, agrees }) => account === null && !agrees);
  return { weight: isElsewhere && !isOwn ? REPEAT_FACE_WEIGHTS.noAccount : 0, isFraud };
}

/** More matches change nothing: at least one of each kind is kept. */
const MAX_MATCHES = 50;

/** Matches that decide, nearest first: one per account, then those without an account. */
export function decidingMatches(found: readonly FaceMatch[]): FaceMatch[] {
  const ofAccounts = new Map<string, FaceMatch>();
  for (const match of found) {
    if (match.account !== null && !ofAccounts.has(match.account)) ofAccounts.set(match.account, match);
  }
  const ofNone = found.filter(({ account }) => account === null);
  return [...ofAccounts.values(), ...ofNone].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_MATCHES);
}

/** Order: confirmed fraud, confirmed matches, other accounts, sessions without an account. */
function rank(match: FaceMatch): number {
  if (match.account === null) return match.agrees ? 5 : 4;
  return (match.isFraud ? 0 : 1) + (match.isConfirmed ? 0 : 2);
}
