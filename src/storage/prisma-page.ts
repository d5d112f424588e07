import type { KeysetPage, KeysetPosition } from '../platform/keyset.ts';

type Order = 'asc' | 'desc';

/**
 * Ids for a condition `in`, the last one repeated up to a power of two: Prisma writes one placeholder for each, so that every length
 * is a statement of its own, which its connection keeps.
 */
export function idList(ids: readonly string[]): string[] {
  if (ids.length === 0) return [];
  const length = 2 ** Math.ceil(Math.log2(ids.length));
  return Array.from({ length }, (_, index) => ids[Math.min(index, ids.length - 1)]!);
}

/**
 * Arguments of Prisma for a page of an order by one unique column. A condition on the column and a LIMIT, since Prisma's own
 * cursor reads every row before the page.
 */
export function prismaPage<Column extends string>(
  column: Column,
  direction: Order,
  { after, before, isBackward, limit }: KeysetPage,
) {
  const [behind, ahead] = boundsOf(direction);
  const bounds = { ...(after && { [behind]: after[0] }), ...(before && { [ahead]: before[0] }) };
  return {
    where: { [column]: bounds } as Of<Column, object>,
    orderBy: { [column]: readingOrder(direction, isBackward) } as Of<Column, Order>,
    take: limit,
  };
}

/**
 * The same for an order by a column, and by a unique one among rows with an equal value of it. The first column bounds the range
 * that is read of the index: Prisma has no comparison of rows.
 */
export function prismaPageOfTwo<First extends string, Second extends string>(
  [first, second]: readonly [First, Second],
  direction: Order,
  { after, before, isBackward, limit }: KeysetPage,
) {
  const beyond = (bound: 'lt' | 'gt', [value, id]: KeysetPosition) => ({
    [first]: { [`${bound}e`]: value },
    OR: [{ [first]: { [bound]: value } }, { [second]: { [bound]: id } }],
  });
  const [behind, ahead] = boundsOf(direction);
  const reads = readingOrder(direction, isBackward);
  return {
    where: { AND: [...(after ? [beyond(behind, after)] : []), ...(before ? [beyond(ahead, before)] : [])] },
    orderBy: [{ [first]: reads } as Of<First, Order>, { [second]: reads } as Of<Second, Order>],
    take: limit,
  };
}

type Of<Column extends string, Value> = { [Name in Column]: Value };

const boundsOf = (direction: Order) =>
  direction === 'asc' ? (['gt', 'lt'] as const) : (['lt', 'gt'] as const);

const readingOrder = (direction: Order, isBackward: boolean): Order =>
  isBackward === (direction === 'asc') ? 'desc' : 'asc';
