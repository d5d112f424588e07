import type { SessionFactsInput } from '../../../src/domain/sessions/session-input.ts';
import { timezoneOffsetMinutes } from '../../../src/domain/signals/timezones.ts';
import type { Random } from './random.ts';

/** What a browser of one kind tells of itself when nothing is disguised. */
export type Browser = {
  userAgent: string;
  headers: Record<string, string>;
  told: SessionFactsInput;
};

type Model = {
  userAgent: string;
  platform: string;
  gpu: string;
  touchPoints: number;
  screen: readonly [width: number, height: number];
  memory: number | null;
  engine: 'blink' | 'gecko' | 'webkit';
  /** Chromium version and platform of the client hints; null where there are none. */
  hints: { version: string; platform: string; mobile: boolean } | null;
};

const MODELS: readonly Model[] = [
  {
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
    platform: 'Win32',
    gpu: 'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Direct3D11 vs_5_0 ps_5_0, D3D11)',
    touchPoints: 0,
    screen: [1920, 1080],
    memory: 8,
    engine: 'blink',
    hints: { version: '137', platform: 'Windows', mobile: false },
  },
  {
    userAgent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0',
    platform: 'Win32',
    gpu: 'ANGLE (Intel, Intel(R) Iris(R) Xe Graphics Direct3D11 vs_5_0 ps_5_0, D3D11)',
    touchPoints: 10,
    screen: [1536, 864],
    memory: 8,
    engine: 'blink',
    hints: { version: '137', platform: 'Windows', mobile: false },
  },
  {
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
    platform: 'MacIntel',
    gpu: 'ANGLE (Apple, ANGLE Metal Renderer: Apple M2, Unspecified Version)',
    touchPoints: 0,
    screen: [1512, 982],
    memory: 8,
    engine: 'blink',
    hints: { version: '137', platform: 'macOS', mobile: false },
  },
  {
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
    platform: 'MacIntel',
    gpu: 'Apple GPU',
    touchPoints: 0,
    screen: [1728, 1117],
    memory: null,
    engine: 'webkit',
    hints: null,
  },
  {
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0',
    platform: 'Win32',
    gpu: 'ANGLE (Intel, Intel(R) HD Graphics Direct3D11 vs_5_0 ps_5_0), or similar',
    touchPoints: 0,
    screen: [1920, 1080],
    memory: null,
    engine: 'gecko',
    hints: null,
  },
  {
    userAgent:
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36',
    platform: 'Linux x86_64',
    gpu: 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)',
    touchPoints: 0,
    screen: [1920, 1200],
    memory: 8,
    engine: 'blink',
    hints: { version: '137', platform: 'Linux', mobile: false },
  },
];

const PHONES: readonly Model[] = [
  {
    userAgent:
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
    platform: 'iPhone',
    gpu: 'Apple GPU',
    touchPoints: 5,
    screen: [390, 844],
    memory: null,
    engine: 'webkit',
    hints: null,
  },
  {
    userAgent:
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36',
    platform: 'Linux armv81',
    gpu: 'Adreno (TM) 740',
    touchPoints: 5,
    screen: [412, 915],
    memory: 8,
    engine: 'blink',
    hints: { version: '137', platform: 'Android', mobile: true },
  },
];

export type BrowserWish = {
  phone?: boolean;
  /** Keeps the clock of this zone. */
  timezone: string;
  languages: string[];
  at: Date;
};

/** An honest browser with a person in front of it. */
export function honestBrowser(random: Random, wish: BrowserWish): Browser {
  const model = random.pick(wish.phone ? PHONES : MODELS);
  const { userAgent, hints } = model;
  return {
    userAgent,
    headers: {
      'user-agent': userAgent,
      'accept-language': `${wish.languages.join(',')};q=0.9`,
      ...(hints
        ? {
            'sec-ch-ua': `"Chromium";v="${hints.version}", "Not/A)Brand";v="24", "Google Chrome";v="${hints.version}"`,
            'sec-ch-ua-mobile': hints.mobile ? '?1' : '?0',
            'sec-ch-ua-platform': `"${hints.platform}"`,
          }
        : {}),
    },
    told: {
      source: 'web',
      browser: {
        language: wish.languages[0],
        languages: wish.languages,
        timezone: wish.timezone,
        timezoneOffsetMinutes: offsetOf(wish.timezone, wish.at),
        platform: model.platform,
      },
      device: {
        gpu: model.gpu,
        cpuCores: random.pick([4, 8, 10, 12, 16]),
        memory: model.memory,
        screenWidth: model.screen[0],
        screenHeight: model.screen[1],
        pixelRatio: random.pick([1, 1.25, 2, 3]),
        touchPoints: model.touchPoints,
      },
      bot: personCounts(random, wish.phone === true),
      checks: honestChecks(model, wish),
    },
  };
}

/** Date#getTimezoneOffset of a clock in the zone. */
export function offsetOf(timezone: string, at: Date): number {
  return -(timezoneOffsetMinutes(timezone, at) ?? 0);
}

function personCounts(random: Random, isPhone: boolean) {
  return {
    mouseNumEvents: isPhone ? 0 : random.between(40, 900),
    clickNumEvents: random.between(2, 25),
    keyboardNumEvents: random.between(0, 120),
    touchNumEvents: isPhone ? random.between(5, 80) : 0,
    clipboardNumEvents: random.chance(0.2) ? 1 : 0,
  };
}

function honestChecks(model: Model, wish: BrowserWish): Record<string, unknown> {
  const { engine, hints, userAgent, platform, gpu, screen } = model;
  const isPhone = model.touchPoints === 5;
  const context = {
    user_agent: userAgent,
    platform,
    language: wish.languages[0],
    languages: wish.languages,
    timezone: wish.timezone,
    webdriver: false,
  };
  return {
    webdriver: false,
    automation_globals: [],
    outer_width: screen[0],
    outer_height: screen[1],
    inner_width: screen[0],
    screen_avail_width: screen[0],
    screen_avail_height: screen[1] - (isPhone ? 0 : 40),
    color_depth: 24,
    plugins_count: isPhone ? 0 : 5,
    has_chrome_object: engine === 'blink' && !isPhone,
    vendor: engine === 'blink' ? 'Google Inc.' : engine === 'webkit' ? 'Apple Computer, Inc.' : '',
    product_sub: engine === 'gecko' ? '20100101' : '20030107',
    eval_length: engine === 'blink' ? 33 : 37,
    ...(hints
      ? {
          user_agent_data: {
            brands: [
              { brand: 'Not/A)Brand', version: '24' },
              { brand: 'Chromium', version: hints.version },
            ],
            mobile: hints.mobile,
            platform: hints.platform,
          },
        }
      : {}),
    worker: context,
    iframe: context,
    timezone: wish.timezone,
    timezone_offset_minutes: offsetOf(wish.timezone, wish.at),
    locale: wish.languages[0],
    gpu_renderer: gpu,
    canvas_first: 'a',
    canvas_second: 'a',
    cookies: true,
    local_storage: true,
    indexed_db: true,
    touch_events: model.touchPoints > 0,
    pointer_fine: !isPhone,
    pointer_coarse: isPhone,
    form_completed: true,
    key_interval_count: 20,
    key_interval_mean_ms: 180,
    key_interval_deviation_ms: 70,
  };
}
