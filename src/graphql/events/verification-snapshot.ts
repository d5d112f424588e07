import { each, facts, factType, id, int, number, texts, word, words } from '../kernel/fact-fields.ts';
import { DecisionType } from '../kernel/risk.ts';
import { RiskFlagType } from '../kernel/verification-enums.ts';
import { MatchTypeEnum } from '../links/link-evidence.ts';
import { DeviceNetworkSignals, ReferringSessionSignals } from '../verification/verification-evidence.ts';
import { SessionSnapshot } from './session-snapshot.ts';

const MatchSnapshot = factType(
  'MatchSnapshot',
  'Account that matched a check, at the time of the event.',
  { tokenScopes: 'any', subjects: 'wide' },
  {
    accountId: id('Id of the account, assigned by the client.'),
    matchTypes: words(MatchTypeEnum, 'Types of evidence that the two accounts share.', {
      from: 'matchKinds',
    }),
  },
);

export const VerificationResultSnapshot = factType(
  'VerificationResultSnapshot',
  'Result of a check at its completion. It has no id and does not replace the Verification in a cache.',
  { tokenScopes: ['VERIFICATION_RESULT'], revealedBy: 'parent', subjects: 'wide' },
  {
    decision: word(DecisionType, 'Decision, with lists applied.'),
    riskScore: number('Risk score, 0 to 1.'),
    riskFlags: words(RiskFlagType, 'Risk flags.'),
    listNames: texts('Names of the lists that contain the account.', {
      mask: 'none',
      tokenScopes: ['ACCOUNT'],
      namesAccount: true,
      from: 'lists',
      nulls: 'Null if unknown. Errors: `auth.forbidden` (tokens limited to a session).',
    }),
    ruleNames: texts('Names of the triggered rules.', {
      mask: 'none',
      tokenScopes: 'never',
      from: 'rules',
      nulls: 'Null if unknown. Errors: `auth.forbidden` (browser tokens).',
    }),
    deviceNetworkSignals: facts(DeviceNetworkSignals, 'Scores of device and network.'),
    referringSessionSignals: facts(
      ReferringSessionSignals,
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
