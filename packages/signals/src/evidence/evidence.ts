import type { Checks } from '../device/checks.ts';
import type { UserAgentFacts } from '../device/user-agent.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import type { RiskScoreKey } from './risk-scores.ts';

export type SignalFamily = 'network' | 'device';

/**
 * Cause of an observation. Evidence of one group has one cause, so only the strongest of a group counts towards a score;
 * groups are considered independent.
 */
export type EvidenceGroup =
  | 'vpn_list'
  | 'tor_list'
  | 'proxy_list'
  | 'relay_list'
  | 'datacenter'
  | 'fraud_history'
  | 'client_address'
  | 'transport'
  | 'timezone'
  | 'timezone_country'
  | 'locale_country'
  | 'sim_country'
  | 'routing_country'
  | 'round_trip'
  | 'gps'
  | 'expected_countries'
  | 'travel'
  | 'tamper'
  | 'automation'
  | 'environment'
  | 'integrity'
  | 'mock_location'
  | 'behavior'
  | 'reuse';

/** One observation that supports a risk. */
export type Evidence = {
  code: string;
  family: SignalFamily;
  group: EvidenceGroup;
  /** Contribution to each score, 0..1: weight × confidence × freshness. */
  contributions: Partial<Record<RiskScoreKey, number>>;
  /** Contribution to the bot score, 0..1. */
  bot?: number;
  /** Confidence that the observation has the meaning of the code, 0..1. */
  confidence: number;
  /** Source of the observation. */
  source: string;
  /** The date of that source, YYYY-MM-DD; null for what does not age. */
  sourceAsOf: string | null;
  /** The observation as text for people. Never personal data. */
  observed: string;
  /** A plain fact is reported at any strength. */
  factual?: boolean;
};

/** Counts of events of a person, or of a program that imitates one. */
export type InteractionCounts = {
  mouse: number;
  click: number;
  keyboard: number;
  touch: number;
  clipboard: number;
};

export type GpsFacts = {
  latitude: number;
  longitude: number;
  /** Radius in meters, at least 1; null when it was not sent. */
  accuracyM: number | null;
  /** Whether the system reports the location as simulated; null when unknown. */
  mock: boolean | null;
};

/** Facts of a phone, as an iOS or Android app sends them. */
export type MobileSignals = {
  model: string;
  bootCount: number | null;
  uptimeSeconds: number | null;
  /** play_integrity, app_attest or device_check; '' without an attestation. */
  integrityProvider: string;
  integrityVerdicts: string[];
};

/** Facts of the connection that a trusted proxy in front of the service sends; '' or null for those it does not. */
export type EdgeFacts = {
  /** JA4 fingerprint of the TLS client hello, header `x-ja4`. */
  ja4: string;
  /** Round trip of the TCP connection in milliseconds, header `x-tcp-rtt-us` (nginx `$tcpinfo_rtt`). */
  tcpRttMs: number | null;
  /** Time to live of the client's packets as they arrived, header `x-ip-ttl`. */
  ipTtl: number | null;
  /** Position of the proxy, from the operator's settings; without it round trips do not limit distances. */
  position?: { latitude: number; longitude: number } | null;
};

/** All facts that the codes of a session examine. Unknown text is '', unknown numbers are null. */
export type SessionFacts = {
  startTime: Date;
  source: 'web' | 'ios' | 'android';
  ip: string;
  network: NetworkFacts;
  /** Networks of other addresses that sent facts of the same session later, each once. */
  laterNetworks: readonly NetworkFacts[];
  /** Networks of the WebRTC addresses that the page sent. */
  webrtcNetworks: readonly NetworkFacts[];
  userAgent: string;
  ua: UserAgentFacts;
  /**
   * Headers of the request that created the session, names in lower case; only those in OBSERVED_HEADERS that were
   * sent.
   */
  headers: Readonly<Record<string, string>>;
  edge: EdgeFacts | null;
  browser: {
    language: string;
    languages: string[];
    timezone: string;
    /** As Date#getTimezoneOffset gives it: west of UTC is positive. */
    timezoneOffsetMinutes: number | null;
    platform: string;
  };
  device: {
    gpu: string;
    cpuCores: number | null;
    /** Gigabytes as navigator.deviceMemory rounds them. */
    memory: number | null;
    screenWidth: number | null;
    screenHeight: number | null;
    pixelRatio: number | null;
    touchPoints: number | null;
  };
  /** null when nothing counted them. */
  interaction: InteractionCounts | null;
  /** Raw values of the consistency checks; null when no page collected any. */
  checks: Checks | null;
  gps: GpsFacts | null;
  mobile: MobileSignals | null;
  /** ISO 3166-1 alpha-2 of the country that the SIM's operator works in. */
  carrier: { countryCode: string } | null;
};

/** Maximum contribution to each score and to the bot score, before confidence and freshness. */
export type CodeWeights = Readonly<Partial<Record<RiskScoreKey | 'bot', number>>>;

/** One reason code of a session. It examines only the facts, and returns null when a fact that it needs is missing. */
export type SignalCode = {
  code: string;
  family: SignalFamily;
  /** Observation, noun first, for the schema and the documents. */
  describes: string;
  /** Sources that it examines, with units. */
  needs: string;
  /** Limits of the interpretation. */
  limits: string;
  /** Its maximum contributions, as the documents show them. */
  weights: CodeWeights;
  /** Most codes have one cause; a code with several sources returns an observation of each. */
  evaluate(facts: SessionFacts): Evidence | readonly Evidence[] | null;
};

/** Place and device of a session, with which the next session of the account is compared. */
export type SessionTrace = {
  startTime: Date;
  countryCode: string;
  latitude: number | null;
  longitude: number | null;
  /** Radius of the place, in kilometers. */
  radiusKm: number;
  /** Confidence that an anonymizer hides the true place, 0..1. */
  anonymity: number;
  connectionType: string;
  /** What identifies the device, '' when nothing does. Compared only. */
  device: string;
  bootCount: number | null;
  uptimeSeconds: number | null;
};

/** A session on the same network that was decided Fake, of another account. */
export type FraudSighting = {
  at: Date;
  /** The same address (/32, or /64 for IPv6), or only the same subnet (/24, /56). */
  near: 'address' | 'subnet';
};

/** History of a session. Missing parts are unknown, never "nothing". */
export type HistoryFacts = {
  session: SessionTrace;
  /** The account's latest earlier session of the last 7 days; null without one, or without an account. */
  previous: SessionTrace | null;
  /** The account's earliest later session within 7 days, when this one is bound after it; null otherwise. */
  following: SessionTrace | null;
  /** ISO 3166-1 alpha-2; empty when the account names none, or there is no account. */
  expectedCountries: readonly string[];
  /** Other accounts' sessions on this network that were decided Fake in the last 90 days, the newest first. */
  fraud: readonly FraudSighting[];
  /** Number of accounts on the device in the last 7 days, including this one; null for a device without identity. */
  accountsOnDevice: number | null;
};

/** One reason code that compares a session with its history. */
export type HistoryCode = {
  code: string;
  family: SignalFamily;
  describes: string;
  needs: string;
  limits: string;
  weights: CodeWeights;
  evaluate(facts: HistoryFacts): Evidence | readonly Evidence[] | null;
};

/** Contributions of a code to the scores and to the bot score: each the product of its weight and its confidence. */
export function weigh(
  { bot, ...weights }: CodeWeights,
  confidence: number,
): Pick<Evidence, 'contributions' | 'bot'> {
  const entries = Object.entries(weights).map(([key, weight]) => [key, weight * confidence]);
  return {
    contributions: Object.fromEntries(entries) as Evidence['contributions'],
    ...(bot === undefined ? {} : { bot: bot * confidence }),
  };
}
