import type { DecidingList, Decision } from '@vouchgraph/decisions';
import { type MatchType, matchTypesOf } from '@vouchgraph/linking';
import type { SessionTimes, VerificationResult } from '@vouchgraph/verification';
import type { AccountRow } from '../../model/account-row.ts';
import type { Session } from '../../sessions/session.ts';
import type { VerificationRow } from '../verification-store.ts';
import type { CheckRule } from './check-rules-store.ts';

export function timesOf(row: VerificationRow): SessionTimes {
  return { state: row.state, expiresAt: row.expires_at, startedAt: row.started_at };
}

/**
 * Decision after lists and a review. Precedence: blocking list, review, allowing list, score. The score does not change.
 */
export function decisionAfterLists(
  raw: Decision,
  lists: readonly DecidingList[],
  reviewed: Decision | null = null,
): Decision {
  if (lists.some(({ effect }) => effect === 'block')) return 'Fake';
  if (reviewed !== null) return reviewed;
  return lists.some(({ effect }) => effect === 'allow') ? 'Real' : raw;
}

/**
 * Distinct names of the rules behind a result: rules triggered for the account with the session, then rules that put the
 * account on the deciding lists. `triggered`: rules of a decision that is not stored yet.
 */
export function ruleNamesOf(
  found: readonly CheckRule[],
  { account, sessionId }: { account: Pick<AccountRow, 'id' | 'lists'>; sessionId: string },
  triggered: readonly string[] = [],
): string[] {
  const { lists } = account;
  const deciding = lists.some(({ effect }) => effect === 'block') ? 'block' : 'allow';
  const decidingNames = new Set(lists.filter(({ effect }) => effect === deciding).map(({ name }) => name));
  const own = found.filter((rule) => rule.account === account.id);
  const stored = own.filter((rule) => rule.sessionId === sessionId);
  const ofLists = own.filter(({ list }) => list !== null && decidingNames.has(list));
  const nameOf = ({ name }: CheckRule) => name;
  return [...new Set([...stored.map(nameOf), ...triggered, ...ofLists.map(nameOf)])];
}

/** Documented words for the evidence that a check and an account share, in order, with the match types of links. */
const DOCUMENTED_MATCH_TYPES = {
  face: 'face',
  ip_address: 'network',
  browser: 'browser',
  document_number: 'document_number',
  document_name: 'document_name',
} as const satisfies Record<string, MatchType>;
export type DocumentedMatchType = keyof typeof DOCUMENTED_MATCH_TYPES;

/** Documented words for match types. Types without one are omitted. */
export function documentedMatchTypes(types: readonly MatchType[]): DocumentedMatchType[] {
  const words = Object.entries(DOCUMENTED_MATCH_TYPES) as [DocumentedMatchType, MatchType][];
  return words.flatMap(([word, type]) => (types.includes(type) ? [word] : []));
}

export type VerificationMatch = {
  /** Internal id of the account. */
  readonly id: string;
  /** Client's id of the account. */
  readonly accountId: string;
  /** Every kind that counts in the link. */
  readonly matchTypes: readonly MatchType[];
};

/** Linked accounts that share face, network, browser or document with a check. */
export function matchesOf<Linked extends { readonly kinds: number }>(
  linked: readonly Linked[],
): (Linked & Pick<VerificationMatch, 'matchTypes'>)[] {
  return linked
    .map((each) => ({ ...each, matchTypes: matchTypesOf(each.kinds) }))
    .filter(({ matchTypes }) => documentedMatchTypes(matchTypes).length > 0);
}

/** Signed URLs of images and videos; null for a side that was not captured, was erased or has expired. */
export type MediaUrls = {
  readonly face: string | null;
  readonly idScanFront: string | null;
  readonly idScanBack: string | null;
  readonly videos: readonly string[];
};

/** Result of a completed verification at one moment. Each part is read on first access. */
export type VerificationView = {
  readonly result: VerificationResult;
  /** After lists and the review. */
  readonly decision: () => Promise<Decision>;
  /** null without a session: the verification ended before its page sent any facts. */
  readonly session: () => Promise<Session | null>;
  /** Names of the lists that contain the account. */
  readonly lists: () => Promise<readonly string[]>;
  /** Current names of triggered rules, and of rules whose list decides. */
  readonly rules: () => Promise<readonly string[]>;
  readonly matches: () => Promise<readonly VerificationMatch[]>;
};

/** What an event contains of a verification at its completion. */
export type CompletedCheck = {
  readonly result: VerificationResult;
  /** After lists. */
  readonly decision: Decision;
  readonly session: Session | null;
  /** Client's id of the account; null without an account. */
  readonly accountId: string | null;
  readonly lists: readonly string[];
  readonly rules: readonly string[];
  readonly media: MediaUrls;
};
