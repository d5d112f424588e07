import { print } from './print.ts';

/** Prints rows in columns below their names; without rows, only the names. */
export function printTable(columns: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = columns.map((name, index) =>
    Math.max(name.length, ...rows.map((row) => row[index]!.length)),
  );
  for (const row of [columns, ...rows])
    print(
      row
        .map((cell, index) => cell.padEnd(widths[index]!))
        .join('  ')
        .trimEnd(),
    );
}
