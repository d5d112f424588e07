import type { IdentifierKind } from '../identifiers/identifier-kinds.ts';
import { MAX_SHARING_BIRTH_DATE } from './person-evidence.ts';

/*
 * What each kind of shared identifier weighs, and how its weight falls with the accounts that share it and with time.
 */
export const LINK_WEIGHTS_VERSION = '4';
export const LINK_THRESHOLD = 0.5;

/**
 * From this score on, counted without identifiers that more than BRIDGE_CAP accounts share, a link makes its two
 * accounts one identity. Device and network of one household (.615) do not reach it; with the same name (.73) they do.
 */
export const IDENTITY_THRESHOLD = 0.7;
export const BRIDGE_CAP = 100;

type Weight = {
  readonly weight: number;
  /** More accounts than this share it: it links nobody. Infinity for full matches. */
  readonly cap: number;
  readonly crowds: boolean;
  /** Upper bounds of the bands of sharing accounts, with their factors; one band up to the cap where absent. */
  readonly bands?: readonly (readonly [upTo: number, factor: number])[];
  /** What is left of it when the two accounts' uses lie up to a week, up to a month, or longer apart; null: all. */
  readonly ages: readonly [week: number, month: number, later: number] | null;
};

/** Addresses pass to others within days; a device is the same one for years, and is sometimes sold. */
const ADDRESS_AGES = [0.8, 0.5, 0.3] as const;
const DEVICE_AGES = [0.95, 0.9, 0.8] as const;

/** Bands of what many people have: absolute counts, so that accounts elsewhere change nothing. */
const CROWD_BANDS = [
  [3, 1],
  [7, 0.8],
  [15, 0.6],
  [31, 0.4],
  [50, 0.25],
] as const;

const full: Weight = { weight: 1, cap: Number.POSITIVE_INFINITY, crowds: false, ages: null };
const name: Weight = { weight: 0.3, cap: 50, crowds: true, bands: CROWD_BANDS, ages: null };
/** It finds accounts to compare: what the comparison shows counts. */
const block: Weight = { weight: 0, cap: 50, crowds: true, ages: null };

export const LINK_WEIGHTS = {
  browser: full,
  email: full,
  /** Of a role: several people read it. It counts as a near-equal email does, and so does a shared mailbox. */
  role_email: { weight: 0.35, cap: 50, crowds: true, bands: CROWD_BANDS, ages: null },
  phone: full,
  username: full,
  device: { weight: 0.45, cap: 50, crowds: true, bands: CROWD_BANDS, ages: DEVICE_AGES },
  /** A device that is equal but for one of its parts. */
  device_part: { weight: 0.35, cap: 50, crowds: true, bands: CROWD_BANDS, ages: DEVICE_AGES },
  network: { weight: 0.3, cap: 20, crowds: true, bands: CROWD_BANDS, ages: ADDRESS_AGES },
  neighbourhood: { weight: 0.1, cap: 10, crowds: true, bands: CROWD_BANDS, ages: ADDRESS_AGES },
  email_block: block,
  name,
  face: full,
  document_number: full,
  document_name: name,
  /** Its bands only make links be recalculated: beside half a name it counts by MAX_SHARING_BIRTH_DATE. */
  birth_date: {
    ...block,
    cap: 100,
    bands: [
      [MAX_SHARING_BIRTH_DATE, 1],
      [100, 0.5],
    ],
  },
  birth_block: block,
  /** A government or other id number. */
  id_number: full,
} as const satisfies Partial<Record<IdentifierKind, Weight>>;

export type LinkingKind = keyof typeof LINK_WEIGHTS;
export const LINKING_KINDS = Object.keys(LINK_WEIGHTS) as LinkingKind[];

/** Kinds that link nobody once too many accounts share a value. */
export const CAPPED_KINDS = LINKING_KINDS.filter((kind) => LINK_WEIGHTS[kind].crowds);

/** Kinds that link alone, and are shared by as many as there are. */
export const FULL_MATCH_KINDS = LINKING_KINDS.filter((kind) => LINK_WEIGHTS[kind].weight === 1);

/** Kinds that can begin a link; the others only add to one. */
export const LEADING_KINDS: readonly LinkingKind[] = LINKING_KINDS.filter(
  (kind) => kind !== 'document_name' && kind !== 'neighbourhood',
);

/** Accounts that share one of these are compared in clear text, up to the cap of its kind and BRIDGE_CAP. */
export const COMPARING_KINDS = [
  'email',
  'role_email',
  'phone',
  'name',
  'email_block',
  'birth_date',
  'birth_block',
] as const satisfies readonly LinkingKind[];

/** Kinds by whose times an account has been known by its fields. */
export const PERSON_TIME_KINDS: readonly IdentifierKind[] = [
  'email',
  'role_email',
  'phone',
  'username',
  'name',
  'birth_date',
  'id_number',
];

/**
 * A phone of more accounts is no family's: holders with two first names are then linked by it, since a ring must not
 * unlink itself by names that it makes up.
 */
export const MAX_FAMILY_PHONE = 7;

/** So many different first names among the accounts that wrote one email alike make it a shared mailbox. */
export const MIN_NAMES_OF_SHARED_MAILBOX = 4;

export function isLinkingKind(kind: IdentifierKind): kind is LinkingKind {
  return kind in LINK_WEIGHTS;
}

/** The weight of an identifier: that of its kind, and of a shared mailbox that of a role's. */
export function weightOf(shared: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>): Weight {
  return LINK_WEIGHTS[weightKindOf(shared)];
}

/** The kind as which an identifier weighs. */
export function weightKindOf({ kind, isSharedMailbox }: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>) {
  return isSharedMailbox ? 'role_email' : kind;
}

/** How much a crowded identifier still counts: absolute bands, so that accounts elsewhere change nothing. */
export function crowdFactor(kind: LinkingKind, accounts: number): number {
  const { cap, crowds, bands = [[cap, 1]] }: Weight = LINK_WEIGHTS[kind];
  if (!crowds) return 1;
  if (accounts > cap) return 0;
  return bands.find(([upTo]) => accounts <= upTo)?.[1] ?? 0;
}

/** Whether an identifier says something else of the accounts that share it once there are `after` of them. */
export function crossesBand(
  shared: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>,
  before: number,
  after: number,
): boolean {
  const kind = weightKindOf(shared);
  if (LINK_WEIGHTS[kind].crowds) return crowdFactor(kind, before) !== crowdFactor(kind, after);
  if (kind === 'phone' && before > MAX_FAMILY_PHONE !== after > MAX_FAMILY_PHONE) return true;
  return before > BRIDGE_CAP !== after > BRIDGE_CAP;
}

const DAY_MS = 86_400_000;

/** How much evidence counts by the time between the two accounts' uses of it. */
export function closenessFactor(kind: LinkingKind, gapMs: number): number {
  const { ages } = LINK_WEIGHTS[kind];
  if (ages === null || gapMs <= DAY_MS) return 1;
  const [week, month, later] = ages;
  if (gapMs <= 7 * DAY_MS) return week;
  return gapMs <= 30 * DAY_MS ? month : later;
}

/** The period in which one account was seen with an identifier. */
export type Period = { readonly firstSeen: Date; readonly lastSeen: Date };

/** Milliseconds between two periods; 0 when they overlap. */
export function gapBetween(a: Period, b: Period): number {
  const start = Math.max(a.firstSeen.getTime(), b.firstSeen.getTime());
  const end = Math.min(a.lastSeen.getTime(), b.lastSeen.getTime());
  return Math.max(0, start - end);
}

/** How one account was seen with an identifier; `uses`: in how many sessions, 1 when it is unknown. */
export type Use = Period & { readonly uses?: number };

/** Both came with it again and again: no chance meeting. Still a device alone stays below a link. */
const REPEATED_USES = 3;
export const REPEATED_FACTOR = 1.1;

/** Whether it matters in how many sessions an identifier was seen: those that sessions bring and that link nobody alone. */
export function repeats(kind: IdentifierKind): boolean {
  return isLinkingKind(kind) && LINK_WEIGHTS[kind].ages !== null;
}

/** What repetition adds: 1 or REPEATED_FACTOR. */
export function repetitionFactor({ kind, mine, theirs }: SharedIdentifier): number {
  const isRepeated = Math.min(mine.uses ?? 1, theirs.uses ?? 1) >= REPEATED_USES;
  return isRepeated && repeats(kind) ? REPEATED_FACTOR : 1;
}

/** One identifier that two accounts share. */
export type SharedIdentifier = {
  readonly kind: LinkingKind;
  /** How many accounts share it, both included. */
  readonly accounts: number;
  /** Of an email: whether the first names of its holders contradict each other. */
  readonly isSharedMailbox?: boolean;
  readonly mine: Use;
  readonly theirs: Use;
};

/** What the weight of a shared identifier depends on besides its times. */
export type CountedKind = Pick<SharedIdentifier, 'kind' | 'accounts' | 'isSharedMailbox'>;

/** Share of a certain link (score 1) in the `multiple_accounts` score of an account. */
export const LINK_SHARE = 0.6;
