import type { DecidingList, Decision } from '../../decisions/decide.ts';
import { type MatchType, matchTypesOf } from '../../identifiers/identifier-kinds.ts';
import type { AccountRow } from '../../model/account-row.ts';
import type { Project } from '../../projects/project.ts';
import type { Session } from '../../sessions/session.ts';
import { type Retake, retakeOf } from '../document-retake.ts';
import { type Review, toReview } from '../review/review.ts';
import { type SessionTimes, stateAt, type VerificationState } from '../state-table.ts';
import type { VerificationRow } from '../verification-store.ts';
import type { CheckRule } from './check-rules-store.ts';
import { openResult, type VerificationResult } from './verification-result.ts';

export function timesOf(row: VerificationRow): SessionTimes {
  return { state: row.state, expiresAt: row.expires_at, startedAt: row.started_at };
}

/** A verification session as readers see it; what it found is opened when it is first asked for. */
export class Verification {
  readonly project: Project;
  readonly row: VerificationRow;
  #result: VerificationResult | null | undefined;

  constructor(project: Project, row: VerificationRow) {
    this.project = project;
    this.row = row;
  }

  get sessionId(): string {
    return this.row.session_id;
  }

  stateAt(now: Date): VerificationState {
    return stateAt(timesOf(this.row), now);
  }

  /** The retake that it waits for; null unless it is capturing its document again. */
  retakeAt(now: Date): Retake | null {
    return retakeOf(this.row, this.stateAt(now));
  }

  /** The last review, also one that withdraws another; null without one. */
  get lastReview(): Review | null {
    const { session_id, review } = this.row;
    return review && toReview(this.project.cipher, session_id, review);
  }

  /** null until it is completed. */
  get result(): VerificationResult | null {
    const { session_id, result } = this.row;
    this.#result ??= result && openResult(this.project.cipher, session_id, result);
    return this.#result;
  }
}

/**
 * The decision after lists and a review: a list that blocks, then the review, then a list that allows, then the score. The score
 * itself stays as it is.
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
 * Names of the rules behind an answer, each once: those that were triggered for the account with the session, then those
 * that put the account on the lists that decide. `triggered`: those of a decision that is not stored yet.
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

/** The documented words for what a check and an account share, in their order, with the match types of links. */
const DOCUMENTED_MATCH_TYPES = {
  face: 'face',
  ip_address: 'network',
  browser: 'browser',
  document_number: 'document_number',
  document_name: 'document_name',
} as const satisfies Record<string, MatchType>;
export type DocumentedMatchType = keyof typeof DOCUMENTED_MATCH_TYPES;

/** The documented words for match types; those without a word are left out. */
export function documentedMatchTypes(types: readonly MatchType[]): DocumentedMatchType[] {
  const words = Object.entries(DOCUMENTED_MATCH_TYPES) as [DocumentedMatchType, MatchType][];
  return words.flatMap(([word, type]) => (types.includes(type) ? [word] : []));
}

export type VerificationMatch = {
  /** Internal id of the account. */
  readonly id: string;
  /** The client's own id. */
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

/** Signed URLs of images and videos; null for a side that was not taken, was erased or expired. */
export type MediaUrls = {
  readonly face: string | null;
  readonly idScanFront: string | null;
  readonly idScanBack: string | null;
  readonly videos: readonly string[];
};

/** A completed verification with all that is told of it at one moment. */
export type VerificationView = {
  readonly verification: Verification;
  readonly result: VerificationResult;
  /** After lists. */
  readonly decision: Decision;
  /** null without a session: one that ended before its page told anything. */
  readonly session: Session | null;
  /** The client's own id, null when no account was named. */
  readonly accountId: string | null;
  readonly lists: readonly string[];
  /** Current names of the rules that were triggered, and of those whose list decides. */
  readonly rules: readonly string[];
  /** Looked up when it is asked for. */
  readonly matches: () => Promise<readonly VerificationMatch[]>;
  readonly media: MediaUrls;
};
