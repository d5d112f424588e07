/*
 * Numbers that several codes share, and the confidences of their findings. The weights of a code stand in its file. All are
 * expert priors, based on published systems and not yet measured against outcomes. Any change, here or in a code, raises the
 * version, which is stored with each score.
 */
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
 * While roaming, most operators route the traffic home: the address stays in the SIM's country and the clock is local.
 * Remaining share of the clock's contradiction in this case.
 */
export const HOME_ROUTED_CONFIDENCE = 0.3;

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

/**
 * Contribution of a disguised browser to the bot score. People do disguise their browsers with extensions, so a disguise
 * alone stays below the flag.
 */
export const DISGUISE_BOT_WEIGHT = 0.3;

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
