import type { KeysetPage, KeysetPosition } from '@vouchgraph/platform/keyset';

type Order = 'asc' | 'desc';
type Compare = 'gt' | 'lt';

/**
 * Ids for a condition `in`, the last one repeated up to a power of two: Prisma writes one placeholder for each, so that
 * every length is a separate statement, which its connection keeps.
 */
export function idList<Id extends string>(ids: readonly Id[]): Id[] {
  if (ids.length === 0) return [];
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  return Array.from({ length }, (_, index) => ids[Math.min(index, ids.length - 1)]!);
}

/**
 * Arguments of Prisma for a page of an order by one unique column. A condition on the column and a LIMIT, since Prisma's own
 * cursor reads every row before the page.
 */
export function prismaPage<Column extends string>(column: Column, direction: Order, page: KeysetPage) {
  const { after, before, limit } = page;
  const { reads, behind, ahead } = directionsOf(direction, page);
  const bounds = { ...(after && { [behind]: after[0] }), ...(before && { [ahead]: before[0] }) };
  type Of<Value> = { [Name in Column]: Value };
  return {
    where: { [column]: bounds } as Of<object>,
    orderBy: { [column]: reads } as Of<Order>,
    take: limit,
  };
}

/**
 * The same for an order by two columns of one direction, the second one unique among rows with the same first one. Prisma does not
 * compare rows: the first column bounds what is read of an index, and rows with the value of the position are filtered.
 */
export function prismaPageOfTwo<First extends string, Second extends string>(
  [first, second]: readonly [First, Second],
  direction: Order,
  page: KeysetPage,
) {
  const { reads, behind, ahead } = directionsOf(direction, page);
  const beyond = (compare: Compare, position: KeysetPosition | null): object[] => {
    if (!position) return [];
    const [value, id] = position;
    const isBeyond = [{ [first]: { [compare]: value } }, { [second]: { [compare]: id } }];
    return [{ [first]: { [`${compare}e`]: value }, OR: isBeyond }];
  };
  return {
    where: { AND: [...beyond(behind, page.after), ...beyond(ahead, page.before)] },
    orderBy: [{ [first]: reads }, { [second]: reads }] as [
      { [Name in First]: Order },
      { [Name in Second]: Order },
    ],
    take: page.limit,
  };
}

/** The direction in which a page is read, and the comparisons with the positions behind which and ahead of which it is. */
function directionsOf(direction: Order, { isBackward }: KeysetPage) {
  const isAscending = direction === 'asc';
  const reads: Order = isAscending === isBackward ? 'desc' : 'asc';
  const [behind, ahead]: [Compare, Compare] = isAscending ? ['gt', 'lt'] : ['lt', 'gt'];
  return { reads, behind, ahead };
}
