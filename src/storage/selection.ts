import { type Direction, type KeysetColumn, type KeysetPage, keysetOf } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Row, Statement } from './database.ts';

/**
 * Conditions of a search with their values. Each combination of conditions and of the bounds of a page is a prepared
 * statement of its own.
 */
export type Selection = {
  readonly database: ProjectDatabase;
  readonly conditions: string[];
  /** Names of the conditions, which distinguish the statements. */
  readonly shape: string[];
  readonly values: unknown[];
  /** Adds a value and returns its placeholder. */
  parameter(value: unknown): string;
  /** Adds a condition under a name. */
  add(name: string, condition: string): void;
};

/** A selection with conditions that all of its statements have. $1 is the project, further ones are `values`. */
export function selectionIn(
  database: ProjectDatabase,
  conditions: readonly string[],
  values: readonly unknown[] = [],
): Selection {
  const selection: Selection = {
    database,
    conditions: [...conditions],
    shape: [],
    values: [database.projectId, ...values],
    parameter: (value) => `$${selection.values.push(value)}`,
    add(name, condition) {
      selection.shape.push(name);
      selection.conditions.push(condition);
    },
  };
  return selection;
}

/** A page of what is selected, in an order of columns with the same direction. */
export type PageOrder = {
  readonly columns: readonly KeysetColumn[];
  readonly direction: Direction;
  readonly page: KeysetPage;
};

/** Parts of a statement: all conditions, ORDER BY with and without LIMIT, and the direction in which rows are read. */
type PageParts = { where: string; order: string; by: string; reads: Direction };

/** Reads a page of a selection, in the order in which it is read. */
export function findPage<T = Row>(
  { database, conditions, shape, values, parameter }: Selection,
  name: string,
  { columns, direction, page }: PageOrder,
  textOf: (parts: PageParts) => string,
): Promise<T[]> {
  const keyset = keysetOf(columns, direction, page, parameter);
  const where = [...conditions, ...keyset.conditions].join(' and ');
  return database.query<T>(
    { name: [name, keyset.shape, ...shape].join(':'), text: textOf({ ...keyset, where }) },
    values,
  );
}

/** Number of rows that a selection finds, counted up to a limit. */
export async function countFound(
  { database, conditions, shape, values, parameter }: Selection,
  name: string,
  limit: number,
  textOf: (where: string, limit: string) => string,
): Promise<number> {
  const found = textOf(conditions.join(' and '), parameter(limit));
  const statement = {
    name: [name, ...shape].join(':'),
    text: `select count(*)::int as total from (${found}) found`,
  };
  const [row] = await database.query<{ total: number }>(statement, values);
  return row!.total;
}

/**
 * The statement that counts the rows of several parents up to a limit. $1 is the project, $2 the ids of the parents, $3 the
 * limit.
 * @param from FROM and WHERE of the rows of a parent `p.id`
 */
export function countOfEach(name: string, from: string): Statement {
  return {
    name,
    text: `select p.id, c.total from unnest($2::uuid[]) as p (id) cross join lateral (
             select count(*)::int as total from (select from ${from} limit $3) found
           ) c`,
  };
}

/** Numbers that a statement of `countOfEach` counts, in the order of the parents. $4 and further ones are `values`. */
export async function countEach(
  database: ProjectDatabase,
  statement: Statement,
  ids: readonly string[],
  limit: number,
  ...values: readonly unknown[]
): Promise<number[]> {
  return totalsOf(ids, await database.query<Total>(statement, [database.projectId, ids, limit, ...values]));
}

/** How many there are of a parent. */
export type Total = { readonly id: string; readonly total: number };

/** Totals in the order of the parents; 0 for a parent without one. */
export function totalsOf(ids: readonly string[], rows: readonly Total[]): number[] {
  const totals = new Map(rows.map(({ id, total }) => [id, total]));
  return ids.map((id) => totals.get(id) ?? 0);
}
