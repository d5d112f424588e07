import type { Catalogue, FieldSynonyms } from './catalogue.ts';
import { nearestName, typosBetween } from './nearest-name.ts';
import { fieldsWithWords } from './shared-words.ts';

/** Two typing errors are likelier than a common word. One is likelier than a synonym too. */
const MAX_TYPOS = 2;
const MAX_LENGTH = 100;

/** The fields that a name most likely means, the likeliest first: similar in spelling, in meaning, or with common words. */
export function suggestedFields(catalogue: Catalogue, written: string): readonly string[] {
  const { synonyms, metadata } = catalogue;
  const names = Object.keys(catalogue.fields);
  if (written.length > MAX_LENGTH) return [];
  const near = nearestName(written, names);
  const typos = near === null ? Infinity : typosBetween(written.toLowerCase(), near.toLowerCase());
  if (near !== null && typos <= 1) return [near];
  const path = foreignMetadataPath(catalogue, written);
  if (path !== null) return [`${metadata.root}.${path}`];
  const word = snakeCase(written);
  const whole = synonymsOf(synonyms, word);
  if (whole) return whole;
  const meant = synonymsOf(synonyms, word.slice(word.lastIndexOf('.') + 1)) ?? [];
  const own = startingWith(word.slice(0, word.lastIndexOf('.') + 1), meant);
  if (own.length > 0) return own;
  if (near !== null && typos <= MAX_TYPOS) return [near];
  const { fields, isClose } = fieldsWithWords(word, names, synonyms.groups);
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

function synonymsOf({ fields }: FieldSynonyms, word: string): readonly string[] | null {
  return Object.hasOwn(fields, word) ? fields[word]! : null;
}

/** The path in the metadata of a name that begins with another word for the root: `plan` of `user.meta.plan`. */
function foreignMetadataPath({ metadata: { root }, synonyms }: Catalogue, written: string): string | null {
  const group = root.slice(0, root.indexOf('.') + 1);
  const words = Object.keys(synonyms.groups).filter((word) => `${synonyms.groups[word]}.` === group);
  const groups = [group, ...words.map((word) => `${word}.`), ''];
  const lower = written.toLowerCase();
  const start = groups
    .flatMap((each) => synonyms.metadata.map((word) => `${each}${word}.`))
    .find((each) => lower.startsWith(each));
  return start === undefined || start.length === written.length ? null : written.slice(start.length);
}

/** `ipAddress` and `IP-Address` as `ip_address`. */
function snakeCase(name: string): string {
  return name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
