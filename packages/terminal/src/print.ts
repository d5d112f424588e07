/** Control characters, separators of lines and paragraphs, and characters that change the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;
/** The same, except those that a text of several lines contains. */
const UNPRINTABLE_IN_TEXT = new RegExp(`(?![\\t\\n])${UNPRINTABLE.source}`, 'gu');

/*
 * Data of clients can contain characters that a terminal executes, or that look like another line. They are written as in
 * JSON.
 */

const escapeOf = (mark: string) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`;

/** A value as one line. */
export const oneLine = (value: string): string => value.replace(UNPRINTABLE, escapeOf);

/** A text of several lines, or JSON, whose meaning the escapes do not change. */
export const printable = (text: string): string => text.replace(UNPRINTABLE_IN_TEXT, escapeOf);

/** Writes each text as one line to standard output. */
export function print(...lines: readonly string[]): void {
  for (const line of lines.length === 0 ? [''] : lines) process.stdout.write(`${oneLine(line)}\n`);
}

/** Writes a text of several lines. */
export const printText = (text: string): void => void process.stdout.write(`${printable(text)}\n`);

/** Writes a value as indented JSON. */
export const printJson = (value: unknown): void => printText(JSON.stringify(value, null, 2));

/** Writes a text to standard error. */
export const printError = (text: string): void => void process.stderr.write(`${printable(text)}\n`);

/** Writes what is no error, and not the output of the command, to standard error. */
export const printNotice = (message: string, isJson = false): void =>
  printError(isJson ? JSON.stringify({ notice: { message } }) : message);

/** Resolves when standard output is written, before the process ends with an error. */
export const written = (): Promise<void> =>
  new Promise((resolve) => process.stdout.write('', () => resolve()));
