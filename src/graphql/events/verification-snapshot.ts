import { RISK_FLAGS } from '../../domain/signals/evidence/risk-flags.ts';
import { builder } from '../builder.ts';
import { DecisionType } from '../risk.ts';
import { RiskFlagType } from '../verification-enums.ts';
import { readDecision } from './account-snapshot.ts';
import { MatchSnapshot } from './link-snapshot.ts';
import { RiskScoresSnapshot, SessionSnapshot } from './session-snapshot.ts';
import {
  readEach,
  readFacts,
  readInt,
  readNumber,
  readTexts,
  readWords,
  type StoredFacts,
} from './stored-facts.ts';

const UNKNOWN = 'Null if unknown.';

const ReferringSignalsSnapshot = builder.objectRef<StoredFacts>('ReferringSignalsSnapshot').implement({
  description: 'Differences between a verification session and its referring session, 0 to 1 each.',
  fields: (t) => ({
    impossibleTravel: t.float({
      nullable: true,
      description: `Score of impossible travel, 0 to 1. ${UNKNOWN}`,
      resolve: readNumber('impossibleTravel'),
    }),
    ipMismatch: t.float({
      nullable: true,
      description: `Score of different IP addresses, 0 to 1. ${UNKNOWN}`,
      resolve: readNumber('ipMismatch'),
    }),
    userAgentMismatch: t.float({
      nullable: true,
      description: `Score of different user agents, 0 to 1. ${UNKNOWN}`,
      resolve: readNumber('userAgentMismatch'),
    }),
    deviceTimezoneMismatch: t.float({
      nullable: true,
      description: `Score of different time zones of the devices, 0 to 1. ${UNKNOWN}`,
      resolve: readNumber('deviceTimezoneMismatch'),
    }),
    ipTimezoneMismatch: t.float({
      nullable: true,
      description: `Score of different time zones of the IP addresses, 0 to 1. ${UNKNOWN}`,
      resolve: readNumber('ipTimezoneMismatch'),
    }),
  }),
});

const matchesIn = (facts: StoredFacts): StoredFacts => readFacts('matches')(facts) ?? {};

export const VerificationResultSnapshot = builder
  .objectRef<StoredFacts>('VerificationResultSnapshot')
  .implement({
    description:
      'Result of a check at its completion. It has no id and does not replace the Verification in a cache.',
    fields: (t) => ({
      decision: t.field({
        type: DecisionType,
        nullable: true,
        description: `Decision, with lists applied. ${UNKNOWN}`,
        resolve: readDecision,
      }),
      riskScore: t.float({
        nullable: true,
        description: `Risk score, 0 to 1. ${UNKNOWN}`,
        resolve: readNumber('riskScore'),
      }),
      riskFlags: t.field({
        type: [RiskFlagType],
        nullable: true,
        description: `Risk flags. A flag of an earlier version that the enum lacks is in data only. ${UNKNOWN}`,
        resolve: readWords('riskFlags', RISK_FLAGS),
      }),
      listNames: t.stringList({
        nullable: true,
        description:
          `Names of the lists that contain the account. ${UNKNOWN} Errors: \`auth.forbidden\` (tokens ` +
          'limited to a session).',
        resolve: readTexts('lists'),
      }),
      ruleNames: t.stringList({
        nullable: true,
        description: `Names of the triggered rules. ${UNKNOWN} Errors: \`auth.forbidden\` (browser tokens).`,
        resolve: readTexts('rules'),
      }),
      deviceNetworkSignals: t.field({
        type: RiskScoresSnapshot,
        nullable: true,
        description: `Scores of device and network. referringSessionSignals contains impossibleTravel. ${UNKNOWN}`,
        resolve: readFacts('deviceNetworkSignals'),
      }),
      referringSessionSignals: t.field({
        type: ReferringSignalsSnapshot,
        nullable: true,
        description: `Differences from the referring session. All are 0 without a referring session. ${UNKNOWN}`,
        resolve: readFacts('referringSessionSignals'),
      }),
      session: t.field({
        type: SessionSnapshot,
        nullable: true,
        description: `Session that the page collected: network, location, browser and device. ${UNKNOWN}`,
        resolve: readFacts('sessionData'),
      }),
      matchCount: t.int({
        nullable: true,
        description: `Number of matching accounts. ${UNKNOWN} Errors: \`auth.forbidden\` (browser tokens).`,
        resolve: (facts) => readInt('numAccountsLinked')(matchesIn(facts)),
      }),
      accountMatches: t.field({
        type: [MatchSnapshot],
        nullable: true,
        description:
          `Accounts that share face, document, network or browser. ${UNKNOWN} Errors: \`auth.forbidden\` ` +
          '(browser tokens).',
        complexity: { field: 1, multiplier: 20 },
        resolve: (facts) => readEach('accountsLinked')(matchesIn(facts)),
      }),
    }),
  });
