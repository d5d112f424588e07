import { RISK_SCORE_MEANINGS, type SessionResult } from '@vouchgraph/signals';
import { isReproducible, type ReferringSignals, type StoredAssessment } from '@vouchgraph/verification';
import type {
  MediaUrls,
  VerificationMatch,
  VerificationView,
} from '../../domain/verification/result/verification.ts';
import { DEVICE_NETWORK_KEYS } from '../../domain/verification/result/verification-snapshot.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { byProperties } from '../kernel/collect-subjects.ts';
import { DecisionType } from '../kernel/risk.ts';
import { RiskFlagType } from '../kernel/verification-enums.ts';
import { MatchTypeEnum } from '../links/link-evidence.ts';

type Scores = SessionResult['riskSignalScores'];
const score = (description: string) => ({ description: `${description} Score, 0 to 1.` });

/** Words that differ from those of RiskSignalScores. */
const OTHER_WORDS: Partial<Record<keyof Scores, object>> = {
  recentFraudIp: { rest: { description: 'Network with recent Fake decisions on accounts. Score, 0 to 1.' } },
  locationSpoofing: score('Spoofed location.'),
};

export const DeviceNetworkSignals = builder.objectRef<Scores>('DeviceNetworkSignals').implement({
  tokenScopes: 'any',
  subjects: 'none',
  description: 'Risk signals of the device and network of a verification, as in RiskSignalScores.',
  fields: (t) =>
    Object.fromEntries(
      DEVICE_NETWORK_KEYS.map((key) => [
        key,
        t.float({
          ...score(RISK_SCORE_MEANINGS[key]),
          ...OTHER_WORDS[key],
          // An event from before a signal existed has no evidence of it.
          resolve: (scores) => scores[key] ?? 0,
        }),
      ]),
    ),
});

export const ReferringSessionSignals = builder
  .objectRef<ReferringSignals>('ReferringSessionSignals')
  .implement({
    tokenScopes: 'any',
    subjects: 'none',
    description: 'Differences between the session of a verification and the referring session.',
    fields: (t) => ({
      impossibleTravel: t.exposeFloat(
        'impossibleTravel',
        score('Distance that cannot be traveled in the time between.'),
      ),
      ipMismatch: t.exposeFloat(
        'ipMismatch',
        score(
          'Difference of the networks: same network 0, same subnet 0.2, same operator 0.3, same country ' +
            '0.5, different countries 1.',
        ),
      ),
      userAgentMismatch: t.exposeFloat(
        'userAgentMismatch',
        score(
          'Difference of the user agents: same text 0, same browser 0.2, same device 0.4, same device ' +
            'category 0.7, different categories 1.',
        ),
      ),
      deviceTimezoneMismatch: t.exposeFloat(
        'deviceTimezoneMismatch',
        score('Difference of the device clocks. 1 for a difference of at least three hours.'),
      ),
      ipTimezoneMismatch: t.exposeFloat(
        'ipTimezoneMismatch',
        score(
          'Difference of the local times at the locations of the IP addresses. 1 for a difference of at ' +
            'least three hours.',
        ),
      ),
    }),
  });

export const PhotoUrls = builder.objectRef<MediaUrls>('VerificationPhotoUrls').implement({
  tokenScopes: 'any',
  subjects: 'none',
  description:
    'Signed URLs of images, valid for 15 minutes. Null for an image that was not captured, was erased, ' +
    'or is older than the retention. A simulated success has placeholder images with the text SIMULATED.',
  fields: (t) => ({
    face: t.exposeString('face', {
      mask: 'media',
      rest: { unknown: 'absent' },
      nullable: true,
      description: 'URL of the face, cropped from the best frame.',
    }),
    idScanFront: t.exposeString('idScanFront', {
      mask: 'media',
      rest: { unknown: 'absent' },
      nullable: true,
      description: 'URL of the front of the document. Null for a face check.',
    }),
    idScanBack: t.exposeString('idScanBack', {
      mask: 'media',
      rest: { unknown: 'absent' },
      nullable: true,
      description:
        'URL of the back of the document. Null for a face check, and for documents without a back.',
    }),
  }),
});

export const MatchType = builder.objectRef<VerificationMatch>('VerificationMatch').implement({
  tokenScopes: 'never',
  subjects: byProperties,
  description: 'Account that shares the face, the document, the network or the browser of a verification.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', { description: 'Id of the account, assigned by the client.' }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Account. Null if it was erased.',
      resolve: ({ id }, _args, { loaders }) => loaders.account.load(id),
    }),
    matchTypes: t.field({
      type: [MatchTypeEnum],
      description: 'Types of evidence of the link to the account. Not empty.',
      resolve: ({ matchTypes }) => [...matchTypes],
    }),
  }),
});

type Contribution = VerificationView['result']['contributions'][number];
export const FlagContribution = builder.objectRef<Contribution>('RiskFlagContribution').implement({
  tokenScopes: 'any',
  subjects: 'none',
  mask: 'none',
  description:
    'Contribution of a flag to the risk score. The largest contribution of a group counts. Groups ' +
    'combine by 1 - Π(1 - x).',
  fields: (t) => ({
    flag: t.field({ type: RiskFlagType, description: 'Flag.', resolve: ({ flag }) => flag }),
    group: t.exposeString('group', {
      description:
        'Name of the common cause of flags. The set of names depends on the version of the weights.',
    }),
    value: t.exposeFloat('value', { description: 'Contribution, 0 to 1.' }),
  }),
});

export const VerificationAssessment = builder
  .objectRef<StoredAssessment>('VerificationAssessment')
  .implement({
    tokenScopes: 'any',
    subjects: 'wide',
    mask: 'none',
    description: 'Assessment of a completed check by its score, before lists and rules.',
    fields: (t) => ({
      at: t.field({
        type: 'DateTime',
        description: 'Time of the assessment.',
        resolve: ({ basis }) => new Date(basis.at),
      }),
      decision: t.field({
        type: DecisionType,
        description: 'Decision by the score and the thresholds of the completion.',
        resolve: ({ decision }) => decision,
      }),
      riskScore: t.exposeFloat('riskScore', {
        description: 'Risk score, 0 to 1. A higher score is riskier.',
      }),
      riskFlags: t.field({
        type: [RiskFlagType],
        description: 'Flags, each once.',
        resolve: ({ riskFlags }) => [...riskFlags],
      }),
      contributions: t.field({
        type: [FlagContribution],
        description: 'Contributions of flags to the score.',
        resolve: ({ contributions }) => [...contributions],
      }),
      weightsVersion: t.exposeString('weightsVersion', { description: 'Version of the weights.' }),
      reproducible: t.boolean({
        description:
          'Whether a new assessment of the stored evidence has the same flags, score and decision. ' +
          'False after a change of the weights.',
        resolve: isReproducible,
      }),
    }),
  });
