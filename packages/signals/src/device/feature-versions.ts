import type { Engine } from './claimed-engine.ts';

type Since = Readonly<Record<Engine, number>>;

/**
 * First version of each engine with a feature, by @mdn/browser-compat-data 8.1.9 (Chrome, Firefox, Safari). Only
 * features of the language itself or of style sheets: others can be disabled in settings, embedded views and private
 * windows.
 */
const FEATURES: Readonly<Record<string, Since>> = {
  array_at: { Blink: 92, Gecko: 90, WebKit: 15.4 },
  object_has_own: { Blink: 93, Gecko: 92, WebKit: 15.4 },
  array_find_last: { Blink: 97, Gecko: 104, WebKit: 15.4 },
  array_to_sorted: { Blink: 110, Gecko: 115, WebKit: 16 },
  string_is_well_formed: { Blink: 111, Gecko: 119, WebKit: 16.4 },
  array_from_async: { Blink: 121, Gecko: 115, WebKit: 16.4 },
  object_group_by: { Blink: 117, Gecko: 119, WebKit: 17.4 },
  promise_with_resolvers: { Blink: 119, Gecko: 121, WebKit: 17.4 },
  set_union: { Blink: 122, Gecko: 127, WebKit: 17 },
  iterator_map: { Blink: 122, Gecko: 131, WebKit: 18.4 },
  promise_try: { Blink: 128, Gecko: 134, WebKit: 18.2 },
  regexp_escape: { Blink: 136, Gecko: 134, WebKit: 18.2 },
  float16_array: { Blink: 135, Gecko: 129, WebKit: 18.2 },
  uint8_array_from_base64: { Blink: 140, Gecko: 133, WebKit: 18.2 },
  css_has: { Blink: 105, Gecko: 121, WebKit: 15.4 },
  css_nesting: { Blink: 112, Gecko: 117, WebKit: 16.5 },
  css_anchor_position: { Blink: 125, Gecko: 147, WebKit: 26 },
};

const NAMES = Object.keys(FEATURES);

/** Features that no script can add to an older browser. The others have polyfills that many pages load. */
const NOT_ADDED_BY_SCRIPTS = ['float16_array', 'css_has', 'css_nesting', 'css_anchor_position'];

/** Flags and trials enable a feature a few releases early, and releases are rolled out in steps. */
const SLACK: Since = { Blink: 3, Gecko: 3, WebKit: 1 };

/** Features that contradict the version that a browser claims. */
export type FeatureContradictions = {
  /** Present, although the engine added them only later. */
  tooNew: string[];
  /** Missing, although the engine has had them for long. */
  missing: string[];
};

/** Compares the features of a page with those of the claimed engine at the claimed version. */
export function featureContradictions(
  features: Readonly<Record<string, boolean>>,
  engine: Engine,
  version: number,
): FeatureContradictions {
  const slack = SLACK[engine];
  const exists = (name: string) => features[name] === true;
  return {
    tooNew: NOT_ADDED_BY_SCRIPTS.filter((name) => exists(name) && FEATURES[name]![engine] >= version + slack),
    missing: NAMES.filter((name) => features[name] === false && FEATURES[name]![engine] + slack <= version),
  };
}
