/*
 * Keyset pagination: a page is the rows between two positions of a sort order, read from its start or its end with a LIMIT. No
 * rows outside of the page are read, whatever the number of rows before it.
 */

/** A sort column, and the type of its value in a position. */
export type KeysetColumn = { readonly sql: string; readonly type: string };

export type Direction = 'ASC' | 'DESC';
export type KeysetPosition = readonly (string | number)[];

/** Rows of a page in a sort order. */
export type KeysetPage = {
  /** Only rows after this position; null: from the start. */
  readonly after: KeysetPosition | null;
  /** Only rows before this position; null: to the end. */
  readonly before: KeysetPosition | null;
  /** True: the last rows, read in reverse order. */
  readonly isBackward: boolean;
  readonly limit: number;
};

/** The page after a position, read forward; null: from the start. */
export function pageAfter(after: KeysetPosition | null, limit: number): KeysetPage {
  return { after, before: null, isBackward: false, limit };
}

/**
 * Parts of a statement that reads a page of a sort order whose columns have the same direction. Rows of a backward page are in
 * reverse order. Each shape is a separate prepared statement. `order` is `by` with the LIMIT; `reads` is the direction of the
 * returned rows, for statements that sort the pages of several parents.
 * @param parameter adds a value to the statement and returns its placeholder.
 */
export function keysetOf(
  columns: readonly KeysetColumn[],
  direction: Direction,
  page: KeysetPage,
  parameter: (value: unknown) => string,
): { shape: string; reads: Direction; conditions: string[]; by: string; order: string } {
  const reads = page.isBackward ? reverse(direction) : direction;
  const row = `(${columns.map(({ sql }) => sql).join(', ')})`;
  const beyond = (compare: '<' | '>', position: KeysetPosition) =>
    `${row} ${compare} (${columns.map(({ type }, index) => `${parameter(position[index])}::${type}`).join(', ')})`;
  const conditions: string[] = [];
  if (page.after) conditions.push(beyond(direction === 'DESC' ? '<' : '>', page.after));
  if (page.before) conditions.push(beyond(direction === 'DESC' ? '>' : '<', page.before));
  const by = `order by ${columns.map(({ sql }) => `${sql} ${reads}`).join(', ')}`;
  return {
    shape: `${reads}${page.after ? ':after' : ''}${page.before ? ':before' : ''}`,
    reads,
    conditions,
    by,
    order: `${by} limit ${parameter(page.limit)}`,
  };
}

function reverse(direction: Direction): Direction {
  return direction === 'ASC' ? 'DESC' : 'ASC';
}
