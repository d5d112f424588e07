import { invalidInput } from '@vouchgraph/platform/errors';
import {
  always,
  arrayOf,
  at,
  checked,
  described,
  extended,
  field,
  found,
  object,
  of,
  own,
  text,
} from '@vouchgraph/rest';
import { documentOf, fieldsOf } from '../documents.ts';
import { type Route, route } from '../route.ts';
import { EMAIL_ROUTES } from './email-routes.ts';
import { LIST_ROUTES } from './list-routes.ts';
import { PHONE_ROUTES } from './phone-routes.ts';
import {
  addFactsBody,
  authenticateBody,
  createSessionBody,
  sessionBody,
  updateAccountBody,
} from './shapes.ts';
import {
  ACCOUNT_FACTS,
  ACCOUNT_FIELDS,
  ACCOUNT_HISTORY,
  ACCOUNT_RECORD,
  ACCOUNT_SCORES,
  DECISION,
  LINK_PAGE,
  LINKED_ACCOUNTS,
  PROJECT_ID,
  REQUEST_ID,
  SESSION,
} from './shared-parts.ts';
import { VERIFICATION_ROUTES } from './verification-routes.ts';

const LINKED: Route['query'] = {
  accounts_linked: { type: 'boolean', description: 'Whether the answer contains linked_accounts.' },
};
const accountFound = (account: unknown) => found(account, 'account.not_found', 'Account not found');

const SESSION_DONE = object('SessionDone', {
  request_id: REQUEST_ID,
  session_id: at('session', field('session_id')),
  success: always(true),
});

/** The documented REST interface. Order matters where a fixed path and a parameter could both match. */
export const ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/session/authenticate',
    operation: 'session.authenticate',
    summary: 'Authenticate an account with a session',
    description: 'Binds the session to a new or known account, links the account to others and scores it.',
    access: 'key',
    body: authenticateBody,
    query: LINKED,
    document: documentOf('RestAuthenticate'),
    variables: ({ body, flags }) => ({ input: body, accountsLinked: flags.accounts_linked === true }),
    answer: at(
      'authenticate_session',
      object('AuthenticatedSession', {
        project_id: PROJECT_ID,
        session_id: at('session', field('session_id')),
        account_id: at('account', field('id')),
        request_id: REQUEST_ID,
        ...fieldsOf('AuthenticatedBody', { decision: { decision: DECISION } }),
        ...of('account', ACCOUNT_SCORES),
        session: at('session', SESSION),
        account: at(
          'account',
          object('AuthenticatedAccount', { account: ACCOUNT_FIELDS, ...ACCOUNT_HISTORY, ...ACCOUNT_FACTS }),
        ),
        linked_accounts: at('account', at('linked_accounts', LINK_PAGE)),
      }),
    ),
  }),
  route({
    method: 'POST',
    path: '/session/unauthenticated',
    operation: 'session.score',
    summary: 'Score a session without an account',
    description: 'Scores the session like a new account with only this session. Nothing is stored.',
    access: 'key',
    body: sessionBody,
    query: LINKED,
    document: documentOf('RestScoreSession'),
    variables: ({ body, flags }) => ({
      sessionId: body.session_id,
      accountsLinked: flags.accounts_linked === true,
    }),
    answer: at(
      'score_session',
      object('ScoredSession', {
        project_id: PROJECT_ID,
        session_id: at('session', field('session_id')),
        request_id: REQUEST_ID,
        decision: DECISION,
        ...fieldsOf('SessionScores'),
        lists: own(
          described(arrayOf(text), 'Empty, because a session without an account is on no list.'),
          () => [],
        ),
        session: at('session', SESSION),
        linked_accounts: at('linked_accounts', LINKED_ACCOUNTS),
      }),
    ),
  }),
  route({
    method: 'GET',
    path: '/session/{session_id}',
    operation: 'session.get',
    summary: 'Get a session',
    description: 'Assessed session with the accounts that it is bound to.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestGetSession'),
    variables: ({ params }) => ({ sessionId: params.session_id! }),
    answer: checked(
      'session',
      (session) => found(session, 'session.not_found', 'Session ID not found'),
      extended('SessionRecord', {
        account_ids: field('account_ids'),
        request_id: REQUEST_ID,
        project_id: PROJECT_ID,
      }),
    ),
  }),
  route({
    method: 'PUT',
    path: '/account/{account_id}',
    operation: 'account.update',
    summary: 'Update an account',
    description:
      'Changes the fields in the body and updates the links. Of concurrent requests, the last write of a ' +
      'field wins. metadata is merged key by key.',
    access: 'key',
    body: updateAccountBody,
    query: {},
    document: documentOf('RestUpdateAccount'),
    variables: ({ params, body: { id, ...changes } }) => {
      if (id != null && id !== params.account_id) {
        throw invalidInput('id: must repeat the account id of the path');
      }
      return { input: { accountId: params.account_id!, ...changes } };
    },
    answer: at('update_account', at('account', ACCOUNT_RECORD)),
  }),
  route({
    method: 'GET',
    path: '/account/{account_id}',
    operation: 'account.get',
    summary: 'Get an account',
    description: 'State of the account.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestGetAccount'),
    variables: ({ params }) => ({ accountId: params.account_id! }),
    answer: checked('account', accountFound, ACCOUNT_RECORD),
  }),
  route({
    method: 'DELETE',
    path: '/account/{account_id}',
    operation: 'account.delete',
    summary: 'Erase an account',
    description:
      'Permanently erases the account, its identifiers, links and personal fields, and the sessions that ' +
      'are bound to no other account.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestDeleteAccount'),
    variables: ({ params }) => ({ input: { accountId: params.account_id! } }),
    answer: at(
      'delete_account',
      object('ErasedAccount', {
        request_id: REQUEST_ID,
        ...fieldsOf('ErasedAccountBody'),
        success: always(true),
      }),
    ),
  }),
  route({
    method: 'GET',
    path: '/account/{account_id}/accounts-linked',
    operation: 'account.linked',
    summary: 'Get linked accounts',
    description: 'Linked accounts by score, then by id, at most 1,500.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestLinkedAccounts'),
    variables: ({ params }) => ({ accountId: params.account_id! }),
    answer: checked(
      'account',
      accountFound,
      object('LinkedAccounts', {
        request_id: REQUEST_ID,
        accounts_linked: at('linked_accounts', LINK_PAGE),
      }),
    ),
  }),
  route({
    method: 'GET',
    path: '/account/{account_id}/sessions',
    operation: 'account.sessions',
    summary: 'Get the sessions of an account',
    description: 'Ids of the sessions, the newest first, at most 10,000.',
    access: 'key',
    body: null,
    query: {},
    document: documentOf('RestAccountSessions'),
    variables: ({ params }) => ({ accountId: params.account_id! }),
    answer: checked(
      'account',
      accountFound,
      object('AccountSessions', { request_id: REQUEST_ID, sessions: field('sessions') }),
    ),
  }),
  route({
    method: 'POST',
    path: '/session',
    operation: 'session.create',
    summary: 'Open a session',
    description:
      'Opens a session. A page sends the public project id without a key. A server with a key of a ' +
      'sandbox project creates a simulated session, including facts that are otherwise observed. A ' +
      'simulated session is complete unless open is true. The facts can have at most 32 KB of JSON. A ' +
      'session that is not bound to an account within 24 hours expires, and is deleted a day later.',
    access: 'collector',
    body: createSessionBody,
    query: {},
    rejectsUnknownQuery: true,
    document: documentOf('RestCreateSession'),
    variables: ({ body: { facts, simulated } }) => ({ input: { facts, simulated } }),
    answer: at(
      'create_session',
      object(
        'OpenedSession',
        fieldsOf('OpenedSessionBody', {
          session: { session_id: at('session', field('session_id')) },
        }),
      ),
    ),
  }),
  route({
    method: 'PATCH',
    path: '/session/{session_id}',
    operation: 'session.add_facts',
    summary: 'Add facts to an open session',
    description:
      'Sent values replace earlier values. Absent values are unchanged. The facts of a session can have ' +
      'at most 32 KB of JSON. Larger facts are a 413, and nothing is changed. Requires the token of the ' +
      'session.',
    access: 'collector_token',
    body: addFactsBody,
    query: {},
    rejectsUnknownQuery: true,
    document: documentOf('RestAddSessionFacts'),
    variables: ({ params, body: { facts } }) => ({ input: { sessionId: params.session_id!, facts } }),
    answer: at('add_session_facts', SESSION_DONE),
  }),
  route({
    method: 'POST',
    path: '/session/{session_id}/complete',
    operation: 'session.complete',
    summary: 'Complete a session',
    description:
      'Completes the session. No facts can be added afterwards. A repeated request changes nothing. ' +
      'Requires the token of the session.',
    access: 'collector_token',
    body: null,
    query: {},
    rejectsUnknownQuery: true,
    document: documentOf('RestCompleteSession'),
    variables: ({ params }) => ({ input: { sessionId: params.session_id! } }),
    answer: at('complete_session', SESSION_DONE),
  }),
  ...VERIFICATION_ROUTES,
  ...LIST_ROUTES,
  ...EMAIL_ROUTES,
  ...PHONE_ROUTES,
];
