import type { SessionFacts } from '../evidence/evidence.ts';
import { type RiskScoreKey, scoreName } from '../evidence/risk-scores.ts';
import { claimedPosition } from '../geo/gps-position.ts';
import type { NetworkSource } from '../network/network-facts.ts';

/** A source of evidence for a risk, which may be unavailable to an assessment. */
type CoverageSource = {
  name: string;
  /** Description for people. */
  describes: string;
  /** Signals that are missing or weaker without it. */
  affects: readonly RiskScoreKey[];
  wasExamined(facts: SessionFacts, sources: ReadonlySet<string>): boolean;
};

const hasAddress = ({ network }: SessionFacts) => network.ip !== '' && !network.bogon;

const feed = (kind: string, contents: string, affects: readonly RiskScoreKey[]): CoverageSource => ({
  name: `feed_${kind}`,
  describes: `List of ${contents}, included or added by the operator.`,
  affects,
  wasExamined: (facts, sources) => hasAddress(facts) && sources.has(`feed_kind:${kind}`),
});

/** Every source, in the order in which it is shown. */
export const COVERAGE_SOURCES: readonly CoverageSource[] = [
  {
    name: 'asn_table',
    describes: 'Network that announces the address, and its kind.',
    affects: ['vpn', 'tor', 'datacenter', 'proxy'],
    wasExamined: (facts, sources) => hasAddress(facts) && sources.has('asn'),
  },
  {
    name: 'city_database',
    describes: 'City, coordinates and time zone of the address.',
    affects: ['locationSpoofing', 'deviceNetworkMismatch', 'impossibleTravel', 'vpn', 'proxy'],
    wasExamined: (facts, sources) =>
      hasAddress(facts) && sources.has(facts.network.ip.includes(':') ? 'city_ipv6' : 'city_ipv4'),
  },
  {
    name: 'country_database',
    describes: 'Second source of the country of the address.',
    affects: ['locationSpoofing'],
    wasExamined: (facts, sources) => hasAddress(facts) && sources.has('country'),
  },
  feed('vpn', 'VPN addresses', ['vpn', 'locationSpoofing']),
  feed('tor', 'Tor exits', ['tor', 'locationSpoofing']),
  feed('proxy', 'addresses of proxies', ['proxy', 'locationSpoofing']),
  feed('relay', 'addresses of privacy relays', ['vpn', 'proxy']),
  feed('datacenter', 'addresses of data centers', ['datacenter', 'proxy']),
  feed('fraud', 'addresses with known fraud', ['recentFraudIp']),
  {
    name: 'earlier_decisions',
    describes: 'Sessions of the project on the same network with a FAKE decision.',
    affects: ['recentFraudIp'],
    wasExamined: hasAddress,
  },
  {
    name: 'edge',
    describes: 'TLS fingerprint, round trip and time to live, from a trusted proxy.',
    affects: ['deviceNetworkMismatch', 'proxy'],
    wasExamined: ({ edge }) => edge !== null,
  },
  {
    name: 'user_agent',
    describes: 'User agent of the client.',
    affects: ['deviceRisk', 'deviceNetworkMismatch'],
    wasExamined: ({ userAgent }) => userAgent !== '',
  },
  {
    name: 'timezone',
    describes: 'Time zone of the device.',
    affects: ['locationSpoofing', 'deviceNetworkMismatch', 'vpn', 'proxy'],
    wasExamined: ({ browser, checks }) =>
      browser.timezone !== '' ||
      browser.timezoneOffsetMinutes !== null ||
      (checks !== null && (checks.timezone !== '' || checks.timezoneOffsetMinutes !== null)),
  },
  {
    name: 'page_checks',
    describes: 'Raw values of the consistency checks, collected by a page or an app.',
    affects: ['deviceRisk', 'deviceNetworkMismatch', 'spoofedIp'],
    wasExamined: ({ checks }) => checks !== null,
  },
  {
    name: 'interaction',
    describes: 'Counts of interactions of a person.',
    affects: ['deviceRisk'],
    wasExamined: ({ interaction }) => interaction !== null,
  },
  {
    name: 'gps',
    describes: 'Position from the device.',
    affects: ['locationSpoofing'],
    wasExamined: ({ gps }) => claimedPosition(gps) !== null,
  },
  {
    name: 'app_integrity',
    describes: 'Integrity verdict on the app and the device, by Google or Apple.',
    affects: ['deviceRisk'],
    wasExamined: ({ mobile }) => mobile !== null && mobile.integrityVerdicts.length > 0,
  },
  {
    name: 'sim_carrier',
    describes: 'Country of the operator of the SIM card.',
    affects: ['locationSpoofing'],
    wasExamined: ({ carrier }) => carrier !== null,
  },
];

/** Names of the sources that a session's assessment examined. The absence of a source means unknown, not clean. */
export function examinedSources(facts: SessionFacts, sources: readonly NetworkSource[]): string[] {
  const available = new Set(sources.filter((source) => source.available).map(({ name }) => name));
  return COVERAGE_SOURCES.filter((source) => source.wasExamined(facts, available)).map(({ name }) => name);
}

/** A source as readers of a session see it. */
export type SessionCoverage = { source: string; description: string; examined: boolean; affects: string[] };

/** Every source and whether it was examined. */
export function coverageOf(examined: readonly string[]): SessionCoverage[] {
  return COVERAGE_SOURCES.map(({ name, describes, affects }) => ({
    source: name,
    description: describes,
    examined: examined.includes(name),
    affects: affects.map(scoreName),
  }));
}

/**
 * Whether a session came through a privacy relay: true by its connection type, false when a list of relays was consulted
 * and the address is on none, null (unknown) without a list or without a public address.
 */
export function privateRelayOf(connectionType: string, examined: readonly string[]): boolean | null {
  if (connectionType === 'private_relay') return true;
  return examined.includes('feed_relay') ? false : null;
}
