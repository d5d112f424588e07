import { BotKind, detectors } from '@fingerprintjs/botd';

/*
 * BotD's own rules, applied here to the raw components that a page sent; the verdict of the page is never used. The
 * rules need no document, but trust their input, so that components of the wrong type are dropped first.
 */

type Components = Parameters<typeof detectors.detectAppVersion>[0];
type Detector = keyof typeof detectors;
type Raw = Readonly<Record<string, unknown>>;

const isText = (value: unknown) => typeof value === 'string';
const isBoolean = (value: unknown) => typeof value === 'boolean';
const isNumber = (value: unknown) => typeof value === 'number';
const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value);

const COMPONENTS: Readonly<Record<string, (value: unknown) => boolean>> = {
  android: isBoolean,
  browserKind: isText,
  browserEngineKind: isText,
  documentFocus: isBoolean,
  userAgent: isText,
  appVersion: isText,
  windowSize: isObject,
  pluginsLength: isNumber,
  pluginsArray: isBoolean,
  errorTrace: isText,
  windowExternal: isText,
  mimeTypesConsistent: isBoolean,
  webGL: isObject,
  webDriver: isBoolean,
  languages: Array.isArray,
  notificationPermissions: isBoolean,
  documentElementKeys: Array.isArray,
  process: isObject,
};

/** BotD's states of a component that was found, and of one that the browser does not have. */
const FOUND = 0;
const MISSING = { state: -1, error: '' };

/** Raw components in the form that BotD's rules accept; missing and ill-typed ones have the state of missing ones. */
export function botdComponents(raw: Raw): Components {
  const entries = Object.entries(COMPONENTS).map(([name, isValid]) => {
    const value = Object.hasOwn(raw, name) ? raw[name] : undefined;
    return [name, isValid(value) ? { state: FOUND, value } : MISSING];
  });
  return Object.fromEntries(entries) as unknown as Components;
}

/** Whether one rule of BotD finds a bot. */
export function botdFinds(detector: Detector, components: Components): boolean {
  return Boolean(detectors[detector](components));
}

const BOT_KINDS: ReadonlySet<string> = new Set(Object.values(BotKind));

/** The kinds of bot whose distinctive properties the page found. */
export function botdDistinctiveKinds(raw: Raw): string[] {
  const found = raw.distinctiveProps;
  if (!isObject(found)) return [];
  return Object.entries(found as Raw).flatMap(([kind, exists]) =>
    exists === true && BOT_KINDS.has(kind) ? kind : [],
  );
}
