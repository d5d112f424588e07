import { IDENTIFIER_KINDS, type IdentifierKind } from './identifier-kinds.ts';

/*
 * How sure it is that two accounts are the same person, from what they share.
 *
 * Each shared identifier contributes weight x crowding x closeness in time; an address and its neighbourhood are one
 * piece of evidence (the stronger counts); what remains combines by noisy-or. A link exists from LINK_THRESHOLD.
 * Browser, phone, username and email are full matches alone and are never capped: a ring must not unlink itself by
 * growing. A device or a network alone never links, and one that many accounts share counts for less, then for
 * nothing. A name only supports other evidence. The weights are expert priors.
 */
export const LINK_WEIGHTS_VERSION = '1';
export const LINK_THRESHOLD = 0.5;

type Weight = {
  readonly weight: number;
  /** More accounts than this share it: it links nobody. Infinity for full matches. */
  readonly cap: number;
  readonly crowds: boolean;
  /** Whether the time between the two accounts' uses matters. */
  readonly ages: boolean;
};

const full: Weight = { weight: 1, cap: Number.POSITIVE_INFINITY, crowds: false, ages: false };

export const LINK_WEIGHTS = {
  browser: full,
  email: full,
  phone: full,
  username: full,
  device: { weight: 0.45, cap: 50, crowds: true, ages: true },
  network: { weight: 0.3, cap: 20, crowds: true, ages: true },
  neighbourhood: { weight: 0.1, cap: 10, crowds: true, ages: true },
  name: { weight: 0.3, cap: 50, crowds: true, ages: false },
} as const satisfies Partial<Record<IdentifierKind, Weight>>;

export type LinkingKind = keyof typeof LINK_WEIGHTS;
export const LINKING_KINDS = Object.keys(LINK_WEIGHTS) as LinkingKind[];

/** Kinds that can begin a link; the others only add to one. */
export const LEADING_KINDS = ['browser', 'device', 'network', 'email', 'phone', 'username'] as const;

export function isLinkingKind(kind: IdentifierKind): kind is LinkingKind {
  return kind in LINK_WEIGHTS;
}

/** Upper bounds of the crowd bands and their factors: how many accounts share an identifier, both included. */
const CROWD_BANDS = [
  [3, 1],
  [7, 0.8],
  [15, 0.6],
  [31, 0.4],
  [50, 0.25],
] as const;

/** How much a crowded identifier still counts: absolute bands, so that accounts elsewhere change nothing. */
export function crowdFactor(kind: LinkingKind, accounts: number): number {
  const { cap, crowds } = LINK_WEIGHTS[kind];
  if (!crowds) return 1;
  if (accounts > cap) return 0;
  return CROWD_BANDS.find(([upTo]) => accounts <= upTo)?.[1] ?? 0;
}

const DAY_MS = 86_400_000;

/** How much evidence counts by the time between the two accounts' uses of it. */
export function closenessFactor(gapMs: number): number {
  if (gapMs <= DAY_MS) return 1;
  if (gapMs <= 7 * DAY_MS) return 0.8;
  if (gapMs <= 30 * DAY_MS) return 0.5;
  return 0.3;
}

/** The period in which one account was seen with an identifier. */
export type Period = { readonly firstSeen: Date; readonly lastSeen: Date };

/** Milliseconds between two periods; 0 when they overlap. */
export function gapBetween(a: Period, b: Period): number {
  const start = Math.max(a.firstSeen.getTime(), b.firstSeen.getTime());
  const end = Math.min(a.lastSeen.getTime(), b.lastSeen.getTime());
  return Math.max(0, start - end);
}

/** One identifier that two accounts share. */
export type SharedIdentifier = {
  readonly kind: LinkingKind;
  /** How many accounts share it, both included. */
  readonly accounts: number;
  readonly mine: Period;
  readonly theirs: Period;
};

export type PairLink = Period & {
  /** 0 to 1, four decimals. */
  readonly score: number;
  /** Bit set of the kinds that count. */
  readonly kinds: number;
};

/** What one shared identifier contributes, 0 to 1. */
export function contributionOf(shared: SharedIdentifier): number {
  const { weight, ages } = LINK_WEIGHTS[shared.kind];
  const closeness = ages ? closenessFactor(gapBetween(shared.mine, shared.theirs)) : 1;
  return weight * crowdFactor(shared.kind, shared.accounts) * closeness;
}

/** The link between two accounts, or null when what they share is not enough. */
export function scorePair(shared: readonly SharedIdentifier[]): PairLink | null {
  const counted = supported(shared.filter((one) => contributionOf(one) > 0));
  const networks = counted
    .filter(({ kind }) => kind === 'network' || kind === 'neighbourhood')
    .map(contributionOf);
  const others = counted
    .filter(({ kind }) => kind !== 'network' && kind !== 'neighbourhood')
    .map(contributionOf);
  const miss = others.reduce((product, value) => product * (1 - value), 1 - Math.max(0, ...networks));
  const score = Math.round((1 - miss) * 10_000) / 10_000;
  if (score < LINK_THRESHOLD) return null;
  let kinds = 0;
  let firstSeen = Number.POSITIVE_INFINITY;
  let lastSeen = Number.NEGATIVE_INFINITY;
  for (const { kind, mine, theirs } of counted) {
    kinds |= 1 << IDENTIFIER_KINDS[kind];
    firstSeen = Math.min(firstSeen, Math.max(mine.firstSeen.getTime(), theirs.firstSeen.getTime()));
    lastSeen = Math.max(lastSeen, mine.lastSeen.getTime(), theirs.lastSeen.getTime());
  }
  return { score, kinds, firstSeen: new Date(firstSeen), lastSeen: new Date(lastSeen) };
}

/** A name counts beside a device, a network or an email only. */
function supported(shared: SharedIdentifier[]): SharedIdentifier[] {
  const backs = shared.some(({ kind }) => ['device', 'network', 'neighbourhood', 'email'].includes(kind));
  return backs ? shared : shared.filter(({ kind }) => kind !== 'name');
}
