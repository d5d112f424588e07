import {
  chromium,
  contexts,
  firefox,
  HELD,
  type HonestProfile,
  type Profile,
  safari,
} from './browser-profiles.ts';
import { USER_AGENTS } from './user-agents.ts';

const D3D = (card: string) => `ANGLE (${card} Direct3D11 vs_5_0 ps_5_0, D3D11)`;
const RTX = D3D('NVIDIA, NVIDIA GeForce RTX 4060 (0x00002882)');
const METAL = 'ANGLE (Apple, ANGLE Metal Renderer: Apple M3, Unspecified Version)';
const MESA = 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620 (KBL GT2), OpenGL 4.6)';
const UTC = { timezone: 'UTC', timezoneOffsetMinutes: 0 };
const UTC_CLOCK = {
  timezone: 'UTC',
  timezone_offset_minutes: 0,
  january_offset_minutes: 0,
  july_offset_minutes: 0,
};

const windows = { platform: 'Win32', hinted: 'Windows', gpu: RTX };
const mac = { platform: 'MacIntel', hinted: 'macOS', gpu: METAL };
const linux = { platform: 'Linux x86_64', hinted: 'Linux', gpu: MESA };

/** Firefox with resistFingerprinting: Windows to the server, the real system to the page, UTC to all. */
function resisting(profile: Profile & { pageUserAgent: string }) {
  const { pageUserAgent, ...rest } = profile;
  const seen = { user_agent: pageUserAgent, timezone: 'UTC', timezone_offset_minutes: 0, cpu_cores: 2 };
  return firefox({
    ...rest,
    gpu: 'Mozilla',
    browser: { ...UTC, ...rest.browser },
    device: { cpuCores: 2, screenWidth: 1400, screenHeight: 900, ...rest.device },
    checks: {
      ...UTC_CLOCK,
      canvas_second: 'c2',
      screen_avail_width: 1400,
      screen_avail_height: 900,
      ...contexts(rest, 2, seen),
      ...rest.checks,
    },
  });
}

const ESR = [
  'iterator_map',
  'promise_try',
  'float16_array',
  'regexp_escape',
  'uint8_array_from_base64',
  'css_anchor_position',
];
const DUCK = USER_AGENTS.safariMac.replace('Safari/605.1.15', 'Safari/605.1.15 Ddg/18.5');

/** Expected device codes of each: only true ones. */
export const HONEST_COMPUTERS: Record<string, HonestProfile> = {
  'Chrome on Windows': [chromium({ ...windows, userAgent: USER_AGENTS.chromeWindows, major: 137 })],
  'Chrome on a touch laptop with a zoomed page': [
    chromium({
      ...windows,
      userAgent: USER_AGENTS.chromeWindows,
      major: 137,
      gpu: D3D('Intel, Intel(R) Iris(R) Xe Graphics'),
      device: { touchPoints: 10, pixelRatio: 1.875, screenWidth: 1536, screenHeight: 864 },
      checks: { touch_events: true, screen_avail_width: 1536, screen_avail_height: 824 },
    }),
  ],
  'Chrome on a tablet with Windows, held upright': [
    chromium({
      ...windows,
      userAgent: USER_AGENTS.chromeWindows,
      major: 137,
      gpu: D3D('Qualcomm, Adreno X1-85'),
      device: { touchPoints: 10, screenWidth: 912, screenHeight: 1368, pixelRatio: 2 },
      checks: { ...HELD, screen_avail_width: 912, screen_avail_height: 1320 },
    }),
  ],
  'Chrome in a private window, its interface in another language': [
    chromium({
      ...windows,
      userAgent: USER_AGENTS.chromeWindows,
      major: 137,
      headers: { 'accept-language': 'de-DE,de;q=0.9' },
      browser: { languages: ['de-DE'], language: 'de-DE' },
      checks: contexts({ ...windows, userAgent: USER_AGENTS.chromeWindows }, 8, { languages: ['de-DE'] }),
    }),
  ],
  'Chrome before 138 in a private window': [
    chromium({
      ...windows,
      userAgent: USER_AGENTS.chromeWindows,
      major: 137,
      checks: { storage_quota_bytes: 3_400_000_000 },
    }),
    'private_browsing_or_storage_blocked',
  ],
  'Edge on Windows': [
    chromium({ ...windows, userAgent: USER_AGENTS.edge, major: 137, brand: 'Microsoft Edge' }),
  ],
  'Opera on Windows': [
    chromium({
      ...windows,
      userAgent: USER_AGENTS.opera,
      major: 135,
      brand: 'Opera',
      missing: ['regexp_escape', 'uint8_array_from_base64'],
    }),
  ],
  'Brave on Windows, with noise and processors of its own for each context': [
    chromium({
      ...windows,
      userAgent: USER_AGENTS.chromeWindows,
      major: 137,
      brand: 'Brave',
      checks: {
        canvas_second: 'c2',
        features: { brave: true, user_agent_data: true },
        ...contexts({ ...windows, userAgent: USER_AGENTS.chromeWindows }, 3, {}),
      },
    }),
    'canvas_or_audio_noise',
  ],
  'Chrome on a Mac': [chromium({ ...mac, userAgent: USER_AGENTS.chromeMac, major: 137 })],
  'Chrome on a Mac with Intel and AMD graphics': [
    chromium({
      ...mac,
      userAgent: USER_AGENTS.chromeMac,
      major: 137,
      gpu: 'ANGLE (AMD, ANGLE Metal Renderer: AMD Radeon Pro 5300M, Unspecified Version)',
    }),
  ],
  'Chrome on Linux': [
    chromium({ ...linux, userAgent: USER_AGENTS.chromeLinux, major: 137, device: { cpuCores: 384 } }),
  ],
  "Chrome on Windows' own Linux": [
    chromium({
      ...linux,
      userAgent: USER_AGENTS.chromeLinux,
      major: 137,
      gpu: 'ANGLE (Microsoft Corporation, D3D12 (NVIDIA GeForce RTX 3070), OpenGL 4.2)',
    }),
  ],
  'Chrome in a virtual machine': [
    chromium({
      ...linux,
      userAgent: USER_AGENTS.chromeLinux,
      major: 137,
      gpu: 'ANGLE (VMware, Inc., SVGA3D; build: RELEASE; LLVM;, OpenGL 4.3)',
    }),
    'virtual_machine_or_software_gpu',
  ],
  'a Chromebook used as a tablet': [
    chromium({
      ...linux,
      userAgent: USER_AGENTS.chromeOs,
      major: 137,
      hinted: 'Chrome OS',
      device: { touchPoints: 16, screenWidth: 800, screenHeight: 1280 },
      checks: { ...HELD, screen_avail_width: 800, screen_avail_height: 1232 },
    }),
  ],
  'a Chromebook with the chip of a phone': [
    chromium({
      ...linux,
      userAgent: USER_AGENTS.chromeOs,
      major: 137,
      hinted: 'Chrome OS',
      gpu: 'ANGLE (ARM, Mali-G57 MC2, OpenGL ES 3.2)',
    }),
  ],
  'Firefox on Windows': [
    firefox({
      userAgent: USER_AGENTS.firefoxWindows,
      platform: 'Win32',
      gpu: `${D3D('NVIDIA, NVIDIA GeForce GTX 980')}, or similar`,
    }),
  ],
  'Firefox on a Mac': [
    firefox({
      userAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:139.0) Gecko/20100101 Firefox/139.0',
      platform: 'MacIntel',
      gpu: 'Apple M1, or similar',
    }),
  ],
  'Firefox on a Mac that runs Linux': [
    firefox({
      userAgent: USER_AGENTS.firefoxLinux.replace('x86_64', 'aarch64'),
      platform: 'Linux aarch64',
      gpu: 'Apple M1 (G13G B1)',
    }),
  ],
  'Firefox on Linux that resists fingerprinting': [
    resisting({
      userAgent: USER_AGENTS.firefoxWindows,
      pageUserAgent: USER_AGENTS.firefoxLinux,
      platform: 'Linux x86_64',
      gpu: '',
    }),
    'canvas_or_audio_noise',
  ],
  'Tor Browser on a Mac, in a private window as always': [
    resisting({
      userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0',
      pageUserAgent: 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:128.0) Gecko/20100101 Firefox/128.0',
      platform: 'MacIntel',
      gpu: '',
      missing: ESR,
      browser: { timezone: 'Atlantic/Reykjavik', timezoneOffsetMinutes: 0 },
      checks: { canvas_blank: true, indexed_db: false, timezone: 'Atlantic/Reykjavik' },
    }),
    'canvas_or_audio_noise',
    'private_browsing_or_storage_blocked',
  ],
  'Safari on a Mac': [safari({ userAgent: USER_AGENTS.safariMac, platform: 'MacIntel', gpu: 'Apple GPU' })],
  'Safari on a Mac in a private window, with noise': [
    safari({
      userAgent: USER_AGENTS.safariMac,
      platform: 'MacIntel',
      gpu: 'Apple GPU',
      headers: { 'accept-language': 'en-US' },
      checks: { canvas_second: 'c2', audio_second: 74.50001 },
    }),
    'canvas_or_audio_noise',
  ],
  "DuckDuckGo on a Mac, which reports two processors and replaces the screen's values": [
    safari({
      userAgent: DUCK,
      platform: 'MacIntel',
      gpu: 'Apple GPU',
      device: { cpuCores: 2 },
      checks: {
        proxy_traces: ['Navigator.hardwareConcurrency: takes any object', 'Screen.availWidth: unnamed'],
        ...contexts({ userAgent: DUCK, platform: 'MacIntel', gpu: '' }, 8, {}),
      },
    }),
  ],
};
