import type { SessionResult } from '../domain/sessions/session-result.ts';
import type { ReferringSignals } from '../domain/verification/result/referring-signals.ts';
import type {
  Verification,
  VerificationMatch,
  VerificationView,
} from '../domain/verification/result/verification.ts';
import { isReproducible, type StoredAssessment } from '../domain/verification/result/verification-result.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { MatchTypeEnum } from './link.ts';
import { DecisionType } from './risk.ts';
import { RiskFlagType } from './verification-enums.ts';

type Scores = SessionResult['riskSignalScores'];
const score = (description: string) => ({ description: `${description} 0 to 1.` });

export const DeviceNetworkSignals = builder.objectRef<Scores>('DeviceNetworkSignals').implement({
  description: 'Risk signals of the device and network of a verification, as in RiskSignalScores.',
  fields: (t) => ({
    deviceRisk: t.exposeFloat('deviceRisk', score('The device is disguised, automated or tampered with.')),
    proxy: t.exposeFloat('proxy', score('The IP address belongs to a proxy.')),
    vpn: t.exposeFloat('vpn', score('The IP address belongs to a VPN.')),
    datacenter: t.exposeFloat('datacenter', score('The IP address belongs to a data center.')),
    tor: t.exposeFloat('tor', score('The IP address is an exit of Tor.')),
    spoofedIp: t.exposeFloat('spoofedIp', score('The IP address is not that of the client.')),
    recentFraudIp: t.exposeFloat(
      'recentFraudIp',
      score('Accounts on the network were recently decided FAKE.'),
    ),
    deviceNetworkMismatch: t.exposeFloat(
      'deviceNetworkMismatch',
      score('The device contradicts the network.'),
    ),
    locationSpoofing: t.exposeFloat('locationSpoofing', score('The reported location is not genuine.')),
  }),
});

export const ReferringSessionSignals = builder
  .objectRef<ReferringSignals>('ReferringSessionSignals')
  .implement({
    description: 'Differences between the session of a verification and the referring session.',
    fields: (t) => ({
      impossibleTravel: t.exposeFloat(
        'impossibleTravel',
        score('The distance cannot be travelled in the time between.'),
      ),
      ipMismatch: t.exposeFloat(
        'ipMismatch',
        score('Same network 0, subnet .2, operator .3, country .5, another country 1.'),
      ),
      userAgentMismatch: t.exposeFloat(
        'userAgentMismatch',
        score('Same text 0, browser .2, device .4, class of device .7, another class 1.'),
      ),
      deviceTimezoneMismatch: t.exposeFloat(
        'deviceTimezoneMismatch',
        score('By the difference of the clocks of the devices; 1 from three hours on.'),
      ),
      ipTimezoneMismatch: t.exposeFloat(
        'ipTimezoneMismatch',
        score('By the difference of the clocks at the locations of the addresses; 1 from three hours on.'),
      ),
    }),
  });

export const PhotoUrls = builder.objectRef<VerificationView['media']>('VerificationPhotoUrls').implement({
  description:
    'Signed URLs of images, valid for 15 minutes. Null for a side that was not captured, was erased, or is older than the ' +
    'retention. A simulated success has placeholder images with the text SIMULATED.',
  fields: (t) => ({
    face: t.exposeString('face', {
      nullable: true,
      description: 'URL of the face, cropped from the best frame.',
    }),
    idScanFront: t.exposeString('idScanFront', {
      nullable: true,
      description: 'URL of the front of the document; null for a face check.',
    }),
    idScanBack: t.exposeString('idScanBack', {
      nullable: true,
      description: 'URL of the back of the document; null for a face check and for documents without one.',
    }),
  }),
});

export const MatchType = builder.objectRef<VerificationMatch>('VerificationMatch').implement({
  description: 'Account that shares the face, the document, the network or the browser of a verification.',
  fields: (t) => ({
    accountId: t.exposeString('accountId', { description: "The client's own id of the account." }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Account. Null if it was deleted.',
      resolve: ({ id }, _args, { loaders }) => loaders.account.load(id),
    }),
    matchTypes: t.field({
      type: [MatchTypeEnum],
      description: 'Every kind of evidence that the link to the account rests on. Not empty.',
      resolve: ({ matchTypes }) => [...matchTypes],
    }),
  }),
});

type Contribution = NonNullable<Verification['result']>['contributions'][number];
export const FlagContribution = builder.objectRef<Contribution>('RiskFlagContribution').implement({
  description:
    'Contribution of a flag to the risk score. Of a group the largest counts; groups combine by 1 - Π(1 - x).',
  fields: (t) => ({
    flag: t.field({ type: RiskFlagType, description: 'Flag.', resolve: ({ flag }) => flag }),
    group: t.exposeString('group', {
      description:
        'Name of the cause that flags have in common; the set depends on the version of the weights.',
    }),
    value: t.exposeFloat('value', { description: 'Contribution, 0 to 1.' }),
  }),
});

export const VerificationAssessment = builder
  .objectRef<StoredAssessment>('VerificationAssessment')
  .implement({
    description: 'One assessment of a completed check: by score alone, before lists and rules.',
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
      riskScore: t.exposeFloat('riskScore', { description: 'Risk score, 0 to 1; higher is riskier.' }),
      riskFlags: t.field({
        type: [RiskFlagType],
        description: 'Flags, each once.',
        resolve: ({ riskFlags }) => [...riskFlags],
      }),
      contributions: t.field({
        type: [FlagContribution],
        description: 'Contribution of each flag to the score.',
        resolve: ({ contributions }) => [...contributions],
      }),
      weightsVersion: t.exposeString('weightsVersion', { description: 'Version of the weights.' }),
      reproducible: t.boolean({
        description:
          'Whether the stored evidence gives the same flags, score and decision when it is assessed again; false after the weights changed.',
        resolve: isReproducible,
      }),
    }),
  });
