/*
 * Volatile values become numbered placeholders, in the order of first appearance, so that equal values remain
 * recognizable. The rest of a response is compared byte for byte.
 */

type Volatile = { name: string; pattern: RegExp };

/** In this order: a signed address contains an id. The first group, or the whole match, is replaced. */
const VOLATILE: readonly Volatile[] = [
  { name: 'cursor', pattern: /(?<="next_cursor":")[^"]+(?=")|(?<=[?&]cursor=)[\w.%-]{16,}/g },
  { name: 'media', pattern: /(?<=<base>)\/media\/[^"\s]+/g },
  { name: 'session token', pattern: /\bvgs_[\w.-]+/g },
  { name: 'link secret', pattern: /\bvgv_[\w.-]+/g },
  { name: 'browser token', pattern: /(?<="browser_token":")[^"]+/g },
  { name: 'device', pattern: /(?<="device_id":")[0-9A-Za-z]{22}(?=")/g },
  { name: 'uuid', pattern: /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g },
  { name: 'UUID', pattern: /[0-9A-F]{8}(?:-[0-9A-F]{4}){3}-[0-9A-F]{12}/g },
  { name: 'time', pattern: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g },
];

export type Placeholders = (text: string) => string;

/** Replaces volatile values of one recording. Values with `isFixed` belong to the test and remain. */
export function createPlaceholders(
  baseUrls: readonly string[],
  isFixed: (value: string) => boolean,
): Placeholders {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  const nameOf = (kind: string, value: string): string => {
    const key = `${kind} ${value}`;
    const known = names.get(key);
    if (known) return known;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    names.set(key, `<${kind} ${count}>`);
    return `<${kind} ${count}>`;
  };
  return (text) => {
    let shown = text;
    for (const baseUrl of baseUrls) shown = shown.replaceAll(baseUrl, '<base>');
    for (const { name, pattern } of VOLATILE)
      shown = shown.replace(pattern, (value) => (isFixed(value) ? value : nameOf(name, value)));
    return shown;
  };
}
