import { FIELD_SYNONYMS } from './field-synonyms.ts';
import { METADATA } from './metadata-path.ts';
import { nearestName, typosBetween } from './nearest-name.ts';

/** One or two typing errors are likelier than a synonym. */
const MAX_SUGGESTED_TYPOS = 2;
const MAX_LENGTH = 100;
const FOREIGN_METADATA = /^(?:(?:account|user|customer)\.)?(?:metadata|meta|custom|attributes)\.(.+)$/i;

/** The fields that a name most likely means, the likeliest first: similar in spelling or in meaning. */
export function suggestedFields(written: string, names: readonly string[]): readonly string[] {
  if (written.length > MAX_LENGTH) return [];
  const near = nearestName(written, names);
  if (near !== null && typosBetween(written.toLowerCase(), near.toLowerCase()) <= MAX_SUGGESTED_TYPOS)
    return [near];
  const key = FOREIGN_METADATA.exec(written)?.[1];
  if (key !== undefined) return [`${METADATA}.${key}`];
  const word = snakeCase(written);
  const meant = synonymsOf(word) ?? synonymsOf(word.slice(word.lastIndexOf('.') + 1));
  return meant ? preferred(meant, word) : near === null ? [] : [near];
}

function synonymsOf(word: string): readonly string[] | null {
  return Object.hasOwn(FIELD_SYNONYMS, word) ? FIELD_SYNONYMS[word]! : null;
}

/** Those of the group that the name begins with, where there are any. */
function preferred(fields: readonly string[], word: string): readonly string[] {
  const group = word.slice(0, word.indexOf('.') + 1);
  const own = group === '' ? [] : fields.filter((field) => field.startsWith(group));
  return own.length > 0 ? own : fields;
}

/** `ipAddress` and `IP-Address` as `ip_address`. */
function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
