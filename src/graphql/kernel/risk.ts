import { decisionShape } from '@vouchgraph/decisions';
import {
  ALL_CODES,
  COVERAGE_SOURCES,
  type ReasonCode,
  type ReasonDetails,
  type ReasonObservation,
  RISK_SCORE_KEYS,
  RISK_SCORE_MEANINGS,
  type RiskScoreKey,
  type SessionCoverage,
  scoreName,
} from '@vouchgraph/signals';
import { builder } from './builder.ts';
import { GROWING } from './enum-values.ts';
import { setFieldType } from './input-from.ts';

/** An event from before a signal existed has no evidence of it. */
type SignalValues<Value> = Readonly<Partial<Record<RiskScoreKey, Value>>>;

export const RiskSignals = builder.objectRef<SignalValues<boolean>>('RiskSignals').implement({
  tokenScopes: 'any',
  subjects: 'none',
  description: 'Raised risk signals. A signal is raised by a score of at least 0.5.',
  fields: (t) =>
    Object.fromEntries(
      RISK_SCORE_KEYS.map((key) => [
        key,
        t.boolean({
          description: `${RISK_SCORE_MEANINGS[key]} True for a score of at least 0.5.`,
          resolve: (flags) => flags[key] ?? false,
        }),
      ]),
    ),
});

export const RiskSignalScores = builder.objectRef<SignalValues<number>>('RiskSignalScores').implement({
  tokenScopes: 'any',
  subjects: 'none',
  description: 'Score of each risk signal, 0 (no evidence) to 1: noisy-or of independent evidence.',
  fields: (t) =>
    Object.fromEntries(
      RISK_SCORE_KEYS.map((key) => [
        key,
        t.float({
          description: `${RISK_SCORE_MEANINGS[key]} Score, 0 to 1.`,
          resolve: (scores) => scores[key] ?? 0,
        }),
      ]),
    ),
});

/** Names of internal words in upper case, each with its description. */
const namesOf = (words: readonly (readonly [word: string, description: string])[]) =>
  Object.fromEntries(words.map(([value, description]) => [value.toUpperCase(), { value, description }]));

export const RiskSignalEnum = builder.enumType('RiskSignal', {
  description: 'Risk signal of a session.',
  values: namesOf(RISK_SCORE_KEYS.map((key) => [scoreName(key), RISK_SCORE_MEANINGS[key]])),
});

const ReasonCodeName = builder.enumType('ReasonCodeName', {
  ...GROWING,
  description: 'Name of a reason code. Names do not change. New codes can be added.',
  values: namesOf(ALL_CODES.map(({ code, describes }) => [code, describes])),
});

const CoverageSourceEnum = builder.enumType('CoverageSource', {
  description: 'Source of evidence of a session.',
  values: namesOf(COVERAGE_SOURCES.map(({ name, describes }) => [name, describes])),
});

const ReasonObservationType = builder.objectRef<ReasonObservation>('ReasonObservation').implement({
  tokenScopes: 'any',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Observation behind a reason code, from one source.',
  fields: (t) => ({
    contributions: t.expose('contributions', {
      mask: 'none',
      type: 'JSONObject',
      description: 'Contributions of the observation to scores, 0 to 1 each, before combination.',
    }),
    confidence: t.exposeFloat('confidence', { description: 'Confidence of the source, 0 to 1.' }),
    source: t.exposeString('source', { mask: 'none', description: 'Source of the observation.' }),
    sourceAsOf: t.expose('sourceAsOf', {
      mask: 'none',
      type: 'Date',
      nullable: true,
      description: 'Date of the data of the source. Null for observations of the session itself.',
    }),
    observed: t.exposeString('observed', {
      mask: 'sentence',
      description: 'Observation, without personal data.',
    }),
  }),
});

/** A reason of a session, or of an event without its single observations. */
type ShownReason = Omit<ReasonCode, 'observations'> & Partial<Pick<ReasonCode, 'observations'>>;

export const ReasonCodeType = builder.objectRef<ShownReason>('ReasonCode').implement({
  tokenScopes: 'any',
  revealedBy: 'parent',
  subjects: 'none',
  description:
    'Reason for the score of a risk signal, under a stable name. A list contains each code at most once.',
  fields: (t) => ({
    code: t.expose('code', { type: ReasonCodeName, description: 'Name of the code.' }),
    contributions: t.expose('contributions', {
      mask: 'none',
      rest: { schema: { type: 'object', additionalProperties: { type: 'number', minimum: 0, maximum: 1 } } },
      type: 'JSONObject',
      description:
        'Contributions of all observations of the code to scores, 0 to 1 each, before combination with ' +
        'other codes.',
    }),
    confidence: t.exposeFloat('confidence', { description: 'Highest confidence of an observation, 0 to 1.' }),
    source: t.exposeString('source', {
      mask: 'none',
      description: 'Sources of the observations, separated by commas.',
    }),
    sourceAsOf: t.expose('sourceAsOf', {
      mask: 'none',
      rest: { unknown: 'null' },
      type: 'Date',
      nullable: true,
      description:
        'Date of the data of the first source with a date. Null for observations of the session itself.',
    }),
    observed: t.exposeString('observed', {
      mask: 'sentence',
      description: 'Observations, separated by semicolons, without personal data.',
    }),
    observations: t.field({
      type: [ReasonObservationType],
      nullable: true,
      description: 'Single observations of the code. Null in events.',
      resolve: (reason) => reason.observations ?? null,
    }),
  }),
});

export const SessionCoverageType = builder.objectRef<SessionCoverage>('SessionCoverage').implement({
  tokenScopes: 'any',
  subjects: 'none',
  mask: 'none',
  description: 'Availability of a source of evidence for a session.',
  fields: (t) => ({
    source: t.expose('source', { type: CoverageSourceEnum, description: 'Source of evidence.' }),
    description: t.exposeString('description', { description: 'Description of the source.' }),
    lookedAt: t.exposeBoolean('examined', {
      description:
        'Whether the source was available. If false, the risk signals in affects are based on less ' +
        'evidence.',
    }),
    affects: t.expose('affects', {
      type: [RiskSignalEnum],
      description: 'Risk signals that the source contributes to.',
    }),
  }),
});

export const RiskSignalDetails = builder.objectRef<ReasonDetails>('RiskSignalDetails').implement({
  tokenScopes: 'any',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Reasons for the scores. A score of at least 0.3 has at least one reason.',
  fields: (t) => ({
    network: t.expose('network', { type: [ReasonCodeType], description: 'Reasons from the network.' }),
    device: t.expose('device', {
      type: [ReasonCodeType],
      description: 'Reasons from the device or browser.',
    }),
  }),
});

export const DecisionType = builder.enumType('DecisionOutcome', {
  description: 'Outcome of a decision on an account.',
  values: {
    REAL: { value: 'Real', description: 'Score below the thresholds, or account on an allow list.' },
    SUSPICIOUS: {
      value: 'Suspicious',
      description: 'Score at or above the first threshold of the project (0.40 by default).',
    },
    FAKE: {
      value: 'Fake',
      description:
        'Score at or above the second threshold of the project (0.70 by default), or account on a block ' +
        'list.',
    },
  } as const,
});
setFieldType(decisionShape, DecisionType);
