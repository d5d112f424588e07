/*
 * Limits of JSON Schema: what a request may contain. A limit that is added, or narrower than before, refuses values that
 * were accepted.
 */

// biome-ignore lint/suspicious/noExplicitAny: a document of JSON
type Json = any;

const UPPER = ['maxLength', 'maxItems', 'maxProperties', 'maximum', 'exclusiveMaximum'];
const LOWER = ['minLength', 'minItems', 'minProperties', 'minimum', 'exclusiveMinimum'];
/** Any other value than before can refuse what was accepted. */
const EXACT = ['pattern', 'format', 'multipleOf', 'additionalProperties'];
/** Values that refuse nothing. */
const OPEN: readonly unknown[] = [undefined, false, 0];

/** Descriptions of the limits that refuse more than before. */
export function narrowedLimits(before: Json, after: Json): string[] {
  return [
    ...UPPER.filter((key) => isLower(after[key], before[key])),
    ...LOWER.filter((key) => isLower(negative(after[key]), negative(before[key])) && after[key] !== 0),
    ...EXACT.filter((key) => isNarrower(key, before[key], after[key])),
    ...(after.uniqueItems && !before.uniqueItems ? ['uniqueItems'] : []),
    ...(wordsOf(after) && !wordsOf(before) ? [after.enum ? 'enum' : 'const'] : []),
  ].map((key) => describe(key, before[key], after[key]));
}

/** The only values that a schema accepts. */
export function wordsOf({ enum: words, const: constant }: Json): unknown[] | undefined {
  return words ?? (constant === undefined ? undefined : [constant]);
}

const negative = (value: number | undefined) => (value === undefined ? undefined : -value);

function isLower(now: number | undefined, old: number | undefined): boolean {
  return now !== undefined && (old === undefined || now < old);
}

function isNarrower(key: string, old: Json, now: Json): boolean {
  if (key === 'additionalProperties') return now === false && old !== false;
  return now !== undefined && now !== old;
}

function describe(key: string, old: unknown, now: unknown): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return OPEN.includes(old)
    ? `${key} ${text(now)} was added`
    : `${key} changed from ${text(old)} to ${text(now)}`;
}
