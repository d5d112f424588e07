import type { SessionFactsInput } from '../../../src/domain/sessions/session-input.ts';
import type { FraudSighting, HistoryFacts, SessionTrace } from '../../../src/domain/signals/evidence.ts';
import type { FeedKind } from '../../../src/domain/signals/feeds/feed-match.ts';
import type { NetworkFacts } from '../../../src/domain/signals/network-facts.ts';
import type { RiskScoreKey } from '../../../src/domain/signals/risk-scores.ts';
import type { AddressPools, PoolName } from './address-pools.ts';
import { honestBrowser, offsetOf } from './browsers.ts';
import { languagesOf } from './languages.ts';
import type { Random } from './random.ts';

/*
 * The model of the sessions: what each kind of person or program has, with which noise, and what is true of it. It was
 * written from what such visitors are, not from what the codes look for. Circular nevertheless: addresses of VPNs, Tor
 * and data centres are drawn by the classes that the codes use too, and lists of ranges name exactly who is modelled to
 * be on them; disguises forge what public tools forge, and the codes were written against the same tools.
 */

export type Truth = RiskScoreKey | 'bot';

/** A made session, before it is turned into facts. */
export type MadeSession = {
  at: Date;
  network: NetworkFacts;
  laterNetworks?: NetworkFacts[];
  /** Kinds of operators' lists that the address is on. */
  listedAs: FeedKind[];
  userAgent: string;
  headers: Record<string, string>;
  edge?: Record<string, string>;
  told: SessionFactsInput;
  history: Partial<Omit<HistoryFacts, 'session'>>;
  /** What is true of this one besides what is true of its kind. */
  alsoTrue?: readonly Truth[];
};

export type SessionKind = {
  name: string;
  isHonest: boolean;
  truth: readonly Truth[];
  /** How often it is made, by weight. */
  weight: number;
  make(world: World): MadeSession;
};

export type World = { random: Random; pools: AddressPools };

/** How many of an anonymiser's addresses an operator's lists know. */
const LISTED = { vpn: 0.9, tor: 0.97, proxy: 0.97, relay: 0.98, datacenter: 0.9, fraud: 1 } as const;

/** Somebody at an address of the pool, with the clock and languages of that place. */
function person(
  world: World,
  pool: PoolName,
  changes: { phone?: boolean; timezone?: string; languages?: string[] } = {},
): MadeSession {
  const { random, pools } = world;
  const network = random.pick(pools[pool]);
  const at = new Date(Date.UTC(2025, random.between(0, 11), random.between(1, 28), random.between(0, 23)));
  const timezone = changes.timezone ?? network.location.timezone;
  const languages = changes.languages ?? homeLanguages(random, network.location.countryCode);
  const browser = honestBrowser(random, { phone: changes.phone, timezone, languages, at });
  const alsoTrue: Truth[] = pool === 'server' ? ['datacenter'] : [];
  return { at, network, listedAs: [], ...browser, history: familyTablet(random), alsoTrue };
}

/** One in eight people uses another language than their country's. */
function homeLanguages(random: Random, countryCode: string): string[] {
  return random.chance(0.125) ? ['en-US', 'en'] : languagesOf(countryCode);
}

/** One device in ten serves a household. */
function familyTablet(random: Random): Pick<HistoryFacts, 'accountsOnDevice'> {
  return { accountsOnDevice: random.chance(0.1) ? random.between(2, 4) : 1 };
}

function elsewhere(world: World, network: NetworkFacts, apartHours: number): NetworkFacts {
  const { random, pools } = world;
  const january = new Date(Date.UTC(2025, 0, 15));
  const hoursOf = (facts: NetworkFacts) => -offsetOf(facts.location.timezone, january) / 60;
  for (let tries = 0; tries < 500; tries++) {
    const other = random.pick(pools.home);
    if (Math.abs(hoursOf(other) - hoursOf(network)) >= apartHours) return other;
  }
  return random.pick(pools.home);
}

function listed(world: World, kind: keyof typeof LISTED): FeedKind[] {
  return world.random.chance(LISTED[kind]) ? [kind] : [];
}

function traceOfHome(network: NetworkFacts, at: Date, hoursBefore: number): SessionTrace {
  const { countryCode, latitude, longitude } = network.location;
  return {
    startTime: new Date(at.getTime() - hoursBefore * 3_600_000),
    countryCode,
    latitude,
    longitude,
    radiusKm: 75,
    anonymity: 0,
    connectionType: network.connectionType,
    device: '',
    bootCount: null,
    uptimeSeconds: null,
  };
}

function merged(session: MadeSession, told: SessionFactsInput): MadeSession {
  const parts = ['browser', 'device', 'checks', 'bot'] as const;
  const joined: SessionFactsInput = { ...session.told, ...told };
  for (const part of parts) {
    if (told[part]) Object.assign(joined, { [part]: { ...session.told[part], ...told[part] } });
  }
  return { ...session, told: joined };
}

/** At home, on a computer or a telephone, and one in four told where it is by GPS. */
function honestHome(world: World): MadeSession {
  const session = person(world, 'home', { phone: world.random.chance(0.4) });
  if (!world.random.chance(0.25)) return session;
  return merged(session, { location: gpsNear(world.random, session.network, 40) });
}

/** GPS near the address's place, as far off as such places are. */
function gpsNear(random: Random, { location }: NetworkFacts, km: number) {
  const spread = km / 111;
  return {
    latitude: clamp((location.latitude ?? 0) + (random.share() - 0.5) * 2 * spread, 85),
    longitude: clamp((location.longitude ?? 0) + (random.share() - 0.5) * 2 * spread, 179),
    accuracyM: random.between(5, 60),
    mock: false,
  };
}

function clamp(value: number, limit: number): number {
  return Math.max(-limit, Math.min(limit, value));
}

/**
 * In another country by plane: languages from home. Telephones set their clocks on arrival; three in a
 * hundred have that off. The last session was at home.
 */
function traveller(world: World): MadeSession {
  const session = person(world, 'home');
  const home = elsewhere(world, session.network, 2);
  const keepsClock = world.random.chance(0.03);
  const browser = honestBrowser(world.random, {
    phone: true,
    timezone: keepsClock ? home.location.timezone : session.network.location.timezone,
    languages: languagesOf(home.location.countryCode),
    at: session.at,
  });
  const previous = traceOfHome(home, session.at, world.random.between(20, 72));
  return { ...session, ...browser, history: { ...session.history, previous } };
}

/** A telephone abroad: the visited network's address, the home SIM, the place's clock. */
function roaming(world: World): MadeSession {
  const session = person(world, 'mobile', { phone: true });
  const home = elsewhere(world, session.network, 1);
  const { countryCode } = home.location;
  return {
    ...merged(session, { source: 'android', carrier: { countryCode } }),
    history: { ...session.history, previous: traceOfHome(home, session.at, world.random.between(20, 90)) },
  };
}

/** Many people behind an office's address, one of whom was decided Fake some weeks ago. */
function corporateNat(world: World): MadeSession {
  const session = person(world, 'office');
  const fraud: FraudSighting[] = world.random.chance(0.1)
    ? [{ at: new Date(session.at.getTime() - world.random.between(30, 80) * 86_400_000), near: 'address' }]
    : [];
  const headers = world.random.chance(0.3)
    ? { ...session.headers, via: '1.1 proxy.corp.example' }
    : session.headers;
  return { ...session, headers, history: { ...session.history, fraud } };
}

/** Behind a privacy relay, whose exits are in the region and which keeps the clock. */
function relayUser(world: World): MadeSession {
  const session = person(world, 'cdn', { phone: world.random.chance(0.6) });
  return { ...session, listedAs: listed(world, 'relay') };
}

/** Brave, Firefox with resistFingerprinting, private windows. */
function privacyMinded(world: World): MadeSession {
  const session = person(world, 'home');
  const { random } = world;
  if (random.chance(0.4))
    return merged(session, { checks: { canvas_second: 'b', audio_first: 1.5, audio_second: 1.6 } });
  if (random.chance(0.5))
    return merged(session, { checks: { storage_quota_bytes: 2 ** 29, indexed_db: random.chance(0.5) } });
  const at = session.at;
  const browser = honestBrowser(random, { timezone: 'UTC', languages: ['en-US', 'en'], at });
  const userAgent = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0';
  return {
    ...session,
    userAgent,
    headers: { 'user-agent': userAgent, 'accept-language': 'en-US,en;q=0.5' },
    told: {
      ...browser.told,
      browser: { ...browser.told.browser, platform: 'Win32' },
      device: { cpuCores: 2, touchPoints: 0, screenWidth: 1400, screenHeight: 900, pixelRatio: 1 },
      checks: {
        timezone: 'UTC',
        timezone_offset_minutes: 0,
        eval_length: 37,
        product_sub: '20100101',
        canvas_first: 'a',
        canvas_second: 'b',
      },
    },
  };
}

/** Behind a VPN in their own country: hidden, and no liar otherwise. */
function vpnAtHome(world: World): MadeSession {
  return { ...person(world, 'vpn'), listedAs: listed(world, 'vpn') };
}

function vpnAbroad(world: World): MadeSession {
  const session = person(world, 'vpn');
  const home = elsewhere(world, session.network, 3);
  const browser = honestBrowser(world.random, {
    timezone: home.location.timezone,
    languages: languagesOf(home.location.countryCode),
    at: session.at,
  });
  return { ...session, ...browser, listedAs: listed(world, 'vpn') };
}

function torUser(world: World): MadeSession {
  return {
    ...person(world, 'tor', { timezone: 'UTC', languages: ['en-US', 'en'] }),
    listedAs: listed(world, 'tor'),
  };
}

/** An address of somebody's home, rented: the clock is the renter's. */
function residentialProxy(world: World): MadeSession {
  const session = person(world, 'home');
  const home = elsewhere(world, session.network, 3);
  const browser = honestBrowser(world.random, {
    timezone: home.location.timezone,
    languages: languagesOf(home.location.countryCode),
    at: session.at,
  });
  return { ...session, ...browser, listedAs: listed(world, 'proxy') };
}

/** A program on a server that says what it is, or calls itself a browser and opens connections like a program. */
function datacenterBot(world: World): MadeSession {
  const { random } = world;
  const session = person(world, 'server');
  const isDeclared = random.chance(0.5);
  const userAgent = isDeclared
    ? random.pick(['python-requests/2.32.3', 'curl/8.9.1', 'Go-http-client/2.0', 'axios/1.7.2'])
    : session.userAgent;
  return {
    ...session,
    listedAs: listed(world, 'datacenter'),
    userAgent,
    headers: { 'user-agent': userAgent },
    told: isDeclared
      ? {}
      : {
          browser: session.told.browser,
          bot: zeroCounts(),
          checks: { form_completed: true, webdriver: true },
        },
    history: {},
  };
}

function zeroCounts() {
  return {
    mouseNumEvents: 0,
    clickNumEvents: 0,
    keyboardNumEvents: 0,
    touchNumEvents: 0,
    clipboardNumEvents: 0,
  };
}

/** A telephone told where to be by an app for it. */
function spoofedGps(world: World): MadeSession {
  const session = person(world, 'mobile', { phone: true });
  const far = elsewhere(world, session.network, 3);
  const told = gpsNear(world.random, far, 5);
  return merged(session, { source: 'android', location: { ...told, mock: world.random.chance(0.9) } });
}

/** Chromium with a Windows user agent and the automation flag off, on a Linux server or at home. */
function disguisedAutomation(world: World): MadeSession {
  const { random } = world;
  const session = person(world, random.chance(0.5) ? 'server' : 'home');
  const userAgent =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36';
  const zone = session.network.location.timezone;
  return {
    ...session,
    userAgent,
    headers: {
      ...session.headers,
      'user-agent': userAgent,
      'sec-ch-ua': '',
      'sec-ch-ua-platform': '"Windows"',
    },
    told: {
      source: 'web',
      browser: { ...session.told.browser, platform: 'Linux x86_64' },
      device: {
        gpu: random.pick([
          'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)',
          'llvmpipe (LLVM 15.0.7, 256 bits)',
        ]),
        cpuCores: 4,
        memory: 8,
        touchPoints: 0,
        screenWidth: 1920,
        screenHeight: 1080,
        pixelRatio: 1,
      },
      bot: zeroCounts(),
      checks: {
        webdriver: false,
        outer_width: 0,
        outer_height: 0,
        botd: { documentFocus: true },
        eval_length: 33,
        vendor: 'Google Inc.',
        form_completed: true,
        user_agent_data: {
          brands: [{ brand: 'Chromium', version: '156' }],
          mobile: false,
          platform: 'Linux',
        },
        worker: { user_agent: userAgent.replace('129', '156'), platform: 'Linux x86_64', timezone: zone },
        timezone: zone,
      },
    },
    history: {},
  };
}

function plainHeadless(world: World): MadeSession {
  const session = person(world, world.random.chance(0.7) ? 'server' : 'home');
  const userAgent =
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/156.0.0.0 Safari/537.36';
  return {
    ...merged(session, {
      browser: { platform: 'Linux x86_64' },
      device: { gpu: 'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero)), SwiftShader driver)' },
      bot: zeroCounts(),
      checks: {
        webdriver: true,
        outer_width: 0,
        outer_height: 0,
        gpu_renderer: '',
        user_agent_data: null,
        worker: null,
        iframe: null,
      },
    }),
    userAgent,
    headers: { 'user-agent': userAgent, 'accept-language': 'en-US' },
    history: {},
  };
}

function androidEmulator(world: World): MadeSession {
  const session = person(world, world.random.chance(0.5) ? 'server' : 'home', { phone: true });
  return merged(session, {
    source: 'android',
    mobile: {
      model: 'sdk_gphone64_x86_64',
      integrity: {
        provider: 'play_integrity',
        verdicts: world.random.pick([[], ['MEETS_VIRTUAL_INTEGRITY']]),
      },
    },
    device: { gpu: 'Android Emulator OpenGL ES Translator' },
    checks: { emulator_indicators: ['qemu', 'goldfish'] },
  });
}

function rootedPhone(world: World): MadeSession {
  const session = person(world, 'mobile', { phone: true });
  return merged(session, {
    source: 'android',
    mobile: {
      model: 'Pixel 7',
      integrity: { provider: 'play_integrity', verdicts: ['MEETS_BASIC_INTEGRITY'] },
    },
    checks: { root_indicators: ['su', 'magisk'] },
  });
}

/** One device that makes accounts in series. */
function deviceFarm(world: World): MadeSession {
  const session = person(world, 'home', { phone: true });
  return { ...session, history: { accountsOnDevice: world.random.between(15, 64) } };
}

/** An address from which fraud came within the last days. */
function fraudAddress(world: World): MadeSession {
  const { random } = world;
  const session = person(world, 'home');
  const fraud: FraudSighting[] = Array.from({ length: random.between(1, 6) }, () => ({
    at: new Date(session.at.getTime() - random.between(0, 10) * 86_400_000),
    near: random.chance(0.7) ? 'address' : 'neighbourhood',
  }));
  fraud[0] = { ...fraud[0]!, near: 'address' };
  return { ...session, history: { ...session.history, fraud } };
}

/** A stolen account: half an hour after the owner, from far away. */
function impossibleTraveller(world: World): MadeSession {
  const session = person(world, 'home');
  const owner = elsewhere(world, session.network, 4);
  const previous = traceOfHome(owner, session.at, world.random.between(1, 20) / 10);
  return { ...session, history: { ...session.history, previous } };
}

/** WebRTC, or a forwarding header, shows another address than the connection's. */
function spoofedAddress(world: World): MadeSession {
  const session = person(world, world.random.chance(0.5) ? 'home' : 'server');
  const truth = elsewhere(world, session.network, 1);
  return merged(session, { checks: { webrtc_addresses: [truth.ip] } });
}

/** A program's TLS under a browser's name, with a clock of another place that its workers do not keep. */
function forgedClient(world: World): MadeSession {
  const session = person(world, 'home');
  const home = elsewhere(world, session.network, 4);
  return {
    ...merged(session, {
      browser: {
        timezone: home.location.timezone,
        timezoneOffsetMinutes: offsetOf(home.location.timezone, session.at),
      },
    }),
    edge: { 'x-ja4': 't13d1812h1_85036bcba153_b26ce05bbdd6' },
  };
}

export const SESSION_KINDS: readonly SessionKind[] = [
  { name: 'honest home', isHonest: true, truth: [], weight: 24, make: honestHome },
  {
    name: 'honest mobile',
    isHonest: true,
    truth: [],
    weight: 14,
    make: (world) => person(world, 'mobile', { phone: true }),
  },
  { name: 'traveller', isHonest: true, truth: [], weight: 6, make: traveller },
  { name: 'roaming', isHonest: true, truth: [], weight: 5, make: roaming },
  { name: 'corporate NAT', isHonest: true, truth: [], weight: 6, make: corporateNat },
  { name: 'university', isHonest: true, truth: [], weight: 4, make: (world) => person(world, 'university') },
  { name: 'relay user', isHonest: true, truth: [], weight: 6, make: relayUser },
  { name: 'privacy-minded', isHonest: true, truth: [], weight: 5, make: privacyMinded },
  { name: 'VPN at home', isHonest: true, truth: ['vpn', 'datacenter'], weight: 5, make: vpnAtHome },
  {
    name: 'VPN, other place',
    isHonest: false,
    truth: ['vpn', 'datacenter', 'locationSpoofing', 'deviceNetworkMismatch'],
    weight: 5,
    make: vpnAbroad,
  },
  { name: 'Tor', isHonest: false, truth: ['tor', 'datacenter'], weight: 5, make: torUser },
  {
    name: 'residential proxy',
    isHonest: false,
    truth: ['proxy', 'locationSpoofing', 'deviceNetworkMismatch'],
    weight: 5,
    make: residentialProxy,
  },
  {
    name: 'datacenter bot',
    isHonest: false,
    truth: ['datacenter', 'deviceRisk', 'bot'],
    weight: 5,
    make: datacenterBot,
  },
  {
    name: 'spoofed GPS',
    isHonest: false,
    truth: ['locationSpoofing', 'deviceRisk'],
    weight: 4,
    make: spoofedGps,
  },
  {
    name: 'disguised automation',
    isHonest: false,
    truth: ['deviceRisk', 'bot'],
    weight: 5,
    make: disguisedAutomation,
  },
  { name: 'plain headless', isHonest: false, truth: ['deviceRisk', 'bot'], weight: 4, make: plainHeadless },
  { name: 'Android emulator', isHonest: false, truth: ['deviceRisk'], weight: 4, make: androidEmulator },
  { name: 'rooted telephone', isHonest: false, truth: ['deviceRisk'], weight: 3, make: rootedPhone },
  { name: 'device farm', isHonest: false, truth: ['deviceRisk'], weight: 4, make: deviceFarm },
  { name: 'fraud address', isHonest: false, truth: ['recentFraudIp'], weight: 4, make: fraudAddress },
  {
    name: 'impossible traveller',
    isHonest: false,
    truth: ['impossibleTravel'],
    weight: 4,
    make: impossibleTraveller,
  },
  { name: 'spoofed address', isHonest: false, truth: ['spoofedIp'], weight: 4, make: spoofedAddress },
  {
    name: 'forged client',
    isHonest: false,
    truth: ['deviceNetworkMismatch', 'locationSpoofing', 'deviceRisk'],
    weight: 4,
    make: forgedClient,
  },
];
