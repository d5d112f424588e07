import { assessSession, type ReasonCode } from '../signals/assess-session.ts';
import type { NetworkFacts } from '../signals/network-intelligence.ts';
import type { RiskScoreKey } from '../signals/risk-scores.ts';
import { describeUserAgent } from '../signals/user-agent.ts';
import type { SessionFactsInput } from './session-input.ts';
import { languageOf, signalFacts } from './signal-facts.ts';
import type { StoredFacts } from './stored-facts.ts';

/** The assessed session, in the shape that the schema reads. Text that is not known is '', numbers are null. */
export type SessionResult = {
  network: { ipAddress: string; serviceProvider: string; connectionType: string };
  location: NetworkFacts['location'];
  browser: { type: string; version: string; language: string; userAgent: string; timezone: string };
  device: {
    category: string;
    type: string;
    os: string;
    gpu: string;
    cpuCores: number | null;
    memory: number | null;
    screenHeight: number | null;
    screenWidth: number | null;
  };
  bot: {
    mouseNumEvents: number;
    clickNumEvents: number;
    keyboardNumEvents: number;
    touchNumEvents: number;
    clipboardNumEvents: number;
  };
  riskSignals: Record<RiskScoreKey, boolean>;
  riskSignalScores: Record<RiskScoreKey, number>;
  riskSignalDetails: { network: ReasonCode[]; device: ReasonCode[] };
  mobile: MobileFacts | null;
  carrier: { name: string; countryCode: string; mcc: string; mnc: string } | null;
  /** How likely an automated client is, 0 to 1. */
  botScore: number;
  /** The ten risk signals as one number, 0 to 1. */
  riskScore: number;
  weightsVersion: string;
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

/** Assesses a session from its facts. The same facts give the same result. */
export function assembleSession(facts: StoredFacts, startTime: Date, network: NetworkFacts): SessionResult {
  const { told, observed } = facts;
  const ua = describeUserAgent(observed.userAgent, {
    touchPoints: told.device?.touchPoints,
    platform: told.browser?.platform ?? undefined,
  });
  const assessment = assessSession(signalFacts(facts, startTime, network, [], ua));
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
      language: languageOf(facts),
      userAgent: observed.userAgent,
      timezone: told.browser?.timezone ?? '',
    },
    device: {
      category: ua.deviceCategory,
      type: ua.deviceType || (told.device?.type ?? ''),
      os: ua.os || (told.device?.os ?? ''),
      gpu: told.device?.gpu ?? '',
      cpuCores: told.device?.cpuCores ?? null,
      // Browsers report gigabytes in steps down to a quarter; the interface has whole numbers.
      memory: told.device?.memory == null ? null : Math.round(told.device.memory),
      screenHeight: told.device?.screenHeight ?? null,
      screenWidth: told.device?.screenWidth ?? null,
    },
    bot: {
      mouseNumEvents: told.bot?.mouseNumEvents ?? 0,
      clickNumEvents: told.bot?.clickNumEvents ?? 0,
      keyboardNumEvents: told.bot?.keyboardNumEvents ?? 0,
      touchNumEvents: told.bot?.touchNumEvents ?? 0,
      clipboardNumEvents: told.bot?.clipboardNumEvents ?? 0,
    },
    riskSignals: assessment.flags,
    riskSignalScores: assessment.scores,
    riskSignalDetails: assessment.details,
    mobile: mobileOf(told),
    carrier: carrierOf(told),
    botScore: assessment.bot,
    riskScore: assessment.riskSignals,
    weightsVersion: assessment.weightsVersion,
    trueCountryCode: network.location.countryCode,
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
