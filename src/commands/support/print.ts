/** Control characters except tab and line feed, and marks that reorder text. */
const UNPRINTABLE = /(?![\t\n])[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu;

/**
 * Writes a line to standard output. Unprintable characters, which data of clients can contain, are written as in JSON:
 * a terminal would execute them.
 */
export function print(line = ''): void {
  const shown = line.replace(UNPRINTABLE, (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`);
  process.stdout.write(`${shown}\n`);
}

/** Writes a value as indented JSON. */
export const printJson = (value: unknown): void => print(JSON.stringify(value, null, 2));
