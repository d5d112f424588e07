import type { Random } from './random.ts';

/** The engines with their constant traits. */
export type Engine = 'blink' | 'gecko' | 'webkit';

/** A browser on an operating system, unmodified. */
export type BrowserModel = {
  engine: Engine;
  userAgent: string;
  platform: string;
  /** Platform of the client hints; null where there are none. */
  hints: { platform: string; mobile: boolean; brand: string; version: string; chromium: string } | null;
  gpus: readonly (readonly [vendor: string, renderer: string])[];
  screens: readonly (readonly [width: number, height: number, pixelRatio: number])[];
  cores: readonly number[];
  touchPoints: number;
  isPhone: boolean;
  /** The middle part of the JA4 fingerprint identifies the TLS library (FoxIO, table of JA4 fingerprints). */
  ja4: string;
  /** Initial TTL of packets of its operating system. */
  timeToLive: 64 | 128;
};

const CHROMIUM_JA4 = 't13d1516h2_8daaf6152771_d8a2da3f94cd';
const FIREFOX_JA4 = 't13d1715h2_5b57614c22b0_3d5424432f57';
const SAFARI_JA4 = 't13d2014h2_a09f3c656075_14788d8d241b';
export const PYTHON_JA4 = 't13i181000_85036bcba153_d41ae481755e';
export const OPENSSL_JA4 = 't13d3112h2_e8f1e7e78f70_b26ce05bbdd6';

const WEBKIT_TAIL = 'AppleWebKit/537.36 (KHTML, like Gecko)';
const WINDOWS_GPUS = [
  ['Google Inc. (NVIDIA)', 'ANGLE (NVIDIA, NVIDIA GeForce RTX 3060 Direct3D11 vs_5_0 ps_5_0, D3D11)'],
  ['Google Inc. (Intel)', 'ANGLE (Intel, Intel(R) Iris(R) Xe Graphics Direct3D11 vs_5_0 ps_5_0, D3D11)'],
  ['Google Inc. (Intel)', 'ANGLE (Intel, Intel(R) UHD Graphics 620 Direct3D11 vs_5_0 ps_5_0, D3D11)'],
  ['Google Inc. (AMD)', 'ANGLE (AMD, AMD Radeon(TM) Graphics Direct3D11 vs_5_0 ps_5_0, D3D11)'],
] as const;
const MAC_GPUS = [
  ['Google Inc. (Apple)', 'ANGLE (Apple, ANGLE Metal Renderer: Apple M2, Unspecified Version)'],
  [
    'Google Inc. (Intel Inc.)',
    'ANGLE (Intel Inc., ANGLE Metal Renderer: Intel(R) Iris(TM) Plus Graphics, Unspecified Version)',
  ],
] as const;
const LINUX_GPUS = [
  ['Google Inc. (Intel)', 'ANGLE (Intel, Mesa Intel(R) UHD Graphics (CML GT2), OpenGL 4.6)'],
  ['Google Inc. (AMD)', 'ANGLE (AMD, AMD Radeon RX 6700 XT (radeonsi, navi22, LLVM 17.0.6), OpenGL 4.6)'],
  [
    'Google Inc. (NVIDIA Corporation)',
    'ANGLE (NVIDIA Corporation, NVIDIA GeForce RTX 4070/PCIe/SSE2, OpenGL 4.5.0)',
  ],
] as const;
const ANDROID_GPUS = [
  ['Google Inc. (Qualcomm)', 'ANGLE (Qualcomm, Adreno (TM) 740, OpenGL ES 3.2)'],
  ['Google Inc. (ARM)', 'ANGLE (ARM, Mali-G78, OpenGL ES 3.2)'],
  ['Qualcomm', 'Adreno (TM) 618'],
  ['ARM', 'Mali-G57 MC2'],
] as const;
const APPLE_GPU = [['Apple Inc.', 'Apple GPU']] as const;
const FIREFOX_WINDOWS_GPUS = [
  ['Google Inc. (Intel)', 'ANGLE (Intel, Intel(R) HD Graphics Direct3D11 vs_5_0 ps_5_0), or similar'],
  ['Google Inc. (NVIDIA)', 'ANGLE (NVIDIA, NVIDIA GeForce GTX 980 Direct3D11 vs_5_0 ps_5_0), or similar'],
] as const;
const FIREFOX_LINUX_GPUS = [['Intel', 'Intel(R) HD Graphics, or similar']] as const;

const DESKTOP_SCREENS = [
  [1920, 1080, 1],
  [1536, 864, 1.25],
  [2560, 1440, 1],
  [1366, 768, 1],
  [1440, 900, 1.1],
] as const;
const MAC_SCREENS = [
  [1512, 982, 2],
  [1728, 1117, 2],
  [2560, 1440, 1],
] as const;
const PHONE_SCREENS = [
  [412, 915, 2.625],
  [393, 873, 2.75],
  [360, 800, 3],
] as const;
const IPHONE_SCREENS = [
  [393, 852, 3],
  [430, 932, 3],
  [375, 667, 2],
] as const;

type Shape = Omit<BrowserModel, 'userAgent' | 'hints' | 'gpus' | 'engine' | 'platform' | 'ja4'>;
const WINDOWS: Shape = {
  screens: DESKTOP_SCREENS,
  cores: [4, 8, 12, 16],
  touchPoints: 0,
  isPhone: false,
  timeToLive: 128,
};
const MAC: Shape = { ...WINDOWS, screens: MAC_SCREENS, cores: [8, 10, 12], timeToLive: 64 };
const LINUX: Shape = { ...WINDOWS, cores: [8, 16, 32], timeToLive: 64 };
const ANDROID: Shape = {
  screens: PHONE_SCREENS,
  cores: [8],
  touchPoints: 5,
  isPhone: true,
  timeToLive: 64,
};
const IPHONE: Shape = { ...ANDROID, screens: IPHONE_SCREENS, cores: [4, 6] };

const CHROME = '137';
const chrome = (system: string, rest = `Chrome/${CHROME}.0.0.0 Safari/537.36`) =>
  `Mozilla/5.0 (${system}) ${WEBKIT_TAIL} ${rest}`;
const hints = (platform: string, brand = 'Google Chrome', version = CHROME, chromium = CHROME) => ({
  platform,
  mobile: platform === 'Android',
  brand,
  version,
  chromium,
});
const blink = { engine: 'blink', ja4: CHROMIUM_JA4 } as const;
const gecko = { engine: 'gecko', ja4: FIREFOX_JA4, hints: null } as const;
const webkit = { engine: 'webkit', ja4: SAFARI_JA4, hints: null, gpus: APPLE_GPU } as const;
const iphone = (rest: string) =>
  `Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) ${rest}`;

export const BROWSER_MODELS = {
  chromeWindows: {
    ...blink,
    ...WINDOWS,
    platform: 'Win32',
    gpus: WINDOWS_GPUS,
    userAgent: chrome('Windows NT 10.0; Win64; x64'),
    hints: hints('Windows'),
  },
  touchWindows: {
    ...blink,
    ...WINDOWS,
    touchPoints: 10,
    platform: 'Win32',
    gpus: WINDOWS_GPUS,
    userAgent: chrome('Windows NT 10.0; Win64; x64'),
    hints: hints('Windows'),
  },
  edge: {
    ...blink,
    ...WINDOWS,
    platform: 'Win32',
    gpus: WINDOWS_GPUS,
    userAgent: chrome('Windows NT 10.0; Win64; x64', 'Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0'),
    hints: hints('Windows', 'Microsoft Edge'),
  },
  opera: {
    ...blink,
    ...WINDOWS,
    platform: 'Win32',
    gpus: WINDOWS_GPUS,
    userAgent: chrome('Windows NT 10.0; Win64; x64', 'Chrome/135.0.0.0 Safari/537.36 OPR/120.0.0.0'),
    hints: hints('Windows', 'Opera', '120', '135'),
  },
  chromeMac: {
    ...blink,
    ...MAC,
    platform: 'MacIntel',
    gpus: MAC_GPUS,
    userAgent: chrome('Macintosh; Intel Mac OS X 10_15_7'),
    hints: hints('macOS'),
  },
  chromeLinux: {
    ...blink,
    ...LINUX,
    platform: 'Linux x86_64',
    gpus: LINUX_GPUS,
    userAgent: chrome('X11; Linux x86_64'),
    hints: hints('Linux'),
  },
  chromebook: {
    ...blink,
    ...LINUX,
    cores: [4, 8],
    platform: 'Linux x86_64',
    gpus: [LINUX_GPUS[0]],
    userAgent: chrome('X11; CrOS x86_64 14541.0.0'),
    hints: hints('Chrome OS'),
  },
  firefoxWindows: {
    ...gecko,
    ...WINDOWS,
    platform: 'Win32',
    gpus: FIREFOX_WINDOWS_GPUS,
    userAgent: 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0',
  },
  firefoxLinux: {
    ...gecko,
    ...LINUX,
    platform: 'Linux x86_64',
    gpus: FIREFOX_LINUX_GPUS,
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0',
  },
  firefoxAndroid: {
    ...gecko,
    ...ANDROID,
    platform: 'Linux aarch64',
    gpus: [['Qualcomm', 'Adreno (TM) 650, or similar']],
    userAgent: 'Mozilla/5.0 (Android 15; Mobile; rv:139.0) Gecko/139.0 Firefox/139.0',
  },
  safariMac: {
    ...webkit,
    ...MAC,
    cores: [8],
    platform: 'MacIntel',
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  },
  safariIpad: {
    ...webkit,
    ...IPHONE,
    isPhone: false,
    cores: [8],
    screens: [[820, 1180, 2]],
    platform: 'MacIntel',
    userAgent:
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15',
  },
  safariIphone: {
    ...webkit,
    ...IPHONE,
    platform: 'iPhone',
    userAgent: iphone('Version/18.5 Mobile/15E148 Safari/604.1'),
  },
  chromeIphone: {
    ...webkit,
    ...IPHONE,
    platform: 'iPhone',
    userAgent: iphone('CriOS/137.0.7151.79 Mobile/15E148 Safari/604.1'),
  },
  instagramIphone: {
    ...webkit,
    ...IPHONE,
    platform: 'iPhone',
    userAgent: iphone(
      'Mobile/22F76 Instagram 385.0.0.28.75 (iPhone16,1; iOS 18_5; de_DE; de; scale=3.00; 1179x2556; 748150302)',
    ),
  },
  chromeAndroid: {
    ...blink,
    ...ANDROID,
    platform: 'Linux armv81',
    gpus: ANDROID_GPUS,
    userAgent: chrome('Linux; Android 10; K', 'Chrome/137.0.0.0 Mobile Safari/537.36'),
    hints: hints('Android'),
  },
  samsungInternet: {
    ...blink,
    ...ANDROID,
    platform: 'Linux armv81',
    gpus: ANDROID_GPUS,
    userAgent: chrome('Linux; Android 10; K', 'SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36'),
    hints: hints('Android', 'Samsung Internet', '28', '130'),
  },
  webViewAndroid: {
    ...blink,
    ...ANDROID,
    platform: 'Linux armv81',
    gpus: ANDROID_GPUS,
    userAgent: chrome(
      'Linux; Android 15; Pixel 9 Build/AP3A.241005.015; wv',
      'Version/4.0 Chrome/137.0.7151.61 Mobile Safari/537.36',
    ),
    hints: hints('Android', 'Android WebView'),
  },
} as const satisfies Record<string, BrowserModel>;

export type BrowserName = keyof typeof BROWSER_MODELS;

/** Approximate shares of computers and phones. */
const COMPUTERS: readonly (readonly [BrowserName, number])[] = [
  ['chromeWindows', 44],
  ['edge', 12],
  ['chromeMac', 12],
  ['safariMac', 10],
  ['firefoxWindows', 7],
  ['touchWindows', 6],
  ['opera', 3],
  ['chromebook', 3],
  ['chromeLinux', 2],
  ['firefoxLinux', 1],
];
const MOBILE_BROWSERS: readonly (readonly [BrowserName, number])[] = [
  ['chromeAndroid', 44],
  ['safariIphone', 30],
  ['samsungInternet', 7],
  ['chromeIphone', 5],
  ['instagramIphone', 4],
  ['webViewAndroid', 6],
  ['firefoxAndroid', 2],
  ['safariIpad', 2],
];

export const drawComputer = (random: Random): BrowserName => random.weighted(COMPUTERS);
export const drawMobileBrowser = (random: Random): BrowserName => random.weighted(MOBILE_BROWSERS);
