import { chromium, contexts, firefox, HELD, type HonestProfile, safari } from './browser-profiles.ts';
import { USER_AGENTS } from './user-agents.ts';

const D3D = (card: string) => `ANGLE (${card} Direct3D11 vs_5_0 ps_5_0, D3D11)`;
const RTX = D3D('NVIDIA, NVIDIA GeForce RTX 4060 (0x00002882)');
const MESA = 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)';
const ADRENO = 'ANGLE (Qualcomm, Adreno (TM) 740, OpenGL ES 3.2)';
const PHONE = { screenWidth: 412, screenHeight: 915, pixelRatio: 2.625, touchPoints: 5 };
const IPHONE = { screenWidth: 393, screenHeight: 852, pixelRatio: 3, touchPoints: 5, cpuCores: 4 };
const IPAD = { screenWidth: 820, screenHeight: 1180, pixelRatio: 2, touchPoints: 5, cpuCores: 8 };

const windows = { platform: 'Win32', hinted: 'Windows', gpu: RTX };
const linux = { platform: 'Linux x86_64', hinted: 'Linux', gpu: MESA };
const android = { platform: 'Linux armv81', hinted: 'Android', gpu: ADRENO, device: PHONE, checks: HELD };
const iphone = { platform: 'iPhone', gpu: 'Apple GPU', device: IPHONE, checks: HELD };

const ESR = [
  'iterator_map',
  'promise_try',
  'float16_array',
  'regexp_escape',
  'uint8_array_from_base64',
  'css_anchor_position',
];
const IPAD_AS_MAC = { userAgent: USER_AGENTS.safariMac, platform: 'MacIntel', gpu: 'Apple GPU' };

/** Expected device codes of each: only true ones. */
export const HONEST_MOBILES: Record<string, HonestProfile> = {
  'Firefox on Android': [
    firefox({
      userAgent: USER_AGENTS.firefoxAndroid,
      platform: 'Linux aarch64',
      gpu: 'Adreno (TM) 650, or similar',
      device: PHONE,
      checks: HELD,
    }),
  ],
  'Safari on an iPhone': [safari({ ...iphone, userAgent: USER_AGENTS.safariIphone })],
  'Safari on an iPhone that names no graphics and no touch points': [
    safari({
      ...iphone,
      userAgent: USER_AGENTS.safariIphone,
      gpu: '',
      device: { ...IPHONE, touchPoints: null },
    }),
  ],
  'an old iPhone': [
    safari({
      ...iphone,
      userAgent:
        'Mozilla/5.0 (iPhone; CPU iPhone OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1',
      gpu: 'PowerVR SGX 554',
      missing: [
        ...ESR,
        'array_at',
        'object_has_own',
        'array_find_last',
        'array_to_sorted',
        'css_has',
        'css_nesting',
      ],
    }),
  ],
  'Chrome on an iPhone': [safari({ ...iphone, userAgent: USER_AGENTS.chromeIphone })],
  'Instagram on an iPhone': [safari({ ...iphone, userAgent: USER_AGENTS.instagramIphone })],
  'Safari on an iPad, a Mac to the window and an iPad to its worker': [
    safari({
      ...IPAD_AS_MAC,
      device: IPAD,
      checks: {
        ...HELD,
        worker: { user_agent: USER_AGENTS.safariMac, platform: 'iPad', languages: ['en-US'], cpu_cores: 8 },
      },
    }),
  ],
  'Chrome on an iPad, with the version of an old Safari': [
    safari({
      ...IPAD_AS_MAC,
      userAgent:
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/137 Version/11.1.1 Safari/605.1.15',
      device: IPAD,
      checks: HELD,
    }),
  ],
  'Chrome on Android': [
    chromium({ ...android, userAgent: USER_AGENTS.chromeAndroid, major: 137, mobile: true }),
  ],
  'Chrome on Android, turned while the page looks, in Mexico with rules of years ago': [
    chromium({
      ...android,
      userAgent: USER_AGENTS.chromeAndroid,
      major: 137,
      mobile: true,
      browser: { timezone: 'America/Mexico_City', timezoneOffsetMinutes: 300 },
      checks: {
        ...HELD,
        screen_avail_width: 915,
        screen_avail_height: 412,
        timezone: 'America/Mexico_City',
        ...contexts({ ...android, userAgent: USER_AGENTS.chromeAndroid }, 8, {
          timezone: 'America/Mexico_City',
        }),
      },
    }),
  ],
  'Chrome on Android that asks for the desktop page': [
    chromium({ ...android, userAgent: USER_AGENTS.chromeLinux, hinted: 'Linux', major: 137 }),
  ],
  'a browser on the web view of Android that asks for the desktop page': [
    chromium({
      ...android,
      userAgent: USER_AGENTS.chromeLinux,
      major: 137,
      mobile: true,
      brand: 'Android WebView',
    }),
  ],
  'Facebook on Android': [
    chromium({
      ...android,
      userAgent: `${USER_AGENTS.webView} [FB_IAB/FB4A;FBAV/512.0.0.58.80;]`,
      major: 137,
      mobile: true,
      brand: 'Android WebView',
      checks: { ...HELD, ...contexts({ ...android, userAgent: USER_AGENTS.webView }, 8, {}) },
    }),
  ],
  'Samsung Internet': [
    chromium({
      ...android,
      userAgent: USER_AGENTS.samsung,
      major: 130,
      mobile: true,
      brand: 'Samsung Internet',
      gpu: 'ANGLE (Samsung Electronics Co., Ltd., Xclipse 940, OpenGL ES 3.2)',
      missing: ['regexp_escape', 'float16_array', 'uint8_array_from_base64'],
    }),
  ],
  'Samsung Internet on a large screen with a mouse': [
    chromium({
      ...linux,
      userAgent:
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Safari/537.36',
      platform: 'Linux armv8l',
      major: 130,
      brand: 'Samsung Internet',
      gpu: ADRENO,
      device: { touchPoints: 10 },
      missing: ['regexp_escape', 'float16_array', 'uint8_array_from_base64'],
    }),
  ],
  'a television of LG': [
    chromium({
      ...linux,
      userAgent:
        'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.88 Safari/537.36 WebAppManager',
      platform: 'Linux armv7l',
      major: 87,
      gpu: 'Mali-G71',
      checks: { user_agent_data: null, features: { array_at: false, css_has: false, device_memory: true } },
      headers: { 'sec-ch-ua': '', 'sec-ch-ua-platform': '' },
    }),
  ],
  'a PlayStation 5': [
    safari({
      userAgent:
        'Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15',
      platform: 'PlayStation 5',
      gpu: '',
      missing: [...ESR, 'object_group_by', 'promise_with_resolvers', 'set_union', 'css_nesting'],
      checks: { touch_events: false },
    }),
  ],
  'Edge on an Xbox': [
    chromium({
      ...windows,
      userAgent:
        'Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0',
      major: 137,
      brand: 'Microsoft Edge',
      gpu: D3D('AMD, AMD Xbox Series X'),
    }),
  ],
  'a page made with Angular and polyfills': [
    chromium({
      ...windows,
      userAgent: USER_AGENTS.chromeWindows,
      major: 137,
      checks: {
        non_native: [
          'Function.toString',
          'Intl.DateTimeFormat.resolvedOptions',
          'MediaDevices.enumerateDevices',
        ],
        navigator_own_properties: ['globalPrivacyControl', 'sendBeacon', 'credentials'],
      },
    }),
  ],
  'an hour before the clocks change': [
    chromium({
      ...windows,
      userAgent: USER_AGENTS.chromeWindows,
      major: 137,
      startTime: new Date('2025-03-09T07:00:00Z'),
    }),
  ],
};
