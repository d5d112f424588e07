import {
  arrayOf,
  at,
  described,
  each,
  extended,
  field,
  fields,
  named,
  nullable,
  object,
  of,
  own,
  propertyOf,
  text,
  timestamp,
  uuid,
  words,
} from '@vouchgraph/rest';
import { fieldsOf } from '../documents.ts';
import type {
  LinkedAccountBodyFragment,
  LinkPageFragment,
  SessionBodyFragment,
} from '../generated/operations.ts';
import type { AnswerMeta, Part } from '../route.ts';

/* Parts that several answers contain. */

export const REQUEST_ID = own(
  described(uuid, 'Id of the request.'),
  ({ requestId }: AnswerMeta) => requestId,
);
export const PROJECT_ID = own(
  described(uuid, 'Id of the project.'),
  ({ projectId }: AnswerMeta) => projectId,
);
export const TIMESTAMP = own(described(timestamp, 'Time of the request.'), ({ at: time }: AnswerMeta) =>
  time.toISOString(),
);

export const DECISION: Part<{ decision: string }> = {
  value: ({ decision }, { twoValuedDecision }) =>
    twoValuedDecision && decision === 'Suspicious' ? 'Real' : decision,
  schema: (selected) => propertyOf(selected, 'decision'),
};

/** Cursor of the page after this one. */
export const NEXT_CURSOR: Part<{ has_next_page: boolean; end_cursor: string | null }> = {
  value: ({ has_next_page, end_cursor }) => (has_next_page ? end_cursor : null),
  schema: () => described(nullable(text), 'Cursor of the next page. Null on the last page.'),
};

/** Names of the lists in a field. */
const LIST_NAMES = at('lists', each(field('name')));

/** The Session object. */
export const SESSION: Part<SessionBodyFragment> = extended('Session', {
  request_id: REQUEST_ID,
  project_id: PROJECT_ID,
});

/** The fields of an account as its client sent them. */
export const ACCOUNT_FIELDS = object('AccountFields', fieldsOf('AccountFields'));

/** The facts of an account's sessions. */
export const ACCOUNT_HISTORY = fieldsOf('AccountHistory');

export const ACCOUNT_FACTS = fieldsOf('AccountFacts', {
  email_facts: { email: field('email_facts') },
  risk_signal_average: { risk_signal_average: at('risk_signal_average', named('RiskSignalAverage')) },
});

/** The scores of an account, as every answer about it shows them. */
export const ACCOUNT_SCORES = fieldsOf('AccountScores', { lists: { lists: LIST_NAMES } });

/** The account state record of GET and PUT /account/{id}. */
export const ACCOUNT_RECORD = object('Account', {
  project_id: PROJECT_ID,
  request_id: REQUEST_ID,
  account: ACCOUNT_FIELDS,
  ...ACCOUNT_HISTORY,
  decision: DECISION,
  ...ACCOUNT_SCORES,
  ...ACCOUNT_FACTS,
});

const DOCUMENTED_MATCH_TYPES = ['network', 'email', 'browser', 'device', 'phone', 'username'];

type Link = {
  score: number;
  match_types: string[];
  first_seen: string;
  last_seen: string;
  account: LinkedAccountBodyFragment;
};

/** The words of match types that older clients know. */
export const knownMatchTypes = (known: readonly string[]) =>
  described(
    arrayOf(words(known)),
    'Types of evidence: network, email, browser, device, phone and username only. match_kinds contains ' +
      'all types.',
  );

const LINKED_ACCOUNT: Part<Link> = object('LinkedAccount', {
  account_id: at('account', field('account_id')),
  score: field('score'),
  match_type: {
    value: ({ match_types }: Link) => match_types.filter((type) => DOCUMENTED_MATCH_TYPES.includes(type)),
    schema: () => knownMatchTypes(DOCUMENTED_MATCH_TYPES),
  },
  match_kinds: field('match_types'),
  ...of('account', fieldsOf('LinkedAccountFields')),
  ...fields('first_seen', 'last_seen'),
  lists: at('account', LIST_NAMES),
  metadata: at('account', field('metadata')),
});

/** Links in their order. */
export const LINKED_ACCOUNTS: Part<readonly Link[]> = each(LINKED_ACCOUNT);

const isOfAccount = (edge: LinkPageFragment['edges'][number]): edge is Link => edge.account !== null;

const byScore = (a: Link, b: Link) =>
  b.score - a.score || (a.account.account_id < b.account.account_id ? -1 : 1);

/** The strongest link first; links of equal score by account id. */
export const LINK_PAGE: Part<LinkPageFragment> = {
  value: ({ edges }, meta) => LINKED_ACCOUNTS.value(edges.filter(isOfAccount).sort(byScore), meta),
  schema: (selected) => LINKED_ACCOUNTS.schema(propertyOf(selected, 'edges')),
};
