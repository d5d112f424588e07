export { assessEvidence, evidenceOfHistory, evidenceOfSession } from './assessment/assess-session.ts';
export {
  CALIBRATED_SCORES,
  type CalibratedScore,
  type Calibration,
  type CalibrationFit,
  type CalibrationReport,
  type CalibrationSample,
  fitCalibration,
  MAX_CALIBRATION_SAMPLES,
  parseCalibration,
} from './assessment/calibration.ts';
export {
  COVERAGE_SOURCES,
  coverageOf,
  examinedSources,
  privateRelayOf,
  type SessionCoverage,
} from './assessment/coverage.ts';
export type { ReasonCode, ReasonDetails, ReasonObservation } from './assessment/reason-codes.ts';
export { isAppLibrary } from './codes/declared-bot-user-agent.ts';
export { impossibleTravelSpeed } from './codes/impossible-travel-speed.ts';
export { ALL_CODES } from './codes/signal-codes.ts';
export { parseChecks } from './device/checks.ts';
export { headerTags } from './device/primary-language.ts';
export { type DeviceCategory, describeUserAgent, type UserAgentFacts } from './device/user-agent.ts';
export {
  DEVICE_FACTS,
  REPORTED_DEVICE,
  RULE_DEVICE_FACTS,
  type ShownDevice,
  shownDevice,
} from './device-facts.ts';
export { combine } from './evidence/combine.ts';
export type {
  EdgeFacts,
  Evidence,
  FraudSighting,
  GpsFacts,
  InteractionCounts,
  MobileSignals,
  SessionFacts,
  SessionTrace,
} from './evidence/evidence.ts';
export { RISK_FLAG_MEANINGS, RISK_FLAGS, type RiskFlag } from './evidence/risk-flags.ts';
export {
  perRiskScore,
  RISK_SCORE_KEYS,
  RISK_SCORE_MEANINGS,
  RISK_SCORES,
  type RiskScoreKey,
  scoreName,
} from './evidence/risk-scores.ts';
export { WEIGHTS_VERSION } from './evidence/weights.ts';
export type { BadLines } from './feeds/feed-content.ts';
export { traceOf } from './geo/place.ts';
export { timezoneOffsetMinutes } from './geo/timezones.ts';
export { inferTrueCountry } from './geo/true-country.ts';
export { CONNECTION_TYPES } from './network/connection-type.ts';
export type { NetworkFacts, NetworkSource } from './network/network-facts.ts';
export { EDGE_HEADERS, OBSERVED_HEADERS } from './transport/observed-headers.ts';
