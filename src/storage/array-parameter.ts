/*
 * Arrays as parameters of statements. The driver quotes and escapes each element; most elements of ours are ids, numbers, times and
 * hashes, which need neither, and a change of an account has 70 arrays.
 */

/** Texts that are read as they are, outside of quotes. */
const PLAIN = /^[\w.:+-]+$/;
const NULL = /^null$/i;

/** Values of a statement's parameters with arrays as their texts. */
export function withArrayTexts(values: readonly unknown[]): unknown[] {
  return values.map((value) => (Array.isArray(value) ? arrayText(value) : value));
}

/** An array in the text form of PostgreSQL. */
export function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join()}}`;
}

function elementText(value: unknown): string {
  if (value === null || value === undefined) return 'NULL';
  if (typeof value === 'string') return stringText(value);
  if (typeof value !== 'object') return String(value);
  if (Array.isArray(value)) return arrayText(value);
  if (value instanceof Uint8Array) return `"\\\\x${hexOf(value)}"`;
  return value instanceof Date ? stringText(timeText(value)) : quoted(JSON.stringify(value));
}

function stringText(value: string): string {
  return PLAIN.test(value) && !NULL.test(value) ? value : quoted(value);
}

function quoted(value: string): string {
  return `"${value.replaceAll(/["\\]/g, '\\$&')}"`;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex');
}

/** ISO 8601 has six digits for years after 9999, which PostgreSQL reads without the sign; years before 1 are not stored. */
function timeText(time: Date): string {
  const text = time.toISOString();
  return text.startsWith('+') ? text.slice(1) : text;
}
