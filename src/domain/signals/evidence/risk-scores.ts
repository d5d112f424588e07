import { snakeCase } from '../../../platform/letter-case.ts';

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

/** A score's name on the interfaces, as `device_risk`. */
export function scoreName(key: RiskScoreKey): string {
  return snakeCase(key);
}
