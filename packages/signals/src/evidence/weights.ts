/*
 * All weights of the risk signals. They are expert priors, based on published systems and not yet measured against
 * outcomes. Any change raises the version, which is stored with each score.
 */
import type { RiskScoreKey } from './risk-scores.ts';

export const WEIGHTS_VERSION = '5';

/** A contribution below this is dropped, so that many faint ones cannot raise a score for which no reason is given. */
export const MIN_CONTRIBUTION = 0.05;

/** From this score on the signal's boolean is true. */
export const FLAG_THRESHOLD = 0.5;

/** Confidence of a country that two sources agree on, that only one names, or on which they contradict each other. */
export const COUNTRY_CONFIDENCE = { agree: 1, oneSource: 0.7, disagree: 0.5 } as const;

/**
 * Confidence in the class of an address by its network. The class of a whole network is weaker than a list of ranges: VPN
 * companies rent from networks that others use too. Privacy relays as well as servers use content networks, so their class
 * stays below the flag.
 */
export const NETWORK_CLASS_CONFIDENCE = {
  vpn: 0.7,
  tor: 0.6,
  hostingCurated: 0.9,
  hostingName: 0.7,
  cdn: 0.4,
} as const;

/* Weights of the network codes, before confidence and freshness. */

/** A list of single ranges has a larger weight than a whole network's class. */
export const VPN_LIST_WEIGHTS = { vpn: 1, locationSpoofing: 0.45 } as const;
export const TOR_LIST_WEIGHTS = { tor: 1, locationSpoofing: 0.45 } as const;
export const PROXY_LIST_WEIGHTS = { proxy: 1, locationSpoofing: 0.45 } as const;
export const PRIVACY_RELAY_WEIGHTS = { vpn: 0.15, proxy: 0.1 } as const;
export const DATACENTER_WEIGHTS = { datacenter: 1, proxy: 0.2 } as const;
/** A hosting system that VPN providers rent servers in, times its grade of 0.4 to 0.6. */
export const VPN_HOSTING_WEIGHTS = { vpn: 1 } as const;
/** Largest grade of such a system. */
export const MAX_VPN_HOSTING_GRADE = 0.6;
/** Providers keep a host for years; the grades lose half their worth in this time. */
export const VPN_HOSTING_HALF_LIFE_DAYS = 730;

/** Confidence of a list that defines none, and days after which its weight halves. */
export const FEED_DEFAULTS = {
  vpn: { confidence: 0.95, halfLifeDays: 365 },
  // Of the exits of 2026-08-22's list, as found on older ones: 89 % of a list 30 days older are still exits, 85 % after 90,
  // 71 % after 180, 62 % after a year. Half after 180 days stays below that, since an address may change hands.
  tor: { confidence: 0.99, halfLifeDays: 180 },
  proxy: { confidence: 0.9, halfLifeDays: 7 },
  relay: { confidence: 1, halfLifeDays: 365 },
  datacenter: { confidence: 0.95, halfLifeDays: 730 },
  fraud: { confidence: 0.9, halfLifeDays: 14 },
  satellite: { confidence: 0.95, halfLifeDays: 730 },
  cellular: { confidence: 0.95, halfLifeDays: 730 },
  allow: { confidence: 1, halfLifeDays: null },
  location: { confidence: 1, halfLifeDays: null },
} as const;

/**
 * Fraud on the same network: `1 − exp(−Σ 2^(−age / half-life) · s)`, s by how near it was; much less where many people
 * share an address.
 */
export const RECENT_FRAUD = {
  halfLifeDays: 14,
  address: 1,
  subnet: 0.4,
  sharedNetworkFactor: 0.3,
} as const;

export const CLIENT_ADDRESS_WEIGHTS = { spoofedIp: 0.8, proxy: 0.6, vpn: 0.5 } as const;
export const TRANSPORT_WEIGHTS = { deviceNetworkMismatch: 0.6, proxy: 0.5 } as const;

/** A device's clock against its network's: this much for any difference, more by the hour, and no more than the cap. */
export const TIMEZONE_WEIGHTS = { base: 0.25, perHour: 0.08, cap: 0.65, vpn: 0.35, proxy: 0.2 } as const;

/** A clock on UTC more often means "hidden" (Tor Browser, Firefox that resists fingerprinting) than "elsewhere". */
export const HIDDEN_TIMEZONE_CONFIDENCE = 0.4;

/**
 * While roaming, most operators route the traffic home: the address stays in the SIM's country and the clock is local.
 * Remaining share of the clock's contradiction in this case.
 */
export const HOME_ROUTED_CONFIDENCE = 0.3;

/** Weights of other evidence for another country than the address's, each for location_spoofing. */
export const TRUE_COUNTRY_WEIGHTS = {
  /** None of the timezone's countries is the address's. */
  timezoneCountry: 0.3,
  /** The region that the browser's language names, and one that it only implies. */
  localeExplicit: 0.08,
  localeImplied: 0.03,
  /** The SIM's country; when the device's clock agrees with the address, the person is roaming. */
  simCountry: 0.35,
  simRoaming: 0.1,
  /** Where the network is registered. */
  routingHosting: 0.2,
  routingOther: 0.05,
  /** Farther away than light in fibre can be. */
  roundTrip: 0.6,
  /** A position across the border, however close: the distance itself is another code's. */
  gpsCountry: 0.3,
  /** Added to spoofed_ip once the inferred country is another one. */
  spoofedIp: 0.3,
} as const;

/**
 * Maximum distance of a response after one millisecond: light in fiber travels about 200 km in one, there and back. The
 * slack covers wrong locations of address and server.
 */
export const ROUND_TRIP = { kmPerMs: 100, slackKm: 200 } as const;

/**
 * The true country is the likeliest of the countries that any source names. The values are likelihood ratios: how much
 * likelier the observation of a source is in that country than in another.
 */
export const TRUE_COUNTRY_LIKELIHOOD = {
  gps: 1000,
  sim: 10,
  /** The country that the zone is named for; others may share its name, and a clock can be left at home. */
  timezone: 25,
  timezoneShared: 2.5,
  /** By the network of the address: homes and offices, where locations are rough, and servers that relay for users. */
  addressAccess: 20,
  addressRough: 8,
  addressHosting: 3,
  localeExplicit: 3,
  localeImplied: 1.5,
} as const;

/** From this probability on, another country than the address's is considered the true one. */
export const TRUE_COUNTRY_PROBABILITY = 0.7;

/** `0.85 · (1 − e^(−km / 400))`; half of it for a phone in the country of its address. */
export const GPS_DISTANCE_WEIGHTS = { most: 0.85, scaleKm: 400, sameCountryPhone: 0.5 } as const;
/** `0.15 + 0.5 · (1 − e^(−km to the border / 2500))`. */
export const EXPECTED_COUNTRY_WEIGHTS = { base: 0.15, most: 0.5, scaleKm: 2500 } as const;

/**
 * Impossible travel: a logistic curve of the speed, `1 / (1 + e^(−(v − 900) / 120))`, less where an anonymizer hides
 * either place, and a little less on the same device. Closer than 100 km is no travel.
 */
export const TRAVEL_WEIGHTS = {
  middleKmPerHour: 900,
  widthKmPerHour: 120,
  smallestKm: 100,
  shortestMinutes: 1,
  anonymity: 0.8,
  sameDevice: 0.8,
  windowDays: 7,
} as const;

/** Radius of an address's place in kilometers, by the kind of its network. */
export const PLACE_RADIUS_KM = {
  isp: 75,
  hosting: 150,
  mobile: 300,
  countryOnly: 600,
  satellite: 1500,
} as const;

/** Radius of a position without an accuracy: that of cell towers. */
export const GPS_UNKNOWN_ACCURACY_KM = 1;

/** A privacy relay hides the city, and by its operators' rules not the region: less than an anonymizer hides. */
export const RELAY_ANONYMITY = 0.3;

/** Mobile and satellite networks put an address hundreds of kilometers from its user, often across a time zone. */
export const ROUGH_LOCATION_CONFIDENCE = 0.6;

/** Contribution of each device code to device_risk, before its confidence. */
export const DEVICE_WEIGHTS = {
  browserTampering: 0.75,
  androidEmulatorOrRooted: 0.85,
  iosSimulatorOrJailbroken: 0.85,
  automationFramework: 0.9,
  headlessBrowser: 0.85,
  declaredBotUserAgent: 0.95,
  /** A bot word within the name of a device or product, which honest ones carry too. */
  botWordInName: 0.2,
  userAgentPlatformMismatch: 0.65,
  browserVersionMismatch: 0.55,
  executionContextMismatch: 0.7,
  virtualMachineOrSoftwareGpu: 0.45,
  gpuOsMismatch: 0.65,
  deviceClassMismatch: 0.45,
  impossibleHardwareValues: 0.5,
  timezoneTampered: 0.6,
  languageMismatch: 0.3,
  canvasOrAudioNoise: 0.25,
  privateBrowsing: 0.1,
  virtualCamera: 0.8,
  appIntegrityFailed: 0.9,
  mockLocation: 0.6,
  noHumanInteraction: 0.5,
  deviceSharedOrReset: 0.6,
} as const;

/**
 * A family shares a tablet, so four accounts in a week are nothing; each more is worth less than the one before:
 * `weight · (1 − e^(−(accounts − 4) / 5))`, .11 for five, .42 for ten, .57 for twenty.
 */
export const DEVICE_SHARING = { honestAccounts: 4, scaleAccounts: 5 } as const;

/**
 * A device that was reset between two sessions of an account, by its counters. People reset a phone that they sell, and
 * two devices of one model are sometimes identified as one. The slack is for facts that arrive late.
 */
export const DEVICE_RESET = { confidence: 0.6, slackMinutes: 60 } as const;

/** Contribution of a simulated location to location_spoofing. */
export const MOCK_LOCATION_SPOOFING = 0.8;

/** Contribution of a language that does not match the place or the headers to device_network_mismatch. */
export const LANGUAGE_NETWORK_MISMATCH = 0.2;

/**
 * Contributions to the bot score besides the signs of automation, which contribute the same to it as to device_risk. People
 * do disguise their browsers with extensions, so a disguise alone stays below the flag. Hardly any person uses a browser
 * whose connections a program opens.
 */
export const BOT_WEIGHTS = {
  noHumanInteraction: 0.6,
  softwareGpu: 0.15,
  disguise: 0.3,
  programConnection: 0.7,
} as const;

/**
 * Confidence of each sign alone that a browser is automated. Names that pages also use themselves, programs that embed a
 * browser for people, and an open inspector, which resembles a debugger, are weak signs.
 */
export const AUTOMATION_CONFIDENCE = {
  webdriver: 1,
  hiddenWebdriver: 0.95,
  knownGlobal: 0.95,
  botdRule: 0.9,
  inconsistentMimeTypes: 0.4,
  embeddedBrowser: 0.3,
  unknownGlobal: 0.2,
  debuggerAttached: 0.15,
} as const;

/**
 * Confidence of each sign alone that a browser has no window. A tab opened in the background has no outer size until it
 * is shown, and Chrome has no plugins when it downloads PDF files instead of opening them.
 */
export const HEADLESS_CONFIDENCE = {
  declared: 1,
  noOuterSizeFocused: 0.8,
  noOuterSize: 0.35,
  noChromeObject: 0.5,
  noPlugins: 0.2,
  pluginsReplaced: 0.5,
  notificationContradiction: 0.5,
  noLanguages: 0.5,
  offscreenRenderer: 0.9,
} as const;

/** Confidence of each sign alone that a phone is simulated or unlocked. */
export const DEVICE_INTEGRITY_CONFIDENCE = {
  knownIndicator: 0.95,
  unknownIndicator: 0.5,
  /** Signs of systems that people install themselves, too. */
  customSystem: 0.5,
  model: 0.95,
  /** Google's verdict on the device is an empty list when it is rooted or simulated. */
  emptyVerdict: 0.7,
  emptyVerdictConfirmed: 0.95,
  virtualOnly: 0.9,
  /** Devices that are merely not certified pass the basic check, too. */
  basicOnly: 0.6,
  attestationFailed: 0.9,
  attestationUnsupported: 0.5,
} as const;

/** Confidence of each sign alone that an app was modified or is being instrumented. */
export const APP_INTEGRITY_CONFIDENCE = {
  signatureInvalid: 0.95,
  unrecognizedVersion: 0.85,
  /** Bought or installed elsewhere than in the store. */
  unlicensed: 0.3,
  knownHook: 0.95,
  debugger: 0.6,
  /** Phone makers themselves offer a second copy of an app. */
  clonedApp: 0.4,
  unknownHook: 0.5,
} as const;

/**
 * Virtual cameras. Which camera is used is unknown: beside a real one, a virtual one may serve another purpose.
 * Frames of a camera never come as evenly as `evenFramesMs`, but clocks that a browser rounds hide that.
 */
export const VIRTUAL_CAMERA_CONFIDENCE = {
  only: 0.95,
  besideOthers: 0.5,
  /** Called virtual, by an unknown maker. */
  unknownVirtual: 0.4,
  /** A phone as a webcam shows what its camera sees, but could show anything. */
  phone: 0.15,
  evenFrames: 0.3,
  evenFramesMs: 0.05,
} as const;

/** Signs of a simulated location. Satellite fixes drift, even of a device that lies still. */
export const MOCK_LOCATION_CONFIDENCE = {
  systemFlag: 0.95,
  manyRepeats: 0.6,
  someRepeats: 0.4,
  manyRepeatsFrom: 10,
  someRepeatsFrom: 5,
  /** Less accurate positions come from networks and repeat exactly. */
  satelliteFixM: 30,
  perfectAccuracyComputer: 0.6,
  perfectAccuracyPhone: 0.2,
} as const;

/**
 * Signs that no person filled the form, with their limits. Password managers fill and paste, and produce about twenty
 * events. Scanners and text expanders type fast. Users of speech input click without a mouse.
 */
export const NO_INTERACTION_CONFIDENCE = {
  nothingCounted: 0.9,
  evenKeys: 0.8,
  evenKeysRatio: 0.1,
  minKeyIntervals: 10,
  /** A held key repeats about every 30 ms, as evenly as a machine. */
  heldKey: 0.1,
  heldKeyFromMs: 20,
  heldKeyToMs: 45,
  fastKeys: 0.5,
  fastKeysBelowMs: 20,
  madeEvents: 0.6,
  madeEventsFrom: 24,
  clicksWithoutMovement: 0.25,
  clicksFrom: 2,
  pastedOnly: 0.25,
  pastedFieldsFrom: 3,
} as const;

/**
 * Signs that a session's address is not the client's. On networks that many share, a device's connections leave by
 * several addresses; people change from mobile to Wi-Fi, and their traffic goes home when they roam.
 */
export const CLIENT_ADDRESS_CONFIDENCE = {
  webrtcElsewhere: 0.7,
  webrtcElsewhereShared: 0.3,
  forwardedElsewhere: 0.4,
  forwardedOtherVersion: 0.25,
  knownForwardProxy: 0.3,
  unknownVia: 0.1,
  unroutable: 0.8,
  movedCountry: 0.8,
  movedCountryRoaming: 0.35,
  movedCountrySameNetwork: 0.3,
  movedToServer: 0.4,
  movedNetwork: 0.15,
} as const;

/**
 * Signs that something else than the browser opened the connection. Companies that look into their people's traffic
 * do so with programs, most often with OpenSSL. A proxy that ends the connection adds its own way to the page's round
 * trip: from 80 ms on, surer with each millisecond up to the most.
 */
export const TRANSPORT_CONFIDENCE = {
  program: 0.9,
  genericLibrary: 0.75,
  otherBrowser: 0.8,
  timeToLive: 0.5,
  roundTripFromMs: 80,
  roundTripLeast: 0.4,
  roundTripMost: 0.8,
  roundTripScaleMs: 400,
  /** Radio links wake up late, and their operators' equipment ends connections too. */
  roundTripMobileFactor: 0.5,
} as const;

/**
 * Confidence that replaced built-ins mean a disguised browser, by the hidden properties. Privacy extensions and whole
 * browsers replace those that report the hardware, which are absent here and do not count.
 */
export const BROWSER_TAMPERING_CONFIDENCE = {
  webdriver: 0.95,
  identity: 0.85,
  languages: 0.5,
  plugins: 0.5,
  clock: 0.5,
  permissions: 0.3,
  /** Extensions against fingerprinting change drawing, and the name of the graphics card. */
  renderer: 0.3,
  drawing: 0.2,
  /** Pages bind functions to objects, which takes the name away as a Proxy does. */
  unnamedFactor: 0.5,
} as const;

/**
 * Confidence of each sign alone that the browser is another than the user agent's. Firefox itself shows another maker's
 * name to a few pages, apps send outdated user agents, and some pages freeze built-ins of the language.
 */
export const BROWSER_VERSION_CONFIDENCE = {
  hints: 1,
  engine: 0.8,
  vendor: 0.3,
  missingFeature: 0.35,
  missingFeatures: 0.85,
  /** How many missing features are no accident. */
  manyFeatures: 2,
  newFeature: 0.6,
} as const;

/**
 * Confidence that a worker or a frame that contradicts the window means a disguise of the window. Privacy extensions
 * report fewer processors to the window than exist; only a disguise reports more.
 */
export const CONTEXT_MISMATCH_CONFIDENCE = {
  system: 1,
  browser: 1,
  version: 0.9,
  timezone: 0.9,
  language: 0.7,
  moreCores: 0.9,
  fewerCores: 0.25,
  webdriver: 0.95,
  /** Number that DuckDuckGo's extension and browsers report to every page. */
  usualFewCores: 2,
} as const;

/**
 * Signs that a device is of another class than it claims. Phones are used with mice and on large screens, phone apps
 * run on Macs, and some tablets are no larger than a phone.
 */
export const DEVICE_CLASS_CONFIDENCE = {
  phoneWithoutTouch: 0.9,
  phoneWithoutTouchPoints: 0.5,
  macWithTouch: 0.9,
  macWithoutPointer: 0.5,
  iphoneScreen: 0.7,
  iphonePixelRatio: 0.6,
  iphonePointer: 0.4,
  phoneScreen: 0.5,
  pcOfPhoneSize: 0.7,
  hintedClass: 0.5,
} as const;

/** In CSS pixels, more than the shorter side of any iPhone, of any foldable phone, of any phone. */
export const SCREEN_LIMITS = { iphone: 500, unfolded: 1200, phone: 500 } as const;

/**
 * Values that no device has. Workstations compute with up to 512 threads (two AMD EPYC 9754); zooming out to a quarter
 * and in to five times bounds the pixel ratio; the slack is for rounding between screens of different scale.
 */
export const HARDWARE_LIMITS = {
  maxCores: 512,
  minPixelRatio: 0.1,
  maxPixelRatio: 25,
  maxTouchPoints: 256,
  availableSlack: 0.05,
} as const;

/** Window managers and rare displays report odd numbers. */
export const HARDWARE_CONFIDENCE = { impossible: 1, available: 0.7, colorDepth: 0.7 } as const;

/**
 * Signs that the clock's zone was changed in the page alone. A device that has not been updated keeps the rules of
 * years ago, which are an hour off in some countries; within `slackHours` of a change of clocks both times are right.
 */
export const TIMEZONE_TAMPERING = {
  notAZone: 0.9,
  /** The server may not know the youngest zone. */
  unknownZone: 0.15,
  otherOffset: 0.9,
  otherOffsetFromMinutes: 61,
  noSummerTime: 0.7,
  /** Only rules that have been the same since then are in every device. */
  rulesSinceYear: 2015,
  impossibleOffset: 0.8,
  otherContext: 0.9,
  slackHours: 3,
} as const;

/** Signs that the page's languages were changed. Browsers may request the one of a person's languages that a site has. */
export const LANGUAGE_CONFIDENCE = {
  nowhere: 0.8,
  elsewhereInList: 0.3,
  /** Added when the browser's interface has the language of the header. */
  interfaceAgrees: 0.3,
} as const;

/** Minimum relative difference of two sums of one sound: smaller ones are rounding by the client. */
export const MIN_AUDIO_NOISE = 1e-7;

/**
 * Signs of a private window or of blocked storage. Before version 138 Chromium gave private windows a share of the
 * memory, which is less than twice what one page may take of it (github.com/Joe12387/detectIncognito).
 */
export const PRIVATE_BROWSING = {
  /** Where the memory is unknown: a smaller quota than any current disk allows. */
  quotaBytes: 2 ** 30,
  heapFactor: 2,
} as const;

/**
 * The risk of a session in one number: noisy-or over these groups, each at the largest weight × score inside it. What
 * hides an address is one group, since a VPN's exit is in a data center too.
 */
export const SESSION_RISK_GROUPS: ReadonlyArray<Partial<Record<RiskScoreKey, number>>> = [
  { tor: 0.8, vpn: 0.4, proxy: 0.5, datacenter: 0.5 },
  { spoofedIp: 0.6 },
  { recentFraudIp: 0.7 },
  { impossibleTravel: 0.6 },
  { deviceNetworkMismatch: 0.4 },
  { locationSpoofing: 0.6 },
  { deviceRisk: 0.7 },
];
