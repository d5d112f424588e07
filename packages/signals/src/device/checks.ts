/*
 * The raw values of the consistency checks, as a page collects them in `checks` of a session. All values are claims and
 * may be missing; a value of the wrong type counts as missing. The server computes verdicts from them.
 *
 * On the wire names are in snake_case, as `user_agent_data.full_version_list`.
 */

/** A brand of the user agent client hints. */
export type Brand = { brand: string; version: string };

/** navigator.userAgentData; undefined where the browser has none (Firefox, Safari). */
export type UserAgentData = {
  brands: Brand[];
  mobile: boolean | null;
  platform: string;
  platformVersion: string;
  architecture: string;
  model: string;
  fullVersionList: Brand[];
};

/** Values of the browser in another execution context (a worker, an iframe) of the same page. */
export type ContextValues = {
  userAgent: string;
  platform: string;
  language: string;
  languages: string[] | null;
  timezone: string;
  timezoneOffsetMinutes: number | null;
  cpuCores: number | null;
  webdriver: boolean | null;
};

export type Checks = {
  /** navigator.webdriver. */
  webdriver: boolean | null;
  /** Names of globals and attributes that automation tools leave on window, document or the root element. */
  automationGlobals: string[];
  /** Whether a debugger protocol client serializes what the page logs (Runtime.enable). */
  debuggerAttached: boolean | null;
  /** Components of BotD, by name, as its sources return them, without errors. */
  botd: Record<string, unknown> | null;

  outerWidth: number | null;
  outerHeight: number | null;
  innerWidth: number | null;
  innerHeight: number | null;
  screenAvailWidth: number | null;
  screenAvailHeight: number | null;
  colorDepth: number | null;

  pluginsCount: number | null;
  mimeTypesCount: number | null;
  /** Whether window.chrome exists. */
  hasChromeObject: boolean | null;
  /** Notification.permission, and the same permission by the Permissions API. */
  notificationPermission: string;
  notificationPermissionState: string;
  /** navigator.vendor and navigator.productSub: fixed for each engine. */
  vendor: string;
  productSub: string;
  /** Length of eval.toString(): 33 in V8, 37 in SpiderMonkey and JavaScriptCore. */
  evalLength: number | null;
  /** Available features by name; feature-versions.ts has their engines and versions. */
  features: Record<string, boolean>;

  userAgentData: UserAgentData | null;
  worker: ContextValues | null;
  iframe: ContextValues | null;

  /** Functions and getters of the page that are not native code any more, as `Navigator.userAgent`. */
  nonNative: string[];
  /** Properties that a script defined on navigator itself; browsers have them on its prototype. */
  navigatorOwnProperties: string[];
  /** Signs of a Proxy in front of a built-in object, as wrong errors or stacks. */
  proxyTraces: string[];

  /** Intl.DateTimeFormat().resolvedOptions().timeZone. */
  timezone: string;
  /** Date#getTimezoneOffset now, on 1 January and on 1 July of the same year. */
  timezoneOffsetMinutes: number | null;
  januaryOffsetMinutes: number | null;
  julyOffsetMinutes: number | null;
  /** Intl.DateTimeFormat().resolvedOptions().locale. */
  locale: string;

  /** Unmasked WebGL vendor and renderer. */
  gpuVendor: string;
  gpuRenderer: string;

  /** Two renders of one canvas: hashes, and whether the image was blank. */
  canvasFirst: string;
  canvasSecond: string;
  canvasBlank: boolean | null;
  /** Two sums over one offline audio rendering. */
  audioFirst: number | null;
  audioSecond: number | null;

  cookies: boolean | null;
  localStorage: boolean | null;
  indexedDb: boolean | null;
  /** navigator.storage.estimate().quota in bytes: small in private windows. */
  storageQuotaBytes: number | null;
  serviceWorker: boolean | null;
  /** performance.memory.jsHeapSizeLimit in bytes. */
  heapLimitBytes: number | null;

  /** Media queries pointer:fine, pointer:coarse, hover:hover and any-pointer:fine. */
  pointerFine: boolean | null;
  pointerCoarse: boolean | null;
  hover: boolean | null;
  anyPointerFine: boolean | null;
  /** Whether the browser has touch events. */
  touchEvents: boolean | null;
  orientation: string;
  /** Labels of cameras; available only after the person allowed the camera. */
  cameraLabels: string[];
  /** Standard deviation of the time between camera frames in milliseconds, over at least 30 frames. */
  cameraFrameJitterMs: number | null;

  /** Public addresses that WebRTC found through a STUN server of the operator's own. */
  webrtcAddresses: string[];
  /** Shortest round trip of a small request, in milliseconds, as the page measured it. */
  appRttMs: number | null;

  /** Whether a form was sent while the script watched. */
  formCompleted: boolean | null;
  /** Milliseconds from the start to the first event of a person. */
  firstEventMs: number | null;
  /** Times between key presses: number, mean and standard deviation in milliseconds. */
  keyIntervalCount: number | null;
  keyIntervalMeanMs: number | null;
  keyIntervalDeviationMs: number | null;
  /** Number of fields whose value was only pasted, and of all filled fields. */
  pastedFields: number | null;
  filledFields: number | null;
  /** Events that a script made (isTrusted false). */
  untrustedEvents: number | null;

  /** Paths, properties, packages and hooks that an app found on a phone, as `su`, `test-keys`, `frida`, `qemu`. */
  rootIndicators: string[];
  emulatorIndicators: string[];
  hookIndicators: string[];
  /** Whether the app's signature and package are its own; null when the app did not check. */
  appSignatureValid: boolean | null;
  /** Number of consecutive location fixes that were equal to the last digit. */
  repeatedFixes: number | null;
};

type Raw = Readonly<Record<string, unknown>>;

const MAX_TEXT_LENGTH = 1024;
const MAX_ITEMS = 64;

/** Parses the `checks` of a page. */
export function parseChecks(raw: Raw): Checks {
  return {
    webdriver: bool(raw.webdriver),
    automationGlobals: texts(raw.automation_globals),
    debuggerAttached: bool(raw.debugger_attached),
    botd: record(raw.botd),
    outerWidth: number(raw.outer_width),
    outerHeight: number(raw.outer_height),
    innerWidth: number(raw.inner_width),
    innerHeight: number(raw.inner_height),
    screenAvailWidth: number(raw.screen_avail_width),
    screenAvailHeight: number(raw.screen_avail_height),
    colorDepth: number(raw.color_depth),
    pluginsCount: number(raw.plugins_count),
    mimeTypesCount: number(raw.mime_types_count),
    hasChromeObject: bool(raw.has_chrome_object),
    notificationPermission: text(raw.notification_permission),
    notificationPermissionState: text(raw.notification_permission_state),
    vendor: text(raw.vendor),
    productSub: text(raw.product_sub),
    evalLength: number(raw.eval_length),
    features: features(raw.features),
    userAgentData: userAgentData(record(raw.user_agent_data)),
    worker: contextValues(record(raw.worker)),
    iframe: contextValues(record(raw.iframe)),
    nonNative: texts(raw.non_native),
    navigatorOwnProperties: texts(raw.navigator_own_properties),
    proxyTraces: texts(raw.proxy_traces),
    timezone: text(raw.timezone),
    timezoneOffsetMinutes: number(raw.timezone_offset_minutes),
    januaryOffsetMinutes: number(raw.january_offset_minutes),
    julyOffsetMinutes: number(raw.july_offset_minutes),
    locale: text(raw.locale),
    gpuVendor: text(raw.gpu_vendor),
    gpuRenderer: text(raw.gpu_renderer),
    canvasFirst: text(raw.canvas_first),
    canvasSecond: text(raw.canvas_second),
    canvasBlank: bool(raw.canvas_blank),
    audioFirst: number(raw.audio_first),
    audioSecond: number(raw.audio_second),
    cookies: bool(raw.cookies),
    localStorage: bool(raw.local_storage),
    indexedDb: bool(raw.indexed_db),
    storageQuotaBytes: number(raw.storage_quota_bytes),
    serviceWorker: bool(raw.service_worker),
    heapLimitBytes: number(raw.heap_limit_bytes),
    pointerFine: bool(raw.pointer_fine),
    pointerCoarse: bool(raw.pointer_coarse),
    hover: bool(raw.hover),
    anyPointerFine: bool(raw.any_pointer_fine),
    touchEvents: bool(raw.touch_events),
    orientation: text(raw.orientation),
    cameraLabels: texts(raw.camera_labels),
    cameraFrameJitterMs: number(raw.camera_frame_jitter_ms),
    webrtcAddresses: texts(raw.webrtc_addresses),
    appRttMs: number(raw.app_rtt_ms),
    formCompleted: bool(raw.form_completed),
    firstEventMs: number(raw.first_event_ms),
    keyIntervalCount: number(raw.key_interval_count),
    keyIntervalMeanMs: number(raw.key_interval_mean_ms),
    keyIntervalDeviationMs: number(raw.key_interval_deviation_ms),
    pastedFields: number(raw.pasted_fields),
    filledFields: number(raw.filled_fields),
    untrustedEvents: number(raw.untrusted_events),
    rootIndicators: texts(raw.root_indicators),
    emulatorIndicators: texts(raw.emulator_indicators),
    hookIndicators: texts(raw.hook_indicators),
    appSignatureValid: bool(raw.app_signature_valid),
    repeatedFixes: number(raw.repeated_fixes),
  };
}

function userAgentData(raw: Raw | null): UserAgentData | null {
  if (!raw) return null;
  return {
    brands: brands(raw.brands),
    mobile: bool(raw.mobile),
    platform: text(raw.platform),
    platformVersion: text(raw.platform_version),
    architecture: text(raw.architecture),
    model: text(raw.model),
    fullVersionList: brands(raw.full_version_list),
  };
}

function contextValues(raw: Raw | null): ContextValues | null {
  if (!raw) return null;
  return {
    userAgent: text(raw.user_agent),
    platform: text(raw.platform),
    language: text(raw.language),
    languages: Array.isArray(raw.languages) ? texts(raw.languages) : null,
    timezone: text(raw.timezone),
    timezoneOffsetMinutes: number(raw.timezone_offset_minutes),
    cpuCores: number(raw.cpu_cores),
    webdriver: bool(raw.webdriver),
  };
}

function brands(value: unknown): Brand[] {
  return items(value).flatMap((each) => {
    const raw = record(each);
    return raw ? [{ brand: text(raw.brand), version: text(raw.version) }] : [];
  });
}

function features(value: unknown): Record<string, boolean> {
  const entries = Object.entries(record(value) ?? {}).slice(0, MAX_ITEMS);
  return Object.fromEntries(
    entries.filter((entry): entry is [string, boolean] => typeof entry[1] === 'boolean'),
  );
}

function items(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, MAX_ITEMS) : [];
}

function texts(value: unknown): string[] {
  return items(value).flatMap((each) => text(each) || []);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value.slice(0, MAX_TEXT_LENGTH) : '';
}

function number(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

function bool(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

function record(value: unknown): Raw | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Raw) : null;
}
