import { FIELD_SYNONYMS } from './field-synonyms.ts';
import { METADATA } from './metadata-path.ts';
import { nearestName, typosBetween } from './nearest-name.ts';
import { fieldsWithWords } from './shared-words.ts';

/** Two typing errors are likelier than a common word. One is likelier than a synonym too. */
const MAX_TYPOS = 2;
const MAX_LENGTH = 100;
const FOREIGN_METADATA = /^(?:(?:account|user|customer)\.)?(?:metadata|meta|custom|attributes)\.(.+)$/i;

/** The fields that a name most likely means, the likeliest first: similar in spelling, in meaning, or with common words. */
export function suggestedFields(written: string, names: readonly string[]): readonly string[] {
  if (written.length > MAX_LENGTH) return [];
  const near = nearestName(written, names);
  const typos = near === null ? Infinity : typosBetween(written.toLowerCase(), near.toLowerCase());
  if (near !== null && typos <= 1) return [near];
  const key = FOREIGN_METADATA.exec(written)?.[1];
  if (key !== undefined) return [`${METADATA}.${key}`];
  const word = snakeCase(written);
  const whole = synonymsOf(word);
  if (whole) return whole;
  const meant = synonymsOf(word.slice(word.lastIndexOf('.') + 1)) ?? [];
  const own = startingWith(word.slice(0, word.lastIndexOf('.') + 1), meant);
  if (own.length > 0) return own;
  if (near !== null && typos <= MAX_TYPOS) return [near];
  const { fields, isClose } = fieldsWithWords(word, names);
  if (isClose && !meant.includes(fields[0]!)) return fields;
  const ofGroup = startingWith(word.slice(0, word.indexOf('.') + 1), meant);
  if (meant.length > 0) return ofGroup.length > 0 ? ofGroup : meant;
  if (fields.length > 0) return fields;
  return near !== null && !isInGroupOnly(word, near) ? [near] : [];
}

function startingWith(prefix: string, fields: readonly string[]): readonly string[] {
  return prefix === '' ? [] : fields.filter((field) => field.startsWith(prefix));
}

/** Whether the names are similar because of their equal group alone. */
function isInGroupOnly(word: string, near: string): boolean {
  const group = word.slice(0, word.indexOf('.') + 1);
  return near.startsWith(group) && nearestName(word.slice(group.length), [near.slice(group.length)]) === null;
}

function synonymsOf(word: string): readonly string[] | null {
  return Object.hasOwn(FIELD_SYNONYMS, word) ? FIELD_SYNONYMS[word]! : null;
}

/** `ipAddress` and `IP-Address` as `ip_address`. */
function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
