import { IDENTIFIER_KINDS, type IdentifierKind, kindOfNumber } from '../identifiers/identifier-kinds.ts';

/**
 * How many identifiers of a kind an account keeps: the newest, each kind for itself, so that rotating one kind never
 * displaces another. A kind that is not listed keeps all: contact fields replace each other, and faces and documents
 * need a verification each.
 *
 * The values bound the locks and look-ups of one change (352 in all) and leave people enough: 64 browsers or 32
 * devices are more than a person has, and an address counts 0.3 of its weight after a month. A device has up to four
 * near-equal forms, and a subnet is as short-lived as its addresses.
 */
export const HISTORY_LIMITS = {
  browser: 64,
  device: 32,
  device_part: 128,
  network: 64,
  neighbourhood: 64,
} as const satisfies Partial<Record<IdentifierKind, number>>;

type LimitedKind = keyof typeof HISTORY_LIMITS;
const LIMITED_KINDS = Object.keys(HISTORY_LIMITS) as LimitedKind[];

function isLimited(kind: IdentifierKind): kind is LimitedKind {
  return kind in HISTORY_LIMITS;
}

/** Splits an account's identifiers into those that it keeps and those beyond the limits, newest first. */
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

/** The order of `rankedIdentifiers`: two that were seen last at the same moment are ordered by their hashes. */
function newestFirst(
  a: { readonly lastSeen: Date; readonly hash: Buffer },
  b: { readonly lastSeen: Date; readonly hash: Buffer },
): number {
  return b.lastSeen.getTime() - a.lastSeen.getTime() || a.hash.compare(b.hash);
}

/** How many of a kind an account keeps, in SQL; more than there can be where all are kept. */
const keptOf = (kind: string) =>
  `case ${kind} ${LIMITED_KINDS.map((one) => `when ${IDENTIFIER_KINDS[one]} then ${HISTORY_LIMITS[one]}`).join(' ')} else 2147483646 end`;

/** Kinds beyond it are those of later versions, whose gateways may run beside this one. */
const LARGEST_KIND = Math.max(...Object.values(IDENTIFIER_KINDS));

/**
 * Rows of `identifiers` of the account whose internal id is `account`, with their `place` among those of their kind,
 * newest first, and how many of it are `kept`. One range of the primary key, whatever the planner knows of the table.
 */
export const rankedIdentifiers = (account: string) => `
  select i.kind, i.value_hash, i.first_seen, i.last_seen, i.uses, ${keptOf('i.kind')} as kept,
    row_number() over (partition by i.kind order by i.last_seen desc, i.value_hash) as place
  from identifiers i where i.project_id = $1 and i.account_id = ${account} and i.kind <= ${LARGEST_KIND}`;

/** Of rows of `identifiers` in groups of one account and kind: whether there are more than are kept. */
export const IS_OVER_LIMIT = `count(*) > ${keptOf('kind')}`;
