import { factType, id, words } from '../kernel/fact-fields.ts';
import { MatchTypeEnum } from '../links/link-evidence.ts';

export const MatchSnapshot = factType(
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
