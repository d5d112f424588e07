import { decisionShape } from '../domain/decisions/decide.ts';
import { COVERAGE_SOURCES, type SessionCoverage } from '../domain/signals/assessment/coverage.ts';
import type {
  ReasonCode,
  ReasonDetails,
  ReasonObservation,
} from '../domain/signals/assessment/reason-codes.ts';
import { ALL_CODES } from '../domain/signals/codes/signal-codes.ts';
import { RISK_SCORE_KEYS, type RiskScoreKey, scoreName } from '../domain/signals/evidence/risk-scores.ts';
import { builder } from './builder.ts';
import { GROWING } from './enum-values.ts';
import { setFieldType } from './input-from.ts';

const MEANING: Readonly<Record<RiskScoreKey, string>> = {
  deviceRisk: 'The device or browser is tampered with, automated, or not what it says.',
  proxy: 'The address belongs to a proxy.',
  vpn: 'The address belongs to a VPN.',
  tor: 'The address belongs to the Tor network.',
  spoofedIp: 'The address is not the one that the client has.',
  datacenter: 'The address belongs to a datacenter or hosting provider.',
  recentFraudIp: 'Fraud came from this address recently.',
  impossibleTravel: 'The account cannot have traveled here since its session before.',
  deviceNetworkMismatch: 'Contradiction between the device and the network that it uses.',
  locationSpoofing: 'The location is made up: timezone, locale, GPS and network do not agree.',
};

export const RiskSignals = builder.objectRef<Record<RiskScoreKey, boolean>>('RiskSignals').implement({
  description: 'Whether each risk signal is raised: its score is 0.5 or more.',
  fields: (t) =>
    Object.fromEntries(
      RISK_SCORE_KEYS.map((key) => [
        key,
        t.boolean({ description: MEANING[key], resolve: (flags) => flags[key] }),
      ]),
    ),
});

export const RiskSignalScores = builder
  .objectRef<Record<RiskScoreKey, number>>('RiskSignalScores')
  .implement({
    description: 'Each risk signal from 0 (nothing found) to 1, by noisy-or over independent evidence.',
    fields: (t) =>
      Object.fromEntries(
        RISK_SCORE_KEYS.map((key) => [
          key,
          t.float({ description: `${MEANING[key]} 0 to 1.`, resolve: (scores) => scores[key] }),
        ]),
      ),
  });

/** Names of internal words in upper case, each with its description. */
const namesOf = (words: readonly (readonly [word: string, description: string])[]) =>
  Object.fromEntries(words.map(([value, description]) => [value.toUpperCase(), { value, description }]));

export const RiskSignalEnum = builder.enumType('RiskSignal', {
  description: 'Risk signal of a session.',
  values: namesOf(RISK_SCORE_KEYS.map((key) => [scoreName(key), MEANING[key]])),
});

export const REASON_CODES = ALL_CODES.map(({ code }) => code);

export const ReasonCodeName = builder.enumType('ReasonCodeName', {
  ...GROWING,
  description: 'Name of a reason code. Names stay; new codes are added.',
  values: namesOf(ALL_CODES.map(({ code, describes }) => [code, describes])),
});

const CoverageSourceEnum = builder.enumType('CoverageSource', {
  description: 'Source of evidence of a session.',
  values: namesOf(COVERAGE_SOURCES.map(({ name, describes }) => [name, describes])),
});

const ReasonObservationType = builder.objectRef<ReasonObservation>('ReasonObservation').implement({
  description: 'Observation behind a reason code, by one source.',
  fields: (t) => ({
    contributions: t.field({
      type: 'JSONObject',
      description: 'Contribution of this observation to each score, 0 to 1, before combination.',
      resolve: (observation) => observation.contributions,
    }),
    confidence: t.exposeFloat('confidence', { description: 'Confidence of the source, 0 to 1.' }),
    source: t.exposeString('source', { description: 'Source of the observation.' }),
    sourceAsOf: t.field({
      type: 'Date',
      nullable: true,
      description: 'Date of the data behind it; null for what the session itself shows.',
      resolve: (observation) => observation.sourceAsOf,
    }),
    observed: t.exposeString('observed', { description: 'Observation in words, without personal data.' }),
  }),
});

const ReasonCodeType = builder.objectRef<ReasonCode>('ReasonCode').implement({
  description: 'Reason why a score is elevated, under a stable name. A code appears once in a list.',
  fields: (t) => ({
    code: t.field({
      type: ReasonCodeName,
      description: 'Name of the code.',
      resolve: ({ code }) => code,
    }),
    contributions: t.field({
      type: 'JSONObject',
      description:
        'Contribution of all observations of the code to each score, 0 to 1, before combination with other codes.',
      resolve: (reason) => reason.contributions,
    }),
    confidence: t.exposeFloat('confidence', { description: 'Confidence of the surest observation, 0 to 1.' }),
    source: t.exposeString('source', { description: 'Sources of the observations, separated by commas.' }),
    sourceAsOf: t.field({
      type: 'Date',
      nullable: true,
      description: 'Date of the first source that has one; null for what the session itself shows.',
      resolve: (reason) => reason.sourceAsOf,
    }),
    observed: t.exposeString('observed', {
      description: 'Observations in words, separated by semicolons, without personal data.',
    }),
    observations: t.field({
      type: [ReasonObservationType],
      description: 'Observations behind the code, one by one.',
      resolve: (reason) => reason.observations ?? [],
    }),
  }),
});

export const SessionCoverageType = builder.objectRef<SessionCoverage>('SessionCoverage').implement({
  description: 'Whether a source of evidence was available for a session.',
  fields: (t) => ({
    source: t.field({
      type: CoverageSourceEnum,
      description: 'The source.',
      resolve: ({ source }) => source,
    }),
    description: t.exposeString('description', { description: 'Description of the source.' }),
    lookedAt: t.exposeBoolean('lookedAt', {
      description: 'Whether it was available. False: the risk signals that it affects rest on less evidence.',
    }),
    affects: t.field({
      type: [RiskSignalEnum],
      description: 'Risk signals that it is evidence for.',
      resolve: ({ affects }) => affects,
    }),
  }),
});

export const RiskSignalDetails = builder.objectRef<ReasonDetails>('RiskSignalDetails').implement({
  description: 'The reasons behind the scores. A score of 0.3 or more has at least one.',
  fields: (t) => ({
    network: t.field({
      type: [ReasonCodeType],
      description: 'Reasons that lie in the network.',
      resolve: (details) => details.network,
    }),
    device: t.field({
      type: [ReasonCodeType],
      description: 'Reasons that lie in the device or browser.',
      resolve: (details) => details.device,
    }),
  }),
});

export const DecisionType = builder.enumType('DecisionOutcome', {
  description: 'Outcome of a decision on an account.',
  values: {
    REAL: { value: 'Real', description: 'No risk above the thresholds, or membership of an allow list.' },
    SUSPICIOUS: {
      value: 'Suspicious',
      description: "The score reached the project's first threshold (0.40 by default).",
    },
    FAKE: {
      value: 'Fake',
      description: "The score reached the project's second threshold (0.70 by default), or a block list.",
    },
  } as const,
});
setFieldType(decisionShape, DecisionType);
