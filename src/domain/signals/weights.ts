/*
 * Every weight of the risk signals. They are expert priors: set by judgement and by what published systems do, not
 * yet measured against outcomes. A change of any of them raises the version, which is stored with each score.
 */
import type { RiskScoreKey } from './risk-scores.ts';

export const WEIGHTS_VERSION = '1';

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

/** What each network code speaks for, before its confidence. */
export const VPN_LIST_WEIGHTS = { vpn: 1, locationSpoofing: 0.45 } as const;
export const TOR_LIST_WEIGHTS = { tor: 1 } as const;
export const DATACENTER_WEIGHTS = { datacenter: 1, proxy: 0.2 } as const;

/** A device's clock against its network's: this much for any difference, more by the hour, and no more than the cap. */
export const TIMEZONE_WEIGHTS = { base: 0.25, perHour: 0.08, cap: 0.65, vpn: 0.35 } as const;

/** Mobile and satellite networks put an address hundreds of kilometres from its user, often across a time zone. */
export const ROUGH_LOCATION_CONFIDENCE = 0.6;

export const DEVICE_WEIGHTS = { declaredBotUserAgent: 0.95, userAgentPlatformMismatch: 0.65 } as const;

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
