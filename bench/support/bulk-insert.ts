import type { Workbench } from './workbench.ts';

/**
 * A table, the columns whose values are given with their types, and those that are computed for every row. A column of an
 * array type is given as a list of words, numbers or buffers.
 */
export type BulkTable = {
  name: string;
  columns: Readonly<Record<string, string>>;
  computed?: Readonly<Record<string, string>>;
};

type ListValue = string | number | Buffer;

const BATCH = 2000;

/** Inserts rows in statements of a few thousand each. */
export async function insertRows(
  { system, project }: Pick<Workbench, 'system' | 'project'>,
  { name, columns, computed = {} }: BulkTable,
  rows: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const names = Object.keys(columns);
  // Arrays of arrays must be rectangular: lists are given as texts.
  const isList = (column: string) => columns[column]!.endsWith('[]');
  const arrays = names.map(
    (column, index) => `$${index + 2}::${isList(column) ? 'text' : columns[column]}[]`,
  );
  const given = names.map((column) =>
    isList(column) ? `given.${column}::${columns[column]}` : `given.${column}`,
  );
  const statement = {
    name: `bench.insert:${name}:${names.length}`,
    text: `insert into ${name} (${['project_id', ...names, ...Object.keys(computed)].join(', ')})
      select ${['$1', ...given, ...Object.values(computed)].join(', ')}
      from unnest(${arrays.join(', ')}) as given (${names.join(', ')})`,
  };
  for (let start = 0; start < rows.length; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    await system.query(statement, [
      project.projectId,
      ...names.map((column) =>
        batch.map((row) => (isList(column) ? listText(row[column] as ListValue[]) : row[column])),
      ),
    ]);
  }
}

function listText(values: readonly ListValue[]): string {
  const texts = values.map((value) => (Buffer.isBuffer(value) ? `"\\\\x${value.toString('hex')}"` : value));
  return `{${texts.join(',')}}`;
}
