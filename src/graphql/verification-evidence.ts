import type { SessionResult } from '../domain/sessions/session-result.ts';
import type { ReferringSignals } from '../domain/verification/result/referring-signals.ts';
import type {
  Verification,
  VerificationMatch,
  VerificationView,
} from '../domain/verification/result/verification.ts';
import { isReproducible, type StoredAssessment } from '../domain/verification/result/verification-result.ts';
import { builder } from './builder.ts';
import { MatchTypeEnum } from './link.ts';
import { DecisionType } from './risk.ts';

type Scores = SessionResult['riskSignalScores'];
const score = (description: string) => ({ description: `${description} 0 to 1.` });

export const DeviceNetworkSignals = builder.objectRef<Scores>('DeviceNetworkSignals').implement({
  description: 'What the session of a verification says of its device and network, as in RiskSignalScores.',
  fields: (t) => ({
    deviceRisk: t.exposeFloat('deviceRisk', score('The device is disguised, automated or tampered with.')),
    proxy: t.exposeFloat('proxy', score('The address is a proxy’s.')),
    vpn: t.exposeFloat('vpn', score('The address is a VPN’s.')),
    datacenter: t.exposeFloat('datacenter', score('The address is a server’s.')),
    tor: t.exposeFloat('tor', score('The address is an exit of Tor.')),
    spoofedIp: t.exposeFloat('spoofedIp', score('The address is not the one that the client has.')),
    recentFraudIp: t.exposeFloat(
      'recentFraudIp',
      score('Accounts on this network were decided Fake lately.'),
    ),
    deviceNetworkMismatch: t.exposeFloat(
      'deviceNetworkMismatch',
      score('What the device says does not fit the network.'),
    ),
    locationSpoofing: t.exposeFloat('locationSpoofing', score('The location is made up.')),
  }),
});

export const ReferringSessionSignals = builder
  .objectRef<ReferringSignals>('ReferringSessionSignals')
  .implement({
    description: 'How the session of a verification differs from the session that referred to it.',
    fields: (t) => ({
      impossibleTravel: t.exposeFloat('impossibleTravel', score('Nobody travels that fast between the two.')),
      ipMismatch: t.exposeFloat(
        'ipMismatch',
        score('Same network 0, neighbourhood .2, operator .3, country .5, another country 1.'),
      ),
      userAgentMismatch: t.exposeFloat(
        'userAgentMismatch',
        score('Same text 0, browser .2, device .4, class of device .7, another class 1.'),
      ),
      deviceTimezoneMismatch: t.exposeFloat(
        'deviceTimezoneMismatch',
        score('By how far the clocks of the devices are apart; 1 from three hours on.'),
      ),
      ipTimezoneMismatch: t.exposeFloat(
        'ipTimezoneMismatch',
        score('By how far the clocks at the places of the addresses are apart; 1 from three hours on.'),
      ),
    }),
  });

export const PhotoUrls = builder.objectRef<VerificationView['media']>('VerificationPhotoUrls').implement({
  description:
    'Signed URLs of images, valid for 15 minutes. Null for a side that was not taken, was erased, or is older than the ' +
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
  description: 'An account that shares something with a verification.',
  fields: (t) => ({
    accountId: t.exposeString('accountId', { description: "The client's own id." }),
    matchTypes: t.exposeStringList('matchTypes', {
      description: 'What is shared: face, ip_address, browser, document_number, document_name.',
    }),
    matchKinds: t.field({
      type: [MatchTypeEnum],
      description:
        'Every kind of evidence that the link to the account rests on, under the names of LinkedAccountEdge.matchTypes, ' +
        'contact data and names included. Not empty.',
      resolve: ({ matchKinds }) => [...matchKinds],
    }),
  }),
});

type Contribution = NonNullable<Verification['result']>['contributions'][number];
export const FlagContribution = builder.objectRef<Contribution>('RiskFlagContribution').implement({
  description:
    'How much a flag adds to the risk score. Of a group the largest counts; groups combine by 1 - Π(1 - x).',
  fields: (t) => ({
    flag: t.exposeString('flag', { description: 'The flag.' }),
    group: t.exposeString('group', { description: 'What has one cause.' }),
    value: t.exposeFloat('value', { description: '0 to 1.' }),
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
      riskFlags: t.stringList({
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
