import type { Workbench } from './workbench.ts';

/** A table, the columns whose values are given with their types, and those that are computed for every row. */
export type BulkTable = {
  name: string;
  columns: Readonly<Record<string, string>>;
  computed?: Readonly<Record<string, string>>;
};

const BATCH = 2000;

/** Inserts rows in statements of a few thousand each. */
export async function insertRows(
  { system, project }: Pick<Workbench, 'system' | 'project'>,
  { name, columns, computed = {} }: BulkTable,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const names = Object.keys(columns);
  const arrays = Object.values(columns).map((type, index) => `$${index + 2}::${type}[]`);
  const statement = {
    name: `bench.insert:${name}:${names.length}`,
    text: `insert into ${name} (${['project_id', ...names, ...Object.keys(computed)].join(', ')})
      select ${['$1', 'given.*', ...Object.values(computed)].join(', ')}
      from unnest(${arrays.join(', ')}) as given (${names.join(', ')})`,
  };
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    await system.query(statement, [
      project.projectId,
      ...names.map((column) => batch.map((row) => row[column])),
    ]);
  }
}
