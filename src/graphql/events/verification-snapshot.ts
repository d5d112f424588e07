import { each, facts, factType, int, number, texts, word, words } from '../kernel/fact-fields.ts';
import { DecisionType } from '../kernel/risk.ts';
import { RiskFlagType } from '../kernel/verification-enums.ts';
import { MatchSnapshot } from './link-snapshot.ts';
import { RiskScoresSnapshot, SessionSnapshot } from './session-snapshot.ts';

const ReferringSignalsSnapshot = factType(
  'ReferringSignalsSnapshot',
  'Differences between a verification session and its referring session, 0 to 1 each.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    impossibleTravel: number('Score of impossible travel, 0 to 1.'),
    ipMismatch: number('Score of different IP addresses, 0 to 1.'),
    userAgentMismatch: number('Score of different user agents, 0 to 1.'),
    deviceTimezoneMismatch: number('Score of different time zones of the devices, 0 to 1.'),
    ipTimezoneMismatch: number('Score of different time zones of the IP addresses, 0 to 1.'),
  },
);

export const VerificationResultSnapshot = factType(
  'VerificationResultSnapshot',
  'Result of a check at its completion. It has no id and does not replace the Verification in a cache.',
  { tokenScopes: ['VERIFICATION_RESULT'], subjects: 'wide' },
  {
    decision: word(DecisionType, 'Decision, with lists applied.'),
    riskScore: number('Risk score, 0 to 1.'),
    riskFlags: words(RiskFlagType, 'Risk flags.'),
    listNames: texts('Names of the lists that contain the account.', {
      tokenScopes: ['ACCOUNT'],
      namesAccount: true,
      from: 'lists',
      nulls: 'Null if unknown. Errors: `auth.forbidden` (tokens limited to a session).',
    }),
    ruleNames: texts('Names of the triggered rules.', {
      tokenScopes: 'never',
      from: 'rules',
      nulls: 'Null if unknown. Errors: `auth.forbidden` (browser tokens).',
    }),
    deviceNetworkSignals: facts(
      RiskScoresSnapshot,
      'Scores of device and network. referringSessionSignals contains impossibleTravel.',
    ),
    referringSessionSignals: facts(
      ReferringSignalsSnapshot,
      'Differences from the referring session. All are 0 without a referring session.',
    ),
    session: facts(
      SessionSnapshot,
      'Session that the page collected: network, location, browser and device.',
      { tokenScopes: ['ACCOUNT'], from: 'sessionData' },
    ),
    matchCount: int('Number of matching accounts.', {
      tokenScopes: 'never',
      from: 'matches.numAccountsLinked',
      nulls: 'Null if unknown. Errors: `auth.forbidden` (browser tokens).',
    }),
    accountMatches: each(MatchSnapshot, 'Accounts that share face, document, network or browser.', {
      tokenScopes: 'never',
      from: 'matches.accountsLinked',
      nulls: 'Null if unknown. Errors: `auth.forbidden` (browser tokens).',
      multiplier: 20,
    }),
  },
);
