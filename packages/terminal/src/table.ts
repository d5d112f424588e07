import { oneLine, print } from './print.ts';

/** Characters of a cell before the last column, whose end is cut off: one long value would widen all rows. */
const MAX_WIDTH = 64;

/** Prints rows in columns below their names; without rows, only the names. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[]): void {
  printAligned([columns, ...rows]);
}

/** Prints a heading and rows in columns without names; nothing without rows. */
export function printSection(heading: string, rows: readonly (readonly string[])[]): void {
  if (rows.length === 0) return;
  print('', heading);
  printAligned(rows, '  ');
}

function printAligned(rows: readonly (readonly string[])[], indent = ''): void {
  const all = rows.map(cellsOf);
  const widths = all[0]!.map((_cell, index) => Math.max(...all.map((row) => row[index]!.length)));
  for (const row of all) print(indent + joined(row, widths));
}

/** Prints a row of a table that is longer than its known rows, in columns of fixed widths. */
export function printRow(cells: readonly string[], widths: readonly number[]): void {
  print(joined(cellsOf(cells), widths));
}

/** The cells as they are printed, so that their widths are those of the output. */
const cellsOf = (row: readonly string[]): string[] =>
  row.map((cell, index) => (index === row.length - 1 ? oneLine(cell) : shortened(oneLine(cell))));

const shortened = (cell: string) =>
  cell.length <= MAX_WIDTH ? cell : `${cell.slice(0, MAX_WIDTH - 1).toWellFormed()}…`;

const joined = (cells: readonly string[], widths: readonly number[]): string =>
  cells
    .map((cell, index) => cell.padEnd(widths[index]!))
    .join('  ')
    .trimEnd();
