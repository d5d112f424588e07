import { startOfDay } from '@vouchgraph/platform/calendar-date';
import type { ProjectCipher, Pseudonyms } from '@vouchgraph/platform/crypto';
import type { Viewer } from '../projects/access-service.ts';
import { hasScope, isWithin } from '../projects/assert-may.ts';
import type { EvidenceKind, LinkEvidence } from './explain-pair.ts';

/*
 * The links of one account as shown to a viewer. Linked accounts are named by keys: pseudonyms that are valid in this view
 * only, so that the views of two accounts cannot be joined. A browser token without access to the linked accounts sees no data
 * of them and no values that could be joined with another view: hashes are rekeyed, times truncated to the day, scores
 * rounded.
 */
export type LinkView = {
  /** Internal id of the account whose links are viewed. */
  readonly root: string;
  readonly keys: Pseudonyms;
  /** Whether data of linked accounts is masked. */
  readonly isMasked: boolean;
};

/** Keys are derived lazily: most responses contain none. */
export function linkView(viewer: Viewer, root: string): LinkView {
  let keys: Pseudonyms | undefined;
  return {
    root,
    get keys() {
      keys ??= viewer.project.cipher.pseudonyms(`links of ${root}`);
      return keys;
    },
    isMasked: seesPseudonyms(viewer),
  };
}

/** Whether a viewer sees other accounts as pseudonyms: all browser tokens except those that may read all accounts. */
export function seesPseudonyms(viewer: Viewer): boolean {
  if (viewer.kind !== 'browser_token') return false;
  const isOfProject = viewer.accountId === undefined && viewer.sessionId === undefined;
  return !isOfProject || !hasScope(viewer, ['ACCOUNT']);
}

/** Whether a viewer may read an account of a graph. */
export function seesAccount(viewer: Viewer, accountId: string): boolean {
  return hasScope(viewer, ['ACCOUNT']) && isWithin(viewer, { accountId });
}

/** Time of a link, truncated to the day (UTC) in a masked view. */
export function shownTime(at: Date, { isMasked }: Pick<LinkView, 'isMasked'>): Date {
  return isMasked ? startOfDay(at) : at;
}

/** Score or weight, rounded to two decimals in a masked view. */
export function shownScore(score: number, { isMasked }: Pick<LinkView, 'isMasked'>): number {
  return isMasked ? Math.round(score * 100) / 100 : score;
}

/** Lower bound for a filter by score: in a masked view it selects by the rounded score. */
export function boundOfScore(minScore: number, { isMasked }: Pick<LinkView, 'isMasked'>): number {
  return isMasked ? Math.max(0, Math.round(minScore * 100) / 100 - 0.005) : minScore;
}

/** Evidence whose value comes from fields of the account; the values of other kinds are hashes. */
const FROM_FIELDS: readonly EvidenceKind[] = [
  'email',
  'email_block',
  'phone',
  'username',
  'name',
  'birth_date',
];

/**
 * Evidence as shown in a view. `isOfRoot`: its values come from the fields of the account whose view it is. Values of two
 * other accounts are null in a masked view.
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
  if (FROM_FIELDS.includes(kind)) return isOfRoot ? maskedValue : null;
  if (kind === 'device_part') return maskedValue;
  return cipher.blindIndex('link view', `${root}\0${kind}\0${maskedValue}`).toString('hex').slice(0, 8);
}
