import type { KeysetPage } from '../platform/keyset.ts';

type Order = 'asc' | 'desc';

/**
 * Ids for a condition `in`, the last one repeated up to a power of two: Prisma writes one placeholder for each, so that every length
 * is a statement of its own, which its connection keeps.
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
export function prismaPage<Column extends string>(
  column: Column,
  direction: Order,
  { after, before, isBackward, limit }: KeysetPage,
) {
  const reads: Order = isBackward ? (direction === 'asc' ? 'desc' : 'asc') : direction;
  const [behind, ahead] = direction === 'asc' ? (['gt', 'lt'] as const) : (['lt', 'gt'] as const);
  const bounds = { ...(after && { [behind]: after[0] }), ...(before && { [ahead]: before[0] }) };
  type Of<Value> = { [Name in Column]: Value };
  return {
    where: { [column]: bounds } as Of<object>,
    orderBy: { [column]: reads } as Of<Order>,
    take: limit,
  };
}
