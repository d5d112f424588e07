import { snakeCase } from '@vouchgraph/platform/letter-case';

/** One risk score of a session, from which its fields, rule fields, statistics, calibration and documents follow. */
type RiskScore = {
  key: string;
  /** The risk, noun first, for the schema. */
  describes: string;
  /** The risk as a clause, for rules and documents: "the address is a Tor exit". */
  raisedWhen: string;
  /** What evidence of it needs, for the documents. */
  requires: string;
  /** Share of the score in the one number for all risk signals. */
  weight: number;
  /** Risks of one cause, of which only the largest counts towards that number; without a group a cause of its own. */
  group?: 'hidden_address';
};

/** The risk scores. Stored scores, averages and raised signals keep this order: a new one is added at the end. */
export const RISK_SCORES = [
  {
    key: 'deviceRisk',
    describes: 'Device or browser that is tampered with, automated or disguised.',
    raisedWhen: 'the browser or device is disguised, automated, tampered with or emulated',
    requires: 'data that a page or app collects (`checks`, `mobile`)',
    weight: 0.7,
  },
  {
    key: 'proxy',
    describes: 'IP address of a proxy.',
    raisedWhen: 'the address belongs to a proxy',
    requires: 'a proxy feed: no list of proxies is included',
    weight: 0.5,
    group: 'hidden_address',
  },
  {
    key: 'vpn',
    describes: 'IP address of a VPN.',
    raisedWhen: 'the address belongs to a VPN',
    requires:
      'a current VPN feed, because the included list ages. Networks of VPN companies, and hosting networks where they rent servers, are included',
    weight: 0.4,
    group: 'hidden_address',
  },
  {
    key: 'tor',
    describes: 'IP address of a Tor exit.',
    raisedWhen: 'the address is a Tor exit',
    requires:
      'a current list of exits, because the included list ages. Networks of exit operators are included',
    weight: 0.8,
    group: 'hidden_address',
  },
  {
    key: 'spoofedIp',
    describes: 'IP address that is not that of the client.',
    raisedWhen: 'the address is not the address of the client',
    requires: 'WebRTC addresses, forwarding headers, several addresses in one session',
    weight: 0.6,
  },
  {
    key: 'datacenter',
    describes: 'IP address of a data center or hosting provider.',
    raisedWhen: 'the address belongs to a data center',
    requires: 'nothing: networks of hosting companies are included',
    weight: 0.5,
    // The exit of a VPN is in a data center too.
    group: 'hidden_address',
  },
  {
    key: 'recentFraudIp',
    describes: 'IP address of recent sessions of fake accounts, or on a fraud list.',
    raisedWhen: 'sessions of other accounts on this network were decided Fake recently',
    requires: 'earlier decisions of the project, or a fraud feed',
    weight: 0.7,
  },
  {
    key: 'impossibleTravel',
    describes:
      'Distance from the previous session of the account that cannot be traveled in the time between.',
    raisedWhen: 'the user cannot have traveled here since the previous session of the account',
    requires: 'an earlier session of the same account within 7 days',
    weight: 0.6,
  },
  {
    key: 'deviceNetworkMismatch',
    describes: 'Contradiction between the device and its network.',
    raisedWhen: 'values of the device contradict the network',
    requires: "the device's timezone; TLS facts from a trusted proxy",
    weight: 0.4,
  },
  {
    key: 'locationSpoofing',
    describes: 'Spoofed location: time zone, locale, GPS and network disagree.',
    raisedWhen: 'the location is forged',
    requires: 'timezone, GPS, SIM, expected countries',
    weight: 0.6,
  },
] as const satisfies readonly RiskScore[];

export type RiskScoreKey = (typeof RISK_SCORES)[number]['key'];

export const RISK_SCORE_KEYS: readonly RiskScoreKey[] = RISK_SCORES.map(({ key }) => key);

export const RISK_SCORE_MEANINGS = Object.fromEntries(
  RISK_SCORES.map(({ key, describes }) => [key, describes]),
) as Readonly<Record<RiskScoreKey, string>>;

/** A record of one value for each score, in the order of the scores. */
export function perRiskScore<Value>(toValue: (key: RiskScoreKey) => Value): Record<RiskScoreKey, Value> {
  return Object.fromEntries(RISK_SCORE_KEYS.map((key) => [key, toValue(key)])) as Record<RiskScoreKey, Value>;
}

/** Weights of the scores in the one number for all risk signals, by cause. */
export const SESSION_RISK_GROUPS = [
  ...Map.groupBy(RISK_SCORES, (score) => ('group' in score ? score.group : score.key)).values(),
];

/** A score's name on the interfaces, as `device_risk`. */
export function scoreName(key: RiskScoreKey): string {
  return snakeCase(key);
}
