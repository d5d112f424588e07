import pg from 'pg';

const TIMESTAMPTZ = 1184;

/** `2025-06-10 16:35:22.184123+00`, cut to milliseconds. */
const MAX_USUAL_LENGTH = 29;
const MILLISECONDS_END = 23;
const DASH = 0x2d;
const ZERO = 0x30;

/** Connections use UTC, so that timestamps have one form, which is parsed several times faster than all of them. */
export function parseTimestamp(text: string): Date {
  const { length } = text;
  // Years below 1000 are not what Date.UTC takes them for.
  const isUsual = length <= MAX_USUAL_LENGTH && text.charCodeAt(4) === DASH && text.charCodeAt(0) > ZERO;
  if (!isUsual || !text.endsWith('+00')) return pg.types.getTypeParser(TIMESTAMPTZ)(text);
  let milliseconds = 0;
  const end = Math.min(length - 3, MILLISECONDS_END);
  for (let index = 20, unit = 100; index < end; index += 1, unit /= 10)
    milliseconds += (text.charCodeAt(index) - ZERO) * unit;
  return new Date(
    Date.UTC(
      100 * twoDigits(text, 0) + twoDigits(text, 2),
      twoDigits(text, 5) - 1,
      twoDigits(text, 8),
      twoDigits(text, 11),
      twoDigits(text, 14),
      twoDigits(text, 17),
      milliseconds,
    ),
  );
}

function twoDigits(text: string, index: number): number {
  return 10 * (text.charCodeAt(index) - ZERO) + text.charCodeAt(index + 1) - ZERO;
}

/** Parsers of column values. */
export const COLUMN_TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ && format !== 'binary'
      ? parseTimestamp
      : pg.types.getTypeParser(oid, format as 'text'),
};
