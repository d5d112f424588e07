import { print } from './print.ts';

/** Prints rows in columns below their names; without rows, only the names. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = columns.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => row[index]!.length)),
  );
  for (const row of [columns, ...rows]) printRow(row, widths);
}

/** Prints a row of a table that is longer than its known rows, in columns of fixed widths. */
export function printRow(cells: readonly string[], widths: readonly number[]): void {
  print(
    cells
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join('  ')
      .trimEnd(),
  );
}
