import { IDENTIFIER_KINDS, type IdentifierKind, kindOfNumber } from './identifier-kinds.ts';

/**
 * Maximum number of identifiers that an account keeps, per kind, newest first. Limits are separate, so that many values of
 * one kind never displace another kind. Kinds that are not listed are unlimited: a new contact field replaces the old one,
 * and each face or document needs a verification.
 *
 * The limits bound the locks and look-ups of one change (352 in total) and exceed what a person uses: 64 browsers, 32
 * devices. An address counts 0.3 of its weight after a month. A device has up to four parts, and a subnet changes as often
 * as its addresses.
 */
export const HISTORY_LIMITS = {
  browser: 64,
  device: 32,
  device_part: 128,
  network: 64,
  subnet: 64,
} as const satisfies Partial<Record<IdentifierKind, number>>;

type LimitedKind = keyof typeof HISTORY_LIMITS;
const LIMITED_KINDS = Object.keys(HISTORY_LIMITS) as LimitedKind[];

function isLimited(kind: IdentifierKind): kind is LimitedKind {
  return kind in HISTORY_LIMITS;
}

/** Splits an account's identifiers into those within the limits and the older ones beyond them. */
export function applyHistoryLimits<
  T extends { readonly kind: number; readonly lastSeen: Date; readonly hash: Buffer },
>(identifiers: readonly T[]): { kept: T[]; beyond: T[] } {
  const beyond = new Set<T>();
  for (const [number, group] of Map.groupBy(identifiers, ({ kind }) => kind)) {
    const kind = kindOfNumber(number);
    if (!isLimited(kind) || group.length <= HISTORY_LIMITS[kind]) continue;
    for (const one of group.toSorted(newestFirst).slice(HISTORY_LIMITS[kind])) beyond.add(one);
  }
  if (beyond.size === 0) return { kept: [...identifiers], beyond: [] };
  return { kept: identifiers.filter((one) => !beyond.has(one)), beyond: [...beyond] };
}

/** The order of `rankedIdentifiers`: newest first, equal times by hash. */
function newestFirst(
  a: { readonly lastSeen: Date; readonly hash: Buffer },
  b: { readonly lastSeen: Date; readonly hash: Buffer },
): number {
  return b.lastSeen.getTime() - a.lastSeen.getTime() || a.hash.compare(b.hash);
}

/** SQL expression for the limit of a kind; the maximum integer for unlimited kinds. */
const keptOf = (kind: string) =>
  `case ${kind} ${LIMITED_KINDS.map((one) => `when ${IDENTIFIER_KINDS[one]} then ${HISTORY_LIMITS[one]}`).join(' ')} else 2147483646 end`;

/** Larger kinds belong to later versions, whose gateways can run concurrently. */
const MAX_KIND = Math.max(...Object.values(IDENTIFIER_KINDS));

/**
 * Query for the identifiers of the account with the internal id `account`, with their rank within their kind (`place`, newest
 * first) and the limit of the kind (`kept`). Reads one range of the primary key, whatever the planner's statistics.
 */
export const rankedIdentifiers = (account: string) => `
  select i.kind, i.value_hash, i.first_seen, i.last_seen, i.uses, ${keptOf('i.kind')} as kept,
    row_number() over (partition by i.kind order by i.last_seen desc, i.value_hash) as place
  from identifiers i where i.project_id = $1 and i.account_id = ${account} and i.kind <= ${MAX_KIND}`;

/** Condition for rows of `identifiers` grouped by account and kind: the group exceeds its limit. */
export const IS_OVER_LIMIT = `count(*) > ${keptOf('kind')}`;
