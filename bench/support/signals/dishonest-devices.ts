import { type BrowserName, OPENSSL_JA4, PYTHON_JA4 } from './browser-models.ts';
import { type Device, openBrowser } from './device.ts';
import { emulator, farm, rooted } from './dishonest-phones.ts';
import { driven, SWIFTSHADER } from './driven-browsers.ts';
import { humanBehavior, scriptedBehavior, setGraphics } from './habits.ts';
import { placeOf } from './people.ts';
import type { Random } from './random.ts';
import { server } from './servers.ts';
import type { SessionCase, SessionKind, Visit, World } from './session-case.ts';
import { caseOf, directPath, drawTime, edgeOf } from './visits.ts';

/**
 * An HTTP library on a server: six of ten identify themselves, the others send the name of a browser and a
 * page's facts: three quarters carelessly, a quarter a body recorded in a real browser.
 */
function datacenterBot(world: World): SessionCase {
  const { random } = world;
  const exit = server(world);
  const place = placeOf(exit.network);
  const startTime = drawTime(random);
  const isOpen = random.chance(0.6);
  const userAgents = [
    'python-requests/2.32.3',
    'Go-http-client/2.0',
    'curl/8.5.0',
    'axios/1.7.7',
    'Scrapy/2.11 (+https://scrapy.org)',
  ];
  const body = isOpen ? null : forgedBody(place.timezone, startTime, random);
  const path = { ...directPath(place, null, random), ja4: random.pick([PYTHON_JA4, OPENSSL_JA4]) };
  const visit: Visit = {
    startTime,
    network: exit.network,
    laterNetworks: [],
    webrtcNetworks: [],
    input: body?.input ?? {},
    headers: body?.headers ?? { 'user-agent': random.pick(userAgents) },
    edge: edgeOf(path, null, random).edge,
    device: '',
    listings: exit.listings,
  };
  const isReported = body !== null && visit.edge['x-ja4'] !== undefined;
  return caseOf(visit, random, {
    accountsOnDevice: null,
    truth: {
      datacenter: true,
      bot: true,
      deviceRisk: true,
      proxy: null,
      deviceNetworkMismatch: isReported ? true : null,
    },
  });
}

function forgedBody(timezone: string, at: Date, random: Random): Pick<Visit, 'input' | 'headers'> {
  const { browser, device, checks, headers } = openBrowser(
    'chromeWindows',
    { timezone, languages: ['en-US', 'en'], at },
    random,
  );
  const isRecorded = random.chance(0.25);
  const behavior = isRecorded ? humanBehavior(random, false) : scriptedBehavior(random);
  const careless = {
    webdriver: false,
    plugins_count: 0,
    outer_width: 0,
    outer_height: 0,
    form_completed: true,
  };
  return {
    input: {
      source: 'web',
      browser,
      device,
      bot: behavior.bot,
      checks: isRecorded ? { ...checks, ...behavior.checks } : { ...careless, ...behavior.checks },
    },
    headers: isRecorded
      ? headers
      : { 'user-agent': headers['user-agent']!, 'accept-language': 'en-US,en;q=0.9' },
  };
}

/** Headless Chrome as started by a library: unmodified flag, name and window. */
function plainHeadless(world: World): SessionCase {
  const { random } = world;
  return driven(world, {
    name: 'chromeLinux',
    behavior: 'scripted',
    onServer: 0.8,
    change: (device) => {
      const isNamed = random.chance(0.85);
      if (isNamed) rename(device, device.userAgent.replace('Chrome/', 'HeadlessChrome/'));
      setGraphics(device, ...SWIFTSHADER);
      Object.assign(device.checks, { webdriver: true, has_chrome_object: random.chance(0.4) });
      for (const context of [device.checks.worker, device.checks.iframe])
        Object.assign(context as object, { webdriver: true });
      Object.assign(device.checks.botd as object, { webDriver: true });
      if (random.chance(0.3))
        device.checks.automation_globals = [
          random.pick([
            'window.__playwright__binding__',
            'window.cdc_adoQpoasnfa76pfcZLmcfl_Array',
            'window.__pwInitScripts',
          ]),
        ];
      if (random.chance(0.7)) device.checks.debugger_attached = true;
    },
  });
}

function rename(device: Device, userAgent: string): void {
  device.userAgent = userAgent;
  device.headers['user-agent'] = userAgent;
  device.browser.userAgent = userAgent;
  Object.assign(device.checks.botd as object, { userAgent, appVersion: userAgent.replace('Mozilla/', '') });
  for (const context of [device.checks.worker, device.checks.iframe])
    Object.assign(context as object, { user_agent: userAgent });
}

/**
 * Automation that hides: a Windows name on a Linux server (40 %), scripts that patch the page (35 %), a driver
 * that hides its flag in a real window (20 %), and one in twenty without a trace except its behavior.
 */
function disguised(world: World): SessionCase {
  const { random } = world;
  const way = random.weighted([
    ['renamed', 40],
    ['patched', 35],
    ['driver', 20],
    ['traceless', 5],
  ] as const);
  const name: BrowserName = way === 'renamed' || way === 'patched' ? 'chromeLinux' : 'chromeWindows';
  return driven(world, {
    name,
    behavior: way === 'traceless' && random.chance(0.5) ? 'human' : 'scripted',
    onServer: way === 'driver' || way === 'traceless' ? 0.2 : 0.6,
    change: (device) => {
      if (way === 'renamed') renamedToWindows(device, world);
      if (way === 'patched') patched(device, world);
      if (way === 'driver') {
        if (random.chance(0.3)) device.checks.automation_globals = ['document.$cdc_asdjflasutopfhvcZLmcfl_'];
        if (random.chance(0.6)) device.checks.debugger_attached = true;
      }
    },
  });
}

/** The name is of Windows and of an older version; hints, platform and graphics are unmodified. */
function renamedToWindows(device: Device, { random }: World): void {
  const userAgent =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36';
  rename(device, userAgent);
  if (random.chance(0.4)) {
    device.headers['sec-ch-ua-platform'] = '"Windows"';
    (device.checks.user_agent_data as { platform: string }).platform = 'Windows';
  }
  if (random.chance(0.9)) setGraphics(device, ...SWIFTSHADER);
}

/** As by evasion scripts: replaced getters of navigator, renamed graphics, unpatched workers. */
function patched(device: Device, world: World): void {
  const { random } = world;
  const truth = structuredClone(device.checks.worker as object);
  setGraphics(device, 'Intel Inc.', 'Intel Iris OpenGL Engine');
  renamedToWindows(device, { ...world, random: { ...random, chance: () => false } });
  device.browser.platform = 'Win32';
  device.checks.worker = random.chance(0.6) ? truth : device.checks.worker;
  if (random.chance(0.75))
    device.checks.non_native = [
      'Navigator.platform',
      'Navigator.plugins',
      'WebGLRenderingContext.getParameter',
    ];
  if (random.chance(0.5)) device.checks.proxy_traces = ['WebGLRenderingContext.getParameter'];
  if (random.chance(0.4)) device.checks.navigator_own_properties = ['webdriver'];
}

export const DISHONEST_DEVICE_KINDS: readonly SessionKind[] = [
  {
    name: 'data center bot',
    isHonest: false,
    weight: 4,
    make: datacenterBot,
    describes:
      'A library on a server; four of ten call themselves a browser and invent the facts of a page; 7 % of the hosts in no table.',
  },
  {
    name: 'plain headless',
    isHonest: false,
    weight: 3.5,
    make: plainHeadless,
    describes: 'Headless Chrome as a library starts it; 15 % renamed.',
  },
  {
    name: 'disguised automation',
    isHonest: false,
    weight: 5,
    make: disguised,
    describes:
      'Renamed, patched or with a hidden driver; 5 % leave no trace; one in six behaves like a person.',
  },
  {
    name: 'emulator',
    isHonest: false,
    weight: 3.5,
    make: emulator,
    describes: 'An app (70 %) or a browser in an emulator; 8 % of the apps find no mark.',
  },
  {
    name: 'rooted phone',
    isHonest: false,
    weight: 3.5,
    make: rooted,
    describes: 'Root or jailbreak; one in ten hidden from the app.',
  },
  {
    name: 'device farm',
    isHonest: false,
    weight: 3,
    make: farm,
    describes: 'One phone with nine to sixty accounts in a week, honest otherwise.',
  },
];
