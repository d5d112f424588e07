import type { ProjectCipher, Pseudonyms } from '../../platform/crypto.ts';
import type { Viewer } from '../projects/access-service.ts';
import { hasScope, isWithin } from '../projects/assert-may.ts';
import type { EvidenceKind, LinkEvidence } from './explain-pair.ts';

/*
 * The links of one account as a viewer may see them. Accounts have keys: pseudonyms within this account's view, so that
 * the views of two accounts cannot be joined. A browser token that does not read the other accounts sees neither their
 * data nor what could be compared with another view: hashes are rekeyed, times cut to the day, scores rounded.
 */
export type LinkView = {
  /** Internal id of the account whose links are viewed. */
  readonly root: string;
  readonly keys: Pseudonyms;
  /** Whether the viewer sees nothing of other accounts. */
  readonly isMasked: boolean;
};

export function linkView(viewer: Viewer, root: string): LinkView {
  return {
    root,
    keys: viewer.project.cipher.pseudonyms(`links of ${root}`),
    isMasked: seesPseudonyms(viewer),
  };
}

/** Whether a viewer sees other accounts by pseudonym: every browser token but one that reads accounts of the project. */
export function seesPseudonyms(viewer: Viewer): boolean {
  if (viewer.kind !== 'browser_token') return false;
  const isOfProject = viewer.accountId === undefined && viewer.sessionId === undefined;
  return !isOfProject || !hasScope(viewer, ['ACCOUNT']);
}

/** Whether a viewer may read an account that it found in a graph. */
export function seesAccount(viewer: Viewer, accountId: string): boolean {
  return hasScope(viewer, ['ACCOUNT']) && isWithin(viewer, { accountId });
}

/** Times of a link, cut to the day (UTC) in a masked view. */
export function shownTime(at: Date, { isMasked }: Pick<LinkView, 'isMasked'>): Date {
  return isMasked ? new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate())) : at;
}

/** Scores and weights, with two decimals in a masked view. */
export function shownScore(score: number, { isMasked }: Pick<LinkView, 'isMasked'>): number {
  return isMasked ? Math.round(score * 100) / 100 : score;
}

/** The lower bound of scores that a client selects by: links that show this score or more, however it is rounded. */
export function boundOfScore(minScore: number, { isMasked }: Pick<LinkView, 'isMasked'>): number {
  return isMasked ? Math.max(0, Math.round(minScore * 100) / 100 - 0.005) : minScore;
}

/** Evidence whose value is written from fields of the account; the values of all other kinds are hashes. */
const WRITTEN: readonly EvidenceKind[] = ['email', 'email_block', 'phone', 'username', 'name', 'birth_date'];

/**
 * Evidence as a view shows it. `isOfRoot`: its values are written from the fields of the account whose view it is; values
 * of two other accounts are null in a masked view.
 */
export function shownEvidence(
  evidence: readonly LinkEvidence[],
  view: LinkView,
  cipher: ProjectCipher,
  isOfRoot: boolean,
): ShownEvidence[] {
  if (!view.isMasked) return [...evidence];
  return evidence.map((one) => ({
    ...one,
    maskedValue: maskedAgain(one, view, cipher, isOfRoot),
    weight: shownScore(one.weight, view),
    firstSeen: shownTime(one.firstSeen, view),
    lastSeen: shownTime(one.lastSeen, view),
  }));
}

export type ShownEvidence = Omit<LinkEvidence, 'maskedValue'> & { readonly maskedValue: string | null };

function maskedAgain(
  { kind, maskedValue }: LinkEvidence,
  { root }: LinkView,
  cipher: ProjectCipher,
  isOfRoot: boolean,
): string | null {
  if (WRITTEN.includes(kind)) return isOfRoot ? maskedValue : null;
  if (kind === 'device_part') return maskedValue;
  return cipher.blindIndex('link view', `${root}\0${kind}\0${maskedValue}`).toString('hex').slice(0, 8);
}
