import {
  HIDDEN,
  hideText,
  maskDate,
  maskDomain,
  maskEmail,
  maskIp,
  maskName,
  maskNumber,
  maskPhone,
  maskSentence,
  maskShortened,
} from './mask-text.ts';

const TEXT_MASKS = {
  email: maskEmail,
  domain: maskDomain,
  phone: maskPhone,
  name: maskName,
  date: maskDate,
  ip: maskIp,
  number: maskNumber,
  sentence: maskSentence,
  shortened: maskShortened,
  text: hideText,
} as const satisfies Record<string, (text: string) => string>;

/** Kind of a personal text, which determines how much of it is shown. `text`: a text that a person wrote, or any other. */
type TextKind = keyof typeof TEXT_MASKS;

/**
 * Kind of a value.
 *
 * - `absent`: null in place of the value, such as coordinates.
 *
 * - `media`: null in place of the address of an image or a video, and an empty list of addresses.
 *
 * - `values`: JSON whose texts and numbers are all hidden.
 *
 * - `json`: JSON whose values are masked by their keys.
 *
 * - `json_text`: the same as a text.
 *
 * - `none`: shown as it is.
 */
export type MaskKind = TextKind | 'absent' | 'media' | 'values' | 'json' | 'json_text' | 'none';

/** The kind of the values under a key of JSON; undefined for an unknown key, whose texts and numbers are hidden. */
export type KindOfKey = (key: string) => MaskKind | undefined;

/** Masks a value by its kind. Lists are masked entry by entry. Never throws. */
export function maskValue(kind: MaskKind, value: unknown, kindOfKey: KindOfKey): unknown {
  if (kind === 'none' || value === null || value === undefined) return value;
  if (kind === 'absent') return null;
  if (kind === 'media') return Array.isArray(value) ? [] : null;
  if (kind === 'json') return maskJson(value, kindOfKey);
  if (kind === 'json_text') return maskJsonText(value, kindOfKey);
  if (Array.isArray(value)) return value.map((each) => maskValue(kind, each, kindOfKey));
  if (kind === 'values' || typeof value === 'object') return hideValues(value);
  return typeof value === 'string' ? TEXT_MASKS[kind](value) : hideScalar(value);
}

/** Ids and times identify no person. */
const PLAIN = /^([\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z)$/i;

/** Masks JSON by the keys of its values. Values in a list have the key of the list. */
function maskJson(value: unknown, kindOfKey: KindOfKey, key: string | null = null): unknown {
  if (Array.isArray(value)) return value.map((each) => maskJson(each, kindOfKey, key));
  if (isObject(value)) {
    return mapEntries(value, (child, name) => {
      const kind = kindOfKey(name);
      // An object under a known key has keys of its own.
      const isMaskedWhole =
        kind === 'values' || kind === 'absent' || kind === 'media' || kind === 'json_text';
      return isMaskedWhole ? maskValue(kind, child, kindOfKey) : maskJson(child, kindOfKey, name);
    });
  }
  if (typeof value === 'string' && PLAIN.test(value)) return value;
  const kind = key === null ? undefined : kindOfKey(key);
  if (kind === undefined || kind === 'json') return hideScalar(value);
  return maskValue(kind, value, kindOfKey);
}

/** JSON as text, masked by its keys; hidden if it is no JSON. */
function maskJsonText(value: unknown, kindOfKey: KindOfKey): unknown {
  if (typeof value !== 'string') return maskJson(value, kindOfKey);
  try {
    return JSON.stringify(maskJson(JSON.parse(value), kindOfKey));
  } catch {
    return hideText(value);
  }
}

/** JSON with all of its texts and numbers hidden. Keys that are no words are hidden too. */
function hideValues(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(hideValues);
  return isObject(value) ? mapEntries(value, hideValues) : hideScalar(value);
}

function hideScalar(value: unknown): unknown {
  if (value === null || value === undefined || typeof value === 'boolean') return value;
  return typeof value === 'string' ? hideText(value) : HIDDEN;
}

/** Numbers that keep their text are objects without keys of their own. */
function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !('rawJSON' in value && Object.isFrozen(value));
}

const WORD = /^[a-z_][\w.:-]{0,63}$/i;

function mapEntries(
  value: Record<string, unknown>,
  mapped: (child: unknown, key: string) => unknown,
): Record<string, unknown> {
  const entries = Object.entries(value).map(([key, child], index): [string, unknown] => [
    isShownKey(key) ? key : `${HIDDEN}${index + 1}`,
    mapped(child, key),
  ]);
  return Object.fromEntries(entries);
}

/** Words and short numbers are names of properties. Other keys can be values, such as addresses. */
function isShownKey(key: string): boolean {
  return WORD.test(key) || /^\d{1,4}(_[a-z]+)?$/.test(key);
}
