import { snakeCase } from '@vouchgraph/platform/letter-case';

/** The ten risk signals; stored scores and averages keep this order. */
export const RISK_SCORE_KEYS = [
  'deviceRisk',
  'proxy',
  'vpn',
  'tor',
  'spoofedIp',
  'datacenter',
  'recentFraudIp',
  'impossibleTravel',
  'deviceNetworkMismatch',
  'locationSpoofing',
] as const;

export type RiskScoreKey = (typeof RISK_SCORE_KEYS)[number];

export const RISK_SCORE_MEANINGS: Readonly<Record<RiskScoreKey, string>> = {
  deviceRisk: 'Device or browser that is tampered with, automated or disguised.',
  proxy: 'IP address of a proxy.',
  vpn: 'IP address of a VPN.',
  tor: 'IP address of a Tor exit.',
  spoofedIp: 'IP address that is not that of the client.',
  datacenter: 'IP address of a data center or hosting provider.',
  recentFraudIp: 'IP address of recent sessions of fake accounts, or on a fraud list.',
  impossibleTravel:
    'Distance from the previous session of the account that cannot be traveled in the time between.',
  deviceNetworkMismatch: 'Contradiction between the device and its network.',
  locationSpoofing: 'Spoofed location: time zone, locale, GPS and network disagree.',
};

/** A score's name on the interfaces, as `device_risk`. */
export function scoreName(key: RiskScoreKey): string {
  return snakeCase(key);
}
