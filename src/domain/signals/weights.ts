/*
 * Every weight of the risk signals. They are expert priors: set by judgement and by what published systems do, not
 * yet measured against outcomes. A change of any of them raises the version, which is stored with each score.
 */
import type { RiskScoreKey } from './risk-scores.ts';

export const WEIGHTS_VERSION = '2';

/** A contribution below this is dropped, so that many faint ones cannot raise a score for which no reason is given. */
export const SMALLEST_CONTRIBUTION = 0.05;

/** From this score on the signal's boolean is true. */
export const FLAG_THRESHOLD = 0.5;

/** How far a country is to be trusted that two sources agree on, only one names, or they contradict each other on. */
export const COUNTRY_CONFIDENCE = { agree: 1, oneSource: 0.7, disagree: 0.5 } as const;

/**
 * How surely an address is what the class of its network says. A whole network's class is weaker than a list of
 * ranges: VPN companies rent from networks that others use too. Through content networks privacy relays reach the
 * internet as well as servers, so theirs stays below the flag.
 */
export const NETWORK_CLASS_CONFIDENCE = {
  vpn: 0.7,
  tor: 0.6,
  hostingCurated: 0.9,
  hostingName: 0.7,
  cdn: 0.4,
} as const;

/* What each network code speaks for, before its confidence and freshness. */

/** A list of single ranges is surer than a whole network's class. */
export const VPN_LIST_WEIGHTS = { vpn: 1, locationSpoofing: 0.45 } as const;
export const TOR_LIST_WEIGHTS = { tor: 1, locationSpoofing: 0.45 } as const;
export const PROXY_LIST_WEIGHTS = { proxy: 1, locationSpoofing: 0.45 } as const;
export const PRIVACY_RELAY_WEIGHTS = { vpn: 0.15, proxy: 0.1 } as const;
export const DATACENTER_WEIGHTS = { datacenter: 1, proxy: 0.2 } as const;

/** How sure a list is that tells no confidence of its own, and in how many days it loses half its worth. */
export const FEED_DEFAULTS = {
  vpn: { confidence: 0.95, halfLifeDays: 365 },
  tor: { confidence: 0.99, halfLifeDays: 30 },
  proxy: { confidence: 0.9, halfLifeDays: 7 },
  relay: { confidence: 1, halfLifeDays: 365 },
  datacenter: { confidence: 0.95, halfLifeDays: 730 },
  fraud: { confidence: 0.9, halfLifeDays: 14 },
  satellite: { confidence: 0.95, halfLifeDays: 730 },
  cellular: { confidence: 0.95, halfLifeDays: 730 },
  allow: { confidence: 1, halfLifeDays: null },
} as const;

/**
 * Fraud on the same network: `1 − exp(−Σ 2^(−age / half-life) · s)`, s by how near it was; much less where many people
 * share an address.
 */
export const RECENT_FRAUD = {
  halfLifeDays: 14,
  address: 1,
  neighbourhood: 0.4,
  sharedNetworkFactor: 0.3,
} as const;

export const CLIENT_ADDRESS_WEIGHTS = { spoofedIp: 0.8, proxy: 0.6, vpn: 0.5 } as const;
export const TRANSPORT_WEIGHTS = { deviceNetworkMismatch: 0.6, proxy: 0.5 } as const;

/** A device's clock against its network's: this much for any difference, more by the hour, and no more than the cap. */
export const TIMEZONE_WEIGHTS = { base: 0.25, perHour: 0.08, cap: 0.65, vpn: 0.35 } as const;

/** What else speaks for another country than the address's, each for location_spoofing. */
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
  /** Added to spoofed_ip once the inferred country is another one. */
  spoofedIp: 0.3,
} as const;

/** `0.85 · (1 − e^(−km / 400))`. */
export const GPS_DISTANCE_WEIGHTS = { most: 0.85, scaleKm: 400 } as const;
/** `0.15 + 0.5 · (1 − e^(−km to the border / 2500))`. */
export const EXPECTED_COUNTRY_WEIGHTS = { base: 0.15, most: 0.5, scaleKm: 2500 } as const;

/**
 * Impossible travel: a logistic curve of the speed, `1 / (1 + e^(−(v − 900) / 120))`, less where an anonymiser hides
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

/** How far from its user an address may be placed, in kilometres, by what is known of it. */
export const PLACE_RADIUS_KM = {
  isp: 75,
  hosting: 150,
  mobile: 300,
  countryOnly: 600,
  satellite: 1500,
} as const;

/** Mobile and satellite networks put an address hundreds of kilometres from its user, often across a time zone. */
export const ROUGH_LOCATION_CONFIDENCE = 0.6;

/** What each device code adds to device_risk, before its confidence. */
export const DEVICE_WEIGHTS = {
  browserTampering: 0.75,
  androidEmulatorOrRooted: 0.85,
  iosSimulatorOrJailbroken: 0.85,
  automationFramework: 0.9,
  headlessBrowser: 0.85,
  declaredBotUserAgent: 0.95,
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

/** What a simulated location adds to location_spoofing. */
export const MOCK_LOCATION_SPOOFING = 0.8;

/** What a language that does not fit the place or the headers adds to device_network_mismatch. */
export const LANGUAGE_NETWORK_MISMATCH = 0.2;

/** What automation adds to the bot score: the same as to device_risk; interaction that no person makes adds this. */
export const BOT_WEIGHTS = { noHumanInteraction: 0.6, softwareGpu: 0.15 } as const;

/**
 * The risk of a session in one number: noisy-or over these groups, each at the largest weight × score inside it. What
 * hides an address is one group, since a VPN's exit is in a data centre too.
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
