import { IDENTIFIER_KINDS, type IdentifierKind, isBlockingKind } from './identifier-kinds.ts';
import { MAX_SHARING_BIRTH_DATE } from './person-evidence.ts';

/*
 * Weights of the kinds of shared identifiers, and how they decrease with the number of accounts and with time.
 */
export const LINK_WEIGHTS_VERSION = '5';
export const LINK_THRESHOLD = 0.5;

/**
 * Minimum score of a link that makes its two accounts one identity, computed without identifiers that more than BRIDGE_CAP
 * accounts share. Device and network of one household (.615) do not reach it; with the same name (.73) they do.
 */
export const IDENTITY_THRESHOLD = 0.7;
export const BRIDGE_CAP = 100;

type Weight = {
  readonly weight: number;
  /** Sharing limit: an identifier of more accounts links none of them. Infinity for full matches. */
  readonly cap: number;
  /** Whether the weight depends on the number of accounts that share the identifier. */
  readonly isCapped: boolean;
  /** Sharing bands: upper bounds of the number of accounts, with their factors. Absent: one band up to the cap. */
  readonly bands?: readonly (readonly [upTo: number, factor: number])[];
  /** Factors when the uses of the two accounts are at most a week, at most a month, or longer apart; null: no decrease. */
  readonly ages: readonly [week: number, month: number, later: number] | null;
};

/** Addresses are reassigned within days; a device stays the same for years, and is sometimes sold. */
const ADDRESS_AGES = [0.8, 0.5, 0.3] as const;
const DEVICE_AGES = [0.95, 0.9, 0.8] as const;

/** Bands of identifiers that many people share: absolute counts, independent of the size of the project. */
const SHARING_BANDS = [
  [3, 1],
  [7, 0.8],
  [15, 0.6],
  [31, 0.4],
  [50, 0.25],
] as const;

const full: Weight = { weight: 1, cap: Number.POSITIVE_INFINITY, isCapped: false, ages: null };
const name: Weight = { weight: 0.3, cap: 50, isCapped: true, bands: SHARING_BANDS, ages: null };
/** Blocking key: it only finds accounts to compare. */
const block: Weight = { weight: 0, cap: 50, isCapped: true, ages: null };

export const LINK_WEIGHTS = {
  browser: full,
  email: full,
  /** Role mailbox, read by several people. It weighs as much as a near email, and so does a shared mailbox. */
  role_email: { weight: 0.35, cap: 50, isCapped: true, bands: SHARING_BANDS, ages: null },
  phone: full,
  username: full,
  device: { weight: 0.45, cap: 50, isCapped: true, bands: SHARING_BANDS, ages: DEVICE_AGES },
  /** A device that is equal except for one of its parts. */
  device_part: { weight: 0.35, cap: 50, isCapped: true, bands: SHARING_BANDS, ages: DEVICE_AGES },
  network: { weight: 0.3, cap: 20, isCapped: true, bands: SHARING_BANDS, ages: ADDRESS_AGES },
  subnet: { weight: 0.1, cap: 10, isCapped: true, bands: SHARING_BANDS, ages: ADDRESS_AGES },
  email_block: block,
  name,
  face: full,
  document_number: full,
  document_name: name,
  /** Its bands only trigger recalculations: beside half a name its weight depends on MAX_SHARING_BIRTH_DATE. */
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

const LINKING_NUMBERS = LINKING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);
/** Numbers of all kinds that link, as an SQL list. */
export const LINKING_LIST = LINKING_NUMBERS.join(', ');
/** Numbers of those whose values are identifiers, not blocking keys. */
export const IDENTIFIER_LIST = LINKING_NUMBERS.filter((kind) => !isBlockingKind(kind)).join(', ');

/** Kinds with a sharing limit. */
export const CAPPED_KINDS = LINKING_KINDS.filter((kind) => LINK_WEIGHTS[kind].isCapped);

/** Kinds that link alone, without a sharing limit. */
export const FULL_MATCH_KINDS = LINKING_KINDS.filter((kind) => LINK_WEIGHTS[kind].weight === 1);

/** Kinds that can create a link; the others only add to its score. */
export const LEADING_KINDS: readonly LinkingKind[] = LINKING_KINDS.filter(
  (kind) => kind !== 'document_name' && kind !== 'subnet',
);

/** Comparing kinds: accounts that share one are compared in clear text, up to the cap of the kind and BRIDGE_CAP. */
export const COMPARING_KINDS = [
  'email',
  'role_email',
  'phone',
  'name',
  'email_block',
  'birth_date',
  'birth_block',
] as const satisfies readonly LinkingKind[];

/** Kinds whose times define the period in which an account's fields were seen. */
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
 * Maximum number of accounts of a family's phone. A phone of more accounts links them despite different first names: a ring
 * must not be able to unlink itself by invented names.
 */
export const MAX_FAMILY_PHONE = 7;

/** Number of different first names among accounts with the same spelling of an email that make it a shared mailbox. */
export const MIN_NAMES_OF_SHARED_MAILBOX = 4;

export function isLinkingKind(kind: IdentifierKind): kind is LinkingKind {
  return kind in LINK_WEIGHTS;
}

/** Weight of an identifier. A shared mailbox has the weight of a role mailbox. */
export function weightOf(shared: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>): Weight {
  return LINK_WEIGHTS[weightKindOf(shared)];
}

/** Kind that determines the weight of an identifier. */
export function weightKindOf({ kind, isSharedMailbox }: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>) {
  return isSharedMailbox ? 'role_email' : kind;
}

/** Factor of the weight for the number of accounts that share an identifier. */
export function sharingFactor(kind: LinkingKind, accounts: number): number {
  const { cap, isCapped, bands = [[cap, 1]] }: Weight = LINK_WEIGHTS[kind];
  if (!isCapped) return 1;
  if (accounts > cap) return 0;
  return bands.find(([upTo]) => accounts <= upTo)?.[1] ?? 0;
}

/** Whether the effect of an identifier changes when the number of its accounts changes from `before` to `after`. */
export function crossesBand(
  shared: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>,
  before: number,
  after: number,
): boolean {
  const kind = weightKindOf(shared);
  if (LINK_WEIGHTS[kind].isCapped) return sharingFactor(kind, before) !== sharingFactor(kind, after);
  if (kind === 'phone' && before > MAX_FAMILY_PHONE !== after > MAX_FAMILY_PHONE) return true;
  return before > BRIDGE_CAP !== after > BRIDGE_CAP;
}

const DAY_MS = 86_400_000;

/** Factor of the weight for the time between the uses of the two accounts. */
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

/** Use of an identifier by one account. `uses`: number of sessions; 1 when unknown. */
export type Use = Period & { readonly uses?: number };

/** Number of uses by both accounts from which an identifier is repeated. A repeated device alone does not reach a link. */
const REPEATED_USES = 3;
export const REPEATED_FACTOR = 1.1;

/** Whether the number of uses affects the weight of a kind: only for kinds of sessions that do not link alone. */
export function repeats(kind: IdentifierKind): boolean {
  return isLinkingKind(kind) && LINK_WEIGHTS[kind].ages !== null;
}

/** Factor for repeated use: 1 or REPEATED_FACTOR. */
export function repetitionFactor({ kind, mine, theirs }: SharedIdentifier): number {
  const isRepeated = Math.min(mine.uses ?? 1, theirs.uses ?? 1) >= REPEATED_USES;
  return isRepeated && repeats(kind) ? REPEATED_FACTOR : 1;
}

/** One identifier that two accounts share. */
export type SharedIdentifier = {
  readonly kind: LinkingKind;
  /** Number of accounts that share it, both included. */
  readonly accounts: number;
  /** For an email: whether the first names of its accounts contradict each other. */
  readonly isSharedMailbox?: boolean;
  readonly mine: Use;
  readonly theirs: Use;
};

/** Inputs of the weight of a shared identifier, without its times. */
export type CountedKind = Pick<SharedIdentifier, 'kind' | 'accounts' | 'isSharedMailbox'>;

/** Share of a certain link (score 1) in the `multiple_accounts` score of an account. */
export const LINK_SHARE = 0.6;
