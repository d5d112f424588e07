import type { SessionFacts } from '@vouchgraph/signals';
import { checksWith, factsWith } from './facts.ts';

/** Facts of a browser, as far as it differs from the others of its engine. */
export type Profile = {
  userAgent: string;
  platform: string;
  gpu: string;
  headers?: Record<string, string>;
  browser?: Partial<SessionFacts['browser']>;
  device?: Partial<SessionFacts['device']>;
  /** Names as in requests. */
  checks?: Record<string, unknown>;
  /** Features of the language that the version does not have yet. */
  missing?: readonly string[];
  startTime?: Date;
};

/** A browser that hides no fact, and the device codes that apply to it nevertheless. */
export type HonestProfile = readonly [SessionFacts, ...codes: string[]];

/** All features that a page tests, the newest last. */
const LANGUAGE_FEATURES = [
  'array_at',
  'object_has_own',
  'array_find_last',
  'css_has',
  'array_to_sorted',
  'string_is_well_formed',
  'css_nesting',
  'object_group_by',
  'promise_with_resolvers',
  'array_from_async',
  'set_union',
  'iterator_map',
  'css_anchor_position',
  'promise_try',
  'float16_array',
  'regexp_escape',
  'uint8_array_from_base64',
];

function featuresBut(missing: readonly string[], own: Record<string, boolean>): Record<string, boolean> {
  const language = LANGUAGE_FEATURES.map((name) => [name, !missing.includes(name)] as const);
  return { ...Object.fromEntries(language), ...own };
}

const DESKTOP = {
  pointer_fine: true,
  pointer_coarse: false,
  hover: true,
  any_pointer_fine: true,
  touch_events: false,
  orientation: 'landscape-primary',
};
/** Facts of a phone in the hand. */
export const HELD = {
  pointer_fine: false,
  pointer_coarse: true,
  hover: false,
  any_pointer_fine: false,
  touch_events: true,
  orientation: 'portrait-primary',
};

function withContexts(profile: Profile, cores: number | null, raw: Record<string, unknown>) {
  const context = {
    user_agent: profile.userAgent,
    platform: profile.platform,
    language: 'en-US',
    languages: ['en-US', 'en'],
    timezone: 'America/Chicago',
    timezone_offset_minutes: 300,
    cpu_cores: cores,
  };
  return { worker: context, iframe: { ...context, webdriver: false }, ...raw };
}

function facts(profile: Profile, engine: Record<string, unknown>, device: Partial<SessionFacts['device']>) {
  const { userAgent, platform, gpu, headers, browser, startTime } = profile;
  const input = { gpu, screenWidth: 1920, screenHeight: 1080, pixelRatio: 1, touchPoints: 0, ...device };
  const raw = {
    ...DESKTOP,
    webdriver: false,
    color_depth: 24,
    screen_avail_width: input.screenWidth,
    screen_avail_height: input.screenHeight,
    timezone: 'America/Chicago',
    timezone_offset_minutes: 300,
    january_offset_minutes: 360,
    july_offset_minutes: 300,
    locale: 'en-US',
    gpu_renderer: gpu,
    canvas_first: 'c1',
    canvas_second: 'c1',
    canvas_blank: false,
    audio_first: 74.5,
    audio_second: 74.5,
    cookies: true,
    local_storage: true,
    indexed_db: true,
    non_native: [],
    navigator_own_properties: [],
    proxy_traces: [],
    ...withContexts(profile, input.cpuCores ?? null, engine),
    ...profile.checks,
  };
  return factsWith({
    userAgent,
    headers: { 'user-agent': userAgent, 'accept-language': 'en-US,en;q=0.9', ...headers },
    browser: { platform, languages: ['en-US', 'en'], timezoneOffsetMinutes: 300, ...browser },
    device: { ...input, ...profile.device },
    checks: checksWith(raw),
    ...(startTime && { startTime }),
  });
}

type ChromiumProfile = Profile & {
  major: number;
  brand?: string;
  hinted: string;
  mobile?: boolean;
};

/** A browser on Chromium, with its client hints. */
export function chromium({
  major,
  brand = 'Google Chrome',
  hinted,
  mobile = false,
  ...profile
}: ChromiumProfile) {
  const version = String(major);
  const brands = [
    { brand: 'Not/A)Brand', version: '24' },
    { brand: 'Chromium', version },
    { brand, version: brand === 'Opera' ? '120' : version },
  ];
  const engine = {
    vendor: 'Google Inc.',
    product_sub: '20030107',
    eval_length: 33,
    has_chrome_object: true,
    heap_limit_bytes: 4_294_705_152,
    storage_quota_bytes: 10_737_418_240,
    features: featuresBut(profile.missing ?? ['uint8_array_from_base64'], {
      user_agent_data: true,
      device_memory: true,
      web_usb: !mobile,
    }),
    user_agent_data: {
      brands,
      mobile,
      platform: hinted,
      full_version_list: brands.map((each) => ({ ...each, version: `${each.version}.0.7151.61` })),
    },
  };
  const headers = {
    'sec-ch-ua': brands.map((each) => `"${each.brand}";v="${each.version}"`).join(', '),
    'sec-ch-ua-platform': `"${hinted}"`,
    'sec-ch-ua-mobile': mobile ? '?1' : '?0',
    ...profile.headers,
  };
  return facts({ ...profile, headers }, engine, { memory: 8, cpuCores: 8, ...profile.device });
}

/** A browser on Gecko. */
export function firefox(profile: Profile) {
  const engine = {
    vendor: '',
    product_sub: '20100101',
    eval_length: 37,
    has_chrome_object: false,
    storage_quota_bytes: 10_737_418_240,
    features: featuresBut(profile.missing ?? ['css_anchor_position'], {
      build_id: true,
      moz_inner_screen: true,
    }),
  };
  return facts(profile, engine, { cpuCores: 8, ...profile.device });
}

/** A browser on WebKit. */
export function safari(profile: Profile) {
  const engine = {
    vendor: 'Apple Computer, Inc.',
    product_sub: '20030107',
    eval_length: 37,
    has_chrome_object: false,
    storage_quota_bytes: 41_000_000_000,
    features: featuresBut(profile.missing ?? ['css_anchor_position'], {
      webkit_gesture_event: true,
      apple_pay: true,
    }),
  };
  return facts(profile, engine, { cpuCores: 8, ...profile.device });
}

/** The same values for the worker and the frame, except the given ones. */
export function contexts(profile: Profile, cores: number | null, changes: Record<string, unknown>) {
  const { worker, iframe } = withContexts(profile, cores, {});
  return { worker: { ...(worker as object), ...changes }, iframe: { ...(iframe as object), ...changes } };
}
