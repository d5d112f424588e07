import { print } from './print.ts';

/** Prints rows in columns below their names; without rows, only the names. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const all = [columns, ...rows];
  const widths = widthsOf(all);
  for (const row of all) printRow(row, widths);
}

/** Prints a heading and rows in columns without names; nothing without rows. */
export function printSection(heading: string, rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  print(`\n${heading}`);
  const widths = widthsOf(rows);
  for (const row of rows) printRow(['', ...row], [0, ...widths]);
}

const widthsOf = (rows: readonly (readonly string[])[]): number[] =>
  rows[0]!.map((_cell, index) => Math.max(...rows.map((row) => row[index]!.length)));

/** Prints a row of a table that is longer than its known rows, in columns of fixed widths. */
export function printRow(cells: readonly string[], widths: readonly number[]): void {
  print(
    cells
      .map((cell, index) => cell.padEnd(widths[index]!))
      .join('  ')
      .trimEnd(),
  );
}
