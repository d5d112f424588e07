import { attempt } from '../attempt.ts';

/*
 * Features by name. Since which version an engine has each is public (MDN browser-compat-data), so that the set
 * identifies the engine and its approximate version, whatever the user agent claims.
 */

type Page = Window & typeof globalThis;
type Probe = (page: Page) => boolean;

const has = (owner: unknown, name: string) =>
  ((typeof owner === 'object' && owner !== null) || typeof owner === 'function') && name in owner;

/** A built-in, by its path: written as a name, since the language of this file does not know them all. */
const at = (path: string): Probe => {
  const names = path.split('.');
  const last = names.pop()!;
  return (page) =>
    has(
      names.reduce<unknown>((owner, name) => (owner as Record<string, unknown> | undefined)?.[name], page),
      last,
    );
};
const css = (condition: string): Probe => {
  return (page) => page.CSS.supports(condition);
};

const PROBES: Readonly<Record<string, Probe>> = {
  // The language.
  array_at: at('Array.prototype.at'),
  object_has_own: at('Object.hasOwn'),
  array_find_last: at('Array.prototype.findLast'),
  array_to_sorted: at('Array.prototype.toSorted'),
  string_is_well_formed: at('String.prototype.isWellFormed'),
  array_from_async: at('Array.fromAsync'),
  object_group_by: at('Object.groupBy'),
  promise_with_resolvers: at('Promise.withResolvers'),
  set_union: at('Set.prototype.union'),
  iterator_map: at('Iterator.prototype.map'),
  promise_try: at('Promise.try'),
  regexp_escape: at('RegExp.escape'),
  float16_array: at('Float16Array'),
  uint8_array_from_base64: at('Uint8Array.fromBase64'),
  error_capture_stack_trace: at('Error.captureStackTrace'),
  error_is_error: at('Error.isError'),
  intl_duration_format: at('Intl.DurationFormat'),
  math_sum_precise: at('Math.sumPrecise'),
  // The platform.
  structured_clone: at('structuredClone'),
  url_can_parse: at('URL.canParse'),
  url_parse: at('URL.parse'),
  popover: at('HTMLElement.prototype.popover'),
  view_transitions: at('Document.prototype.startViewTransition'),
  navigation_api: at('navigation'),
  scheduler_yield: at('scheduler.yield'),
  css_has: css('selector(:has(a))'),
  css_nesting: css('selector(& a)'),
  css_anchor_position: css('anchor-name: --a'),
  // One engine or family alone.
  user_agent_data: at('navigator.userAgentData'),
  device_memory: at('navigator.deviceMemory'),
  network_information: at('navigator.connection'),
  battery: at('navigator.getBattery'),
  bluetooth: at('navigator.bluetooth'),
  web_usb: at('navigator.usb'),
  brave: at('navigator.brave'),
  build_id: at('navigator.buildID'),
  webkit_gesture_event: at('GestureEvent'),
  safari_push: at('safari.pushNotification'),
  apple_pay: at('ApplePaySession'),
  webkit_touch_callout: css('-webkit-touch-callout: none'),
  webkit_messages: at('webkit.messageHandlers'),
  moz_appearance: css('-moz-appearance: none'),
  moz_inner_screen: at('mozInnerScreenX'),
  install_trigger: at('InstallTrigger'),
  opera: at('opr'),
  samsung_internet: at('SamsungAnnotations'),
  shared_worker: at('SharedWorker'),
  orientation_event: at('onorientationchange'),
};

/** Features of the browser. A feature that cannot be determined is omitted. */
export function probeFeatures(page: Page): Record<string, boolean> {
  return Object.fromEntries(
    Object.entries(PROBES).flatMap(([name, probe]) => {
      const isThere = attempt<boolean | null>(() => probe(page), null);
      return isThere === null ? [] : [[name, isThere] as const];
    }),
  );
}
