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
