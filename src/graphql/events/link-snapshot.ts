import { MATCH_TYPES } from '../../domain/identifiers/identifier-kinds.ts';
import { builder } from '../builder.ts';
import { MatchTypeEnum } from '../link.ts';
import { readText, readWords, type StoredFacts } from './stored-facts.ts';

/** Match types of a link. */
export const readMatchTypes = readWords('matchTypes', MATCH_TYPES);

export const MatchSnapshot = builder.objectRef<StoredFacts>('MatchSnapshot').implement({
  description: 'Account that matched a check, at the time of the event.',
  fields: (t) => ({
    accountId: t.string({
      nullable: true,
      description: 'Id of the account, assigned by the client. Null if unknown.',
      resolve: readText('accountId'),
    }),
    matchTypes: t.field({
      type: [MatchTypeEnum],
      nullable: true,
      description: 'Types of evidence that the two accounts share. Null if unknown.',
      resolve: readWords('matchKinds', MATCH_TYPES),
    }),
  }),
});
