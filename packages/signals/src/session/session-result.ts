import { assessEvidence, evidenceOfSession } from '../assessment/assess-session.ts';
import type { Calibration } from '../assessment/calibration.ts';
import { examinedSources } from '../assessment/coverage.ts';
import type { ReasonDetails } from '../assessment/reason-codes.ts';
import { describeUserAgent, type UserAgentFacts } from '../device/user-agent.ts';
import { type ShownDevice, shownDevice } from '../device-facts.ts';
import type { Evidence, SessionFacts, SessionTrace } from '../evidence/evidence.ts';
import type { RiskScoreKey } from '../evidence/risk-scores.ts';
import { traceOf } from '../geo/place.ts';
import { inferTrueCountry } from '../geo/true-country.ts';
import type { NetworkFacts, NetworkSource } from '../network/network-facts.ts';
import type { SessionFactsInput } from './session-input.ts';
import { type EdgePosition, signalFacts } from './signal-facts.ts';
import type { StoredFacts } from './stored-facts.ts';

/** The assessed session, in the shape that the schema reads. Text that is not known is '', numbers are null. */
export type SessionResult = {
  network: { ipAddress: string; serviceProvider: string; connectionType: string };
  location: NetworkFacts['location'];
  browser: { type: string; version: string; language: string; userAgent: string; timezone: string };
  device: { category: string; type: string; os: string } & ShownDevice;
  bot: {
    mouseNumEvents: number;
    clickNumEvents: number;
    keyboardNumEvents: number;
    touchNumEvents: number;
    clipboardNumEvents: number;
  };
  riskSignals: Record<RiskScoreKey, boolean>;
  riskSignalScores: Record<RiskScoreKey, number>;
  riskSignalDetails: ReasonDetails;
  /** Evidence of the session's own facts. */
  evidence: Evidence[];
  /** Evidence of a comparison with the past, of the account that the session was bound to last. */
  history: Evidence[];
  /** Names of the sources that were examined (COVERAGE_SOURCES). */
  examined: string[];
  mobile: MobileFacts | null;
  carrier: { name: string; countryCode: string; mcc: string; mnc: string } | null;
  /** Likelihood of an automated client, 0 to 1. */
  botScore: number;
  /** The ten risk signals as one number, 0 to 1. */
  riskScore: number;
  weightsVersion: string;
  /** Version of the project's calibration that was applied, null without one. */
  calibrationVersion: number | null;
  trueCountryCode: string;
};

export type MobileFacts = {
  brand: string;
  model: string;
  ramMb: number | null;
  bootCount: number | null;
  uptimeSeconds: number | null;
  battery: { level: number | null; charging: boolean | null };
  languages: string[];
  integrity: { provider: string; verdict: string; verdicts: string[] };
};

export type AssembledSession = { result: SessionResult; trace: SessionTrace };

/** What an assessment depends on besides the session's own facts. */
export type AssessmentContext = {
  network: NetworkFacts;
  /** Networks of the addresses that sent facts later. */
  laterNetworks: readonly NetworkFacts[];
  /** Networks of the WebRTC addresses that the page sent. */
  webrtcNetworks: readonly NetworkFacts[];
  sources: readonly NetworkSource[];
  calibration: Calibration | null;
  history: readonly Evidence[];
  edgePosition: EdgePosition | null;
};

/** Assesses a session from its facts. The same facts give the same result. */
export function assembleSession(
  stored: StoredFacts,
  startTime: Date,
  context: AssessmentContext,
): AssembledSession {
  const { input, observed } = stored;
  const ua = describeUserAgent(observed.userAgent, {
    touchPoints: input.device?.touchPoints,
    platform: input.browser?.platform ?? undefined,
  });
  const facts = signalFacts(stored, startTime, context.network, context, ua, context.edgePosition);
  const evidence = evidenceOfSession(facts);
  const result: SessionResult = {
    ...shownFacts(stored, facts, ua),
    ...scoresOf(evidence, context.history, context.calibration),
    evidence,
    examined: examinedSources(facts, context.sources),
    trueCountryCode: trueCountryOf(facts),
  };
  // By the raw scores: a calibration changes the confidence of a score, not how well an address is hidden.
  const { scores } = assessEvidence([...evidence, ...context.history]);
  return { result, trace: traceOf(facts, scores, observed.device) };
}

/** The result with this evidence of the past in place of the stored evidence of the past. */
export function withHistory(
  result: SessionResult,
  history: readonly Evidence[],
  calibration: Calibration | null,
): SessionResult {
  return { ...result, ...scoresOf(result.evidence, history, calibration) };
}

function scoresOf(
  evidence: readonly Evidence[],
  history: readonly Evidence[],
  calibration: Calibration | null,
) {
  const assessment = assessEvidence([...evidence, ...history], calibration);
  return {
    riskSignals: assessment.flags,
    riskSignalScores: assessment.scores,
    riskSignalDetails: assessment.details,
    botScore: assessment.bot,
    riskScore: assessment.riskSignals,
    weightsVersion: assessment.weightsVersion,
    calibrationVersion: assessment.calibrationVersion,
    history: [...history],
  };
}

/** The country that the evidence supports, else the address's; '' unless it is an ISO code. */
function trueCountryOf(facts: SessionFacts): string {
  return inferTrueCountry(facts).countryCode;
}

/** Public facts of a session besides its scores. */
function shownFacts({ input, observed }: StoredFacts, facts: SessionFacts, ua: UserAgentFacts) {
  const { network, browser } = facts;
  return {
    network: {
      ipAddress: observed.ip,
      serviceProvider: network.serviceProvider,
      connectionType: network.connectionType,
    },
    location: network.location,
    browser: {
      type: ua.browserType,
      version: ua.browserVersion,
      language: browser.language,
      userAgent: observed.userAgent,
      timezone: input.browser?.timezone ?? '',
    },
    device: {
      category: ua.deviceCategory,
      type: ua.deviceType || (input.device?.type ?? ''),
      os: ua.os || (input.device?.os ?? ''),
      ...shownDevice(input.device),
    },
    bot: {
      mouseNumEvents: input.bot?.mouseNumEvents ?? 0,
      clickNumEvents: input.bot?.clickNumEvents ?? 0,
      keyboardNumEvents: input.bot?.keyboardNumEvents ?? 0,
      touchNumEvents: input.bot?.touchNumEvents ?? 0,
      clipboardNumEvents: input.bot?.clipboardNumEvents ?? 0,
    },
    mobile: mobileOf(input),
    carrier: carrierOf(input),
  };
}

function mobileOf({ source, mobile }: SessionFactsInput): MobileFacts | null {
  if (!mobile || (source !== 'ios' && source !== 'android')) return null;
  return {
    brand: mobile.brand ?? '',
    model: mobile.model ?? '',
    ramMb: mobile.ramMb ?? null,
    bootCount: mobile.bootCount ?? null,
    uptimeSeconds: mobile.uptimeSeconds ?? null,
    battery: { level: mobile.battery?.level ?? null, charging: mobile.battery?.charging ?? null },
    languages: mobile.languages ?? [],
    integrity: {
      provider: mobile.integrity?.provider ?? '',
      verdict: mobile.integrity?.verdict ?? '',
      verdicts: mobile.integrity?.verdicts ?? [],
    },
  };
}

function carrierOf({ source, carrier }: SessionFactsInput): SessionResult['carrier'] {
  if (!carrier || (source !== 'ios' && source !== 'android')) return null;
  return {
    name: carrier.name ?? '',
    countryCode: carrier.countryCode?.toUpperCase() ?? '',
    mcc: carrier.mcc ?? '',
    mnc: carrier.mnc ?? '',
  };
}
