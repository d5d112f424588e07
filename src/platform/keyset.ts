/*
 * Keyset paging: a page is the rows between two positions of an order, read from its beginning or from its end with a
 * LIMIT. No row outside of the page is read, whatever the number of rows before it.
 */

/** A column of an order, and the type of its value in a position. */
export type KeysetColumn = { readonly sql: string; readonly type: string };

export type Direction = 'ASC' | 'DESC';
export type KeysetPosition = readonly (string | number)[];

/** Which rows of an order a page reads. */
export type KeysetPage = {
  /** Rows behind this position only; null: from the beginning. */
  readonly after: KeysetPosition | null;
  /** Rows before this position only; null: to the end. */
  readonly before: KeysetPosition | null;
  /** True: the last rows, which are read in the reverse order. */
  readonly isBackward: boolean;
  readonly limit: number;
};

/** The page behind a position, read forward; null: from the beginning. */
export function pageAfter(after: KeysetPosition | null, limit: number): KeysetPage {
  return { after, before: null, isBackward: false, limit };
}

/**
 * The parts of a statement that reads a page of an order whose columns all have one direction. Rows of a backward page
 * come in the reverse order. Each shape is a statement of its own, to be prepared under its own name. `order` is `by` with
 * the LIMIT; `reads` is the direction in which rows come, for statements that order the pages of many parents.
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
