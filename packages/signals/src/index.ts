export { assessEvidence } from './assessment/assess-session.ts';
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
  privateRelayOf,
  type SessionCoverage,
} from './assessment/coverage.ts';
export type { ReasonCode, ReasonDetails, ReasonObservation } from './assessment/reason-codes.ts';
export { isAppLibrary } from './codes/declared-bot-user-agent.ts';
export { impossibleTravelSpeed } from './codes/impossible-travel-speed.ts';
export { ALL_CODES } from './codes/signal-codes.ts';
export { type DeviceCategory, describeUserAgent } from './device/user-agent.ts';
export {
  DEVICE_FACTS,
  RULE_DEVICE_FACTS,
  type ShownDevice,
} from './device-facts.ts';
export { combine } from './evidence/combine.ts';
export type {
  FraudSighting,
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
export { CONNECTION_TYPES } from './network/connection-type.ts';
export type { NetworkFacts } from './network/network-facts.ts';
export { type AssessDeps, assessedColumns, assessFacts } from './session/assess-facts.ts';
export { newBrowserId, readBrowserId, signBrowserId } from './session/browser-id.ts';
export { collectorToken, isCollectorTokenOf, projectOfCollectorToken } from './session/collector-token.ts';
export { deviceOf, isFingerprint } from './session/device-identity.ts';
export {
  areTooManyPatches,
  checkFactsSize,
  encryptPatch,
  encryptSessionFacts,
  mergePatch,
  sessionFactsOf,
} from './session/fact-patches.ts';
export { addressHash, networkHashes, subnetHash } from './session/network-hashes.ts';
export {
  compareWithHistory,
  decryptTrace,
  type StoredHistory,
  type StoredTrace,
} from './session/session-history.ts';
export {
  addSessionFactsShape,
  completeSessionShape,
  createSessionShape,
  INTEGRITY_PROVIDERS,
  integrityProviderShape,
  SESSION_SOURCES,
  type SessionFactsInput,
  type SessionSource,
  type SimulatedFacts,
  sessionSourceShape,
} from './session/session-input.ts';
export { type MobileFacts, type SessionResult, withHistory } from './session/session-result.ts';
export { signalBit, signalBits } from './session/signal-bits.ts';
export type { StoredFacts, StoredPatch } from './session/stored-facts.ts';
export { EDGE_HEADERS, OBSERVED_HEADERS } from './transport/observed-headers.ts';
