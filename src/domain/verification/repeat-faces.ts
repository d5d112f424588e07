/** An earlier session with the same face. */
export type FaceMatch = {
  readonly sessionId: string;
  /** Internal id of the account that the session is bound to; null for none. */
  readonly account: string | null;
  /** Whether that account is on a list that blocks, or decided Fake. */
  readonly isFraud: boolean;
  /** Whether browser, device or referring session are those of the session that is checked. */
  readonly agrees: boolean;
};

/** What is known of a face at one moment. */
export type FaceStanding = {
  /** Internal id of the account of the session that is checked; `new` for one that does not exist yet; null for none. */
  readonly owner: string | null;
  readonly matches: readonly FaceMatch[];
};

/** Owner of a session that is made for an account which its completion creates. */
export const NEW_ACCOUNT = 'new';

/**
 * How much a repeated face adds to the risk, as expert priors: two accounts of one face contradict each other; a
 * session that is not bound yet is most often the account's own person who came back; a session of no account is
 * hardly evidence at all.
 */
export const REPEAT_FACE_WEIGHTS = { otherAccount: 0.6, oneAccount: 0.2, noAccount: 0.1 } as const;

export type FaceRepeat = {
  /** Weight of `repeat_face`; 0 where the flag is not raised. */
  readonly weight: number;
  /** Whether `known_fraud_face` is raised. */
  readonly isFraud: boolean;
};

/** What the matches of a face come to. An account's own face never counts against it. */
export function weighFaces({ owner, matches }: FaceStanding): FaceRepeat {
  const others = new Set(matches.flatMap(({ account }) => (account === owner ? [] : (account ?? []))));
  const isFraud = matches.some((match) => match.isFraud);
  if (isFraud || others.size > 1 || (others.size === 1 && owner !== null))
    return { weight: REPEAT_FACE_WEIGHTS.otherAccount, isFraud };
  if (others.size === 1) return { weight: REPEAT_FACE_WEIGHTS.oneAccount, isFraud };
  // The account's face vouches for its person's sessions that were never bound.
  const isOwn = owner !== null && matches.some(({ account }) => account === owner);
  const isElsewhere = matches.some(({ account, agrees }) => account === null && !agrees);
  return { weight: isElsewhere && !isOwn ? REPEAT_FACE_WEIGHTS.noAccount : 0, isFraud };
}

/** More change nothing: each kind is kept once at least. */
const MAX_MATCHES = 50;

/** The matches that decide, of all that were found, the nearest first: one of each account, then those of none. */
export function decidingMatches(found: readonly FaceMatch[]): FaceMatch[] {
  const ofAccounts = new Map<string, FaceMatch>();
  for (const match of found) {
    if (match.account !== null && !ofAccounts.has(match.account)) ofAccounts.set(match.account, match);
  }
  const ofNone = found.filter(({ account }) => account === null);
  const rank = ({ isFraud, agrees, account }: FaceMatch) =>
    isFraud ? 0 : account !== null ? 1 : agrees ? 3 : 2;
  return [...ofAccounts.values(), ...ofNone].sort((a, b) => rank(a) - rank(b)).slice(0, MAX_MATCHES);
}
