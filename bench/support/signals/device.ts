import type { SessionFactsInput } from '@vouchgraph/signals/internals/session/session-input';
import { BROWSER_MODELS, type BrowserModel, type BrowserName } from './browser-models.ts';
import { minutesAhead } from './people.ts';
import type { Random } from './random.ts';

/** A device in use: its facts and headers before any tampering. */
export type Device = {
  model: BrowserModel;
  userAgent: string;
  headers: Record<string, string>;
  browser: NonNullable<SessionFactsInput['browser']>;
  device: NonNullable<SessionFactsInput['device']>;
  checks: Record<string, unknown>;
};

type Settings = { timezone: string; languages: readonly string[]; at: Date };

/** An unmodified browser on ordinary hardware, with the clock and languages of its user. */
export function openBrowser(name: BrowserName, settings: Settings, random: Random): Device {
  const model: BrowserModel = BROWSER_MODELS[name];
  const [gpuVendor, gpuRenderer] = random.pick(model.gpus);
  const [screenWidth, screenHeight, pixelRatio] = random.pick(model.screens);
  const languages = languagesOf(model, settings.languages);
  const clock = clockOf(settings);
  const context = {
    user_agent: model.userAgent,
    platform: model.platform,
    language: languages[0],
    languages,
    timezone: clock.timezone,
    timezone_offset_minutes: clock.timezone_offset_minutes,
    cpu_cores: random.pick(model.cores),
    webdriver: false,
  };
  const size = { screenWidth, screenHeight, pixelRatio };
  return {
    model,
    userAgent: model.userAgent,
    headers: headersOf(model, languages),
    browser: {
      userAgent: model.userAgent,
      language: languages[0]!,
      languages,
      timezone: clock.timezone,
      timezoneOffsetMinutes: clock.timezone_offset_minutes,
      platform: model.platform,
    },
    device: {
      gpu: gpuRenderer,
      cpuCores: context.cpu_cores,
      memory:
        model.engine === 'blink'
          ? random.weighted([
              [8, 80],
              [4, 20],
            ])
          : null,
      ...size,
      touchPoints: model.touchPoints,
    },
    checks: {
      ...engineChecks(model, languages, random),
      ...screenChecks(model, size, random),
      ...clock,
      locale: languages[0],
      gpu_vendor: gpuVendor,
      gpu_renderer: gpuRenderer,
      user_agent_data: model.hints && hintsOf(model.hints),
      worker: { ...context, webdriver: undefined },
      iframe: context,
      features: featuresOf(model),
      botd: botdOf(model, [gpuVendor, gpuRenderer], languages),
      ...honestRest(random),
    },
  };
}

/** Safari reveals only one language. */
function languagesOf({ engine }: BrowserModel, languages: readonly string[]): string[] {
  return engine === 'webkit' ? languages.slice(0, 1) : [...languages];
}

function clockOf({ timezone, at }: Settings) {
  const behind = (month: number) =>
    0 - minutesAhead(timezone, new Date(Date.UTC(at.getUTCFullYear(), month, 1)));
  return {
    timezone,
    timezone_offset_minutes: 0 - minutesAhead(timezone, at),
    january_offset_minutes: behind(0),
    july_offset_minutes: behind(6),
  };
}

function headersOf(model: BrowserModel, languages: readonly string[]): Record<string, string> {
  const accepted = languages
    .map((each, index) => (index === 0 ? each : `${each};q=0.${10 - index}`))
    .join(',');
  const headers = { 'user-agent': model.userAgent, 'accept-language': accepted };
  if (!model.hints) return headers;
  const { brand, version, chromium, platform, mobile } = model.hints;
  return {
    ...headers,
    'sec-ch-ua': `"${brand}";v="${version}", "Chromium";v="${chromium}", "Not/A)Brand";v="24"`,
    'sec-ch-ua-mobile': mobile ? '?1' : '?0',
    'sec-ch-ua-platform': `"${platform}"`,
  };
}

function hintsOf({ brand, version, chromium, platform, mobile }: NonNullable<BrowserModel['hints']>) {
  const brands = [
    { brand, version },
    { brand: 'Chromium', version: chromium },
    { brand: 'Not/A)Brand', version: '24' },
  ];
  return {
    brands,
    mobile,
    platform,
    platform_version: platform === 'Android' ? '15.0.0' : '10.0.0',
    architecture: mobile ? '' : 'x86',
    model: mobile ? 'SM-S911B' : '',
    full_version_list: brands.map((each) => ({ ...each, version: `${each.version}.0.7151.69` })),
  };
}

/** Constants of an engine: length of eval, vendor, productSub (WHATWG HTML, "navigator"). */
function engineChecks({ engine, isPhone }: BrowserModel, languages: readonly string[], random: Random) {
  const common = {
    webdriver: false,
    automation_globals: [],
    non_native: [],
    navigator_own_properties: [],
    proxy_traces: [],
  };
  const permission = random.weighted([
    ['default', 80],
    ['denied', 14],
    ['granted', 6],
  ]);
  const desktop = isPhone
    ? { plugins_count: 0, mime_types_count: 0 }
    : { plugins_count: 5, mime_types_count: 2 };
  const marks = {
    blink: { vendor: 'Google Inc.', product_sub: '20030107', eval_length: 33, has_chrome_object: true },
    gecko: { vendor: '', product_sub: '20100101', eval_length: 37, has_chrome_object: false },
    webkit: {
      vendor: 'Apple Computer, Inc.',
      product_sub: '20030107',
      eval_length: 37,
      has_chrome_object: false,
    },
  }[engine];
  return {
    ...common,
    ...desktop,
    ...marks,
    languages,
    notification_permission: permission,
    notification_permission_state: permission === 'default' ? 'prompt' : permission,
    heap_limit_bytes:
      engine === 'blink' ? random.pick([4_294_705_152, 2_172_649_472, 1_073_741_824]) : undefined,
  };
}

type Size = { screenWidth: number; screenHeight: number; pixelRatio: number };

function screenChecks(model: BrowserModel, { screenWidth, screenHeight }: Size, random: Random) {
  const isTouch = model.isPhone || (model.platform === 'MacIntel' && model.touchPoints > 0);
  const bar = isTouch ? 0 : random.pick([0, 40, 48, 25]);
  const outerWidth = isTouch ? screenWidth : random.whole(Math.round(screenWidth * 0.6), screenWidth);
  const outerHeight = isTouch
    ? screenHeight
    : random.whole(Math.round(screenHeight * 0.6), screenHeight - bar);
  return {
    screen_avail_width: screenWidth,
    screen_avail_height: screenHeight - bar,
    outer_width: outerWidth,
    outer_height: outerHeight,
    inner_width: outerWidth,
    inner_height: Math.max(200, outerHeight - random.whole(60, 140)),
    color_depth: model.engine === 'webkit' ? 24 : random.pick([24, 30]),
    pointer_fine: !isTouch,
    pointer_coarse: isTouch,
    hover: !isTouch,
    any_pointer_fine: !isTouch,
    touch_events: model.touchPoints > 0,
    orientation: screenWidth > screenHeight ? 'landscape-primary' : 'portrait-primary',
  };
}

/** Features that one engine alone has (MDN browser-compat-data). */
function featuresOf({ engine, isPhone, hints }: BrowserModel): Record<string, boolean> {
  const isBlink = engine === 'blink';
  const isGecko = engine === 'gecko';
  const isWebkit = engine === 'webkit';
  return {
    array_at: true,
    structured_clone: true,
    set_union: true,
    promise_try: true,
    user_agent_data: hints !== null,
    device_memory: isBlink,
    network_information: isBlink,
    battery: isBlink,
    bluetooth: isBlink && !isPhone,
    build_id: isGecko,
    moz_appearance: isGecko,
    moz_inner_screen: isGecko,
    webkit_gesture_event: isWebkit,
    apple_pay: isWebkit,
    webkit_touch_callout: isWebkit && isPhone,
    shared_worker: !(isBlink && isPhone),
    orientation_event: isPhone,
  };
}

/** Components of BotD as its sources return them. */
function botdOf(
  { engine, userAgent, isPhone }: BrowserModel,
  gpu: readonly string[],
  languages: readonly string[],
) {
  const kind = { blink: 'chrome', gecko: 'firefox', webkit: 'safari' }[engine];
  return {
    android: userAgent.includes('Android'),
    browserKind: kind,
    browserEngineKind: { blink: 'chromium', gecko: 'gecko', webkit: 'webkit' }[engine],
    documentFocus: true,
    userAgent,
    appVersion: userAgent.replace(/^Mozilla\//, ''),
    pluginsLength: isPhone ? 0 : 5,
    pluginsArray: true,
    mimeTypesConsistent: true,
    webGL: { vendor: gpu[0], renderer: gpu[1] },
    webDriver: false,
    languages: [languages],
    notificationPermissions: false,
    documentElementKeys: ['lang', 'class'],
    distinctiveProps: {},
  };
}

function honestRest(random: Random) {
  const image = random.whole(1, 1e9).toString(16);
  const sound = random.between(124, 125);
  return {
    canvas_first: image,
    canvas_second: image,
    canvas_blank: false,
    audio_first: sound,
    audio_second: sound,
    cookies: true,
    local_storage: true,
    indexed_db: true,
    service_worker: true,
    storage_quota_bytes: random.between(2e10, 6e11),
  };
}
