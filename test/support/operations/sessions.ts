import { expect } from 'vitest';
import { unique } from '../../acceptance/interface/client.ts';
import { COMMON } from '../two-projects.ts';
import { bearer, edge, openSession, SESSION, withInput } from './behavior.ts';
import { foreignInput, NAMES_NOTHING, PAGE } from './foreign.ts';
import type { Operations } from './operation.ts';
import { ACCOUNT, FACTS, linked, NOBODY, noSession, prepareOpenSession } from './parity.ts';

/** Sessions. */
export const SESSIONS_OPERATIONS: Operations = {
  'query session': {
    behavior: {
      name: 'returns a session with its network and reasons',
      document: `query ($id: ID!) { session(sessionId: $id) { sessionId accountIds simulated network { ipAddress }
      riskSignalDetails { network { code } } } }`,
      variables: ({ sessionId }) => ({ id: sessionId }),
      answer: ({ sessionId, anna }) => ({
        sessionId,
        accountIds: [anna],
        simulated: true,
        network: { ipAddress: '8.8.8.8' },
        riskSignalDetails: { network: expect.arrayContaining([{ code: 'IP_IN_DATACENTER_RANGE' }]) },
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { session(sessionId: $id) { id accountIds } }',
        variables: ({ session }) => ({ id: session }),
      },
    ],
    routes: {
      'GET /session/{session_id}': {
        behavior: {
          name: 'returns a session with the accounts that it is bound to',
          params: ({ sessionId }) => ({ session_id: sessionId }),
          status: 200,
          keys: SESSION,
          answer: ({ sessionId, anna }) => ({
            session_id: sessionId,
            account_ids: [anna],
            network: { ip_address: '8.8.8.8', service_provider: 'Google LLC' },
          }),
        },
        parity: {
          writes: false,
          async prepare(project) {
            const { session_id } = await project.authenticate(ACCOUNT, FACTS);
            return { params: { session_id } };
          },
          refused: { params: { session_id: NOBODY }, ...noSession },
        },
        foreign: { path: ({ session }) => `/session/${session}` },
      },
    },
  },
  'query sessions': {
    behavior: {
      name: 'finds sessions by their country, the oldest first on request',
      document: `query { sessions(filter: { countryCode: "US" }, orderBy: { field: START_TIME, direction: ASC }, first: 50) { edges { node { sessionId } } } }`,
      answer: ({ sessionId }) => edge({ sessionId }),
    },
    foreign: [
      {
        query: `query ($after: String) { sessions(first: 1, after: $after) ${PAGE} }`,
        variables: ({ cursors }) => ({ after: cursors.sessions }),
      },
    ],
  },
  'query scoreSession': {
    behavior: {
      name: 'scores a session without binding it',
      given: async (client) => ({ fresh: await client.session({ ip_address: '8.8.8.8' }) }),
      document: `query ($id: ID!) { scoreSession(sessionId: $id) { accountsLinked session { sessionId accountIds } } }`,
      variables: ({ fresh }) => ({ id: fresh.session_id }),
      answer: ({ fresh }) => ({
        accountsLinked: 0,
        session: { sessionId: fresh.session_id, accountIds: [] },
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { scoreSession(sessionId: $id) { decision } }',
        variables: ({ session }) => ({ id: session }),
      },
    ],
    routes: {
      'POST /session/unauthenticated': {
        behavior: {
          name: 'scores a session without binding it',
          given: async (client) => ({ fresh: await client.session({ ip_address: '8.8.8.8' }) }),
          request: ({ fresh }) => ({ body: { session_id: fresh.session_id } }),
          status: 200,
          keys:
            'account_score accounts_linked bot decision lists multiple_accounts project_id request_id risk_signals ' +
            'session session_id',
          answer: ({ fresh }) => ({
            session_id: fresh.session_id,
            accounts_linked: 0,
            lists: [],
            session: { network: { ip_address: '8.8.8.8' }, risk_signals: { datacenter: true } },
          }),
        },
        parity: {
          writes: false,
          async prepare(project) {
            await linked(project);
            return { query: { accounts_linked: 'true' }, body: { session_id: await project.session(FACTS) } };
          },
          refused: { body: { session_id: NOBODY }, ...noSession },
        },
        foreign: { query: '?accounts_linked=true', body: ({ session }) => ({ session_id: session }) },
        stored: {
          call: ({ later }) => ({ path: '/session/unauthenticated', body: { session_id: later } }),
        },
      },
    },
  },
  'mutation createSession': {
    behavior: {
      name: 'opens a simulated session',
      document: withInput(
        'createSession',
        'CreateSessionInput',
        'environment token session { network { ipAddress } }',
      ),
      variables: () => ({ input: { simulated: { ipAddress: '90.54.1.2' } } }),
      answer: () => ({
        environment: 'SANDBOX',
        token: expect.stringMatching(/^vgs_/),
        session: { network: { ipAddress: '90.54.1.2' } },
      }),
    },
    foreign: NAMES_NOTHING,
    stored: { call: () => '(input: {}) { session { sessionId } }', isKept: true },
    routes: {
      'POST /session': {
        behavior: {
          name: 'opens a simulated session and returns its token',
          request: () => ({ body: { ip_address: '8.8.8.8', device_id: 'laptop' } }),
          status: 200,
          keys: 'environment expires_at session_id token',
          answer: () => ({ environment: 'sandbox', token: expect.stringMatching(/^vgs_/) }),
        },
        parity: {
          writes: true,
          prepare: async () => ({
            body: { ...FACTS, browser: { language: 'fr-FR' }, bot: { mouse_num_events: 3 } },
          }),
          refused: {
            body: { location: { latitude: 91 } },
            message: 'location.latitude: must be between -90 and 90',
          },
        },
        foreign: NAMES_NOTHING,
        body: {},

        // A session without an account; the mutation below has one that is bound afterwards.
        stored: { call: () => ({ path: '/session', body: {} }), isKept: true },
      },
    },
  },
  'mutation addSessionFacts': {
    behavior: {
      name: 'adds facts to an open session',
      given: openSession,
      document: withInput(
        'addSessionFacts',
        'AddSessionFactsInput',
        'session { sessionId browser { timezone } }',
      ),
      variables: ({ openId }) => ({
        input: { sessionId: openId, facts: { browser: { timezone: 'Asia/Tokyo' } } },
      }),
      answer: ({ openId }) => ({ session: { sessionId: openId, browser: { timezone: 'Asia/Tokyo' } } }),
    },
    foreign: [
      foreignInput('AddSessionFactsInput', 'addSessionFacts', 'requestId', ({ openSession }) => ({
        sessionId: openSession,
        facts: { device: { cpuCores: 99 } },
      })),
    ],
    stored: {
      call: ({ later }) => `(input: { sessionId: "${later}", facts: { source: IOS } }) { requestId }`,
    },
    routes: {
      'PATCH /session/{session_id}': {
        behavior: {
          name: 'adds facts to an open session with its token',
          given: openSession,
          params: ({ openId }) => ({ session_id: openId }),
          request: ({ token }) => ({
            headers: bearer(token),
            body: { browser: { timezone: 'Europe/Berlin' } },
          }),
          status: 200,
          keys: 'request_id session_id success',
          answer: ({ openId }) => ({ session_id: openId, success: true }),
        },
        parity: {
          writes: true,
          prepare: async (project) => ({
            ...(await prepareOpenSession(project)),
            body: { device: { cpu_cores: 8 } },
          }),
          refused: { params: { session_id: NOBODY }, body: { device: { cpu_cores: 8 } }, ...noSession },
        },
        foreign: {
          path: ({ openSession }) => `/session/${openSession}`,
          body: () => ({ device: { cpu_cores: 99 } }),
        },
      },
    },
  },
  'mutation completeSession': {
    behavior: {
      name: 'completes an open session',
      given: openSession,
      document: withInput('completeSession', 'CompleteSessionInput', 'session { sessionId completedAt }'),
      variables: ({ openId }) => ({ input: { sessionId: openId } }),
      answer: ({ openId }) => ({ session: { sessionId: openId, completedAt: expect.any(String) } }),
    },
    foreign: [
      foreignInput('CompleteSessionInput', 'completeSession', 'requestId', ({ openSession }) => ({
        sessionId: openSession,
      })),
    ],
    stored: { call: ({ later }) => `(input: { sessionId: "${later}" }) { session { source } }` },
    routes: {
      'POST /session/{session_id}/complete': {
        behavior: {
          name: 'completes an open session with its token',
          given: openSession,
          params: ({ openId }) => ({ session_id: openId }),
          request: ({ token }) => ({ headers: bearer(token) }),
          status: 200,
          keys: 'request_id session_id success',
          answer: ({ openId }) => ({ session_id: openId, success: true }),
        },
        parity: {
          writes: true,
          prepare: prepareOpenSession,
          refused: { params: { session_id: NOBODY }, ...noSession },
        },
        foreign: { path: ({ openSession }) => `/session/${openSession}/complete` },
        stored: {
          call: ({ later }) => ({ path: `/session/${later}/complete`, body: {} }),
        },
      },
    },
  },
  'mutation authenticateSession': {
    behavior: {
      name: 'binds a session to a new account and links it to the account with the same user name',
      given: async (client) => ({ fresh: await client.session(), id: unique('eric') }),
      document: withInput(
        'authenticateSession',
        'AuthenticateSessionInput',
        'session { sessionId } account { accountId username linkedAccounts { edges { node { accountId } } } }',
      ),
      variables: ({ fresh, id, username }) => ({
        input: { sessionId: fresh.session_id, account: { accountId: id, username } },
      }),
      answer: ({ fresh, id, username, carl }) => ({
        session: { sessionId: fresh.session_id },
        account: {
          ...{ accountId: id, username },
          linkedAccounts: { edges: expect.arrayContaining([{ node: { accountId: carl } }]) },
        },
      }),
    },
    foreign: [
      foreignInput('AuthenticateSessionInput', 'authenticateSession', 'decision', ({ session }) => ({
        sessionId: session,
        account: { accountId: 'same' },
      })),
    ],
    stored: {
      call: ({ id, later }) =>
        `(input: { sessionId: "${later}", account: { accountId: "${id}" } }) { requestId }`,
    },
    routes: {
      'POST /session/authenticate': {
        behavior: {
          name: 'binds a session to a new account and links it to the account with the same phone number',
          given: async (client) => ({
            fresh: await client.session({ ip_address: '90.54.1.1' }),
            id: unique('dora'),
          }),
          request: ({ fresh, id, phone }) => ({
            query: { accounts_linked: 'true' },
            body: { session_id: fresh.session_id, account: { id, phone } },
          }),
          status: 200,
          keys:
            'account account_id account_score accounts_linked bot decision linked_accounts lists multiple_accounts ' +
            'project_id request_id risk_signals session session_id',
          answer: ({ projectId, fresh, id, phone, anna, email }) => ({
            project_id: projectId,
            session_id: fresh.session_id,
            account_id: id,
            account: { account: { id, phone }, num_sessions: 1, last_session: fresh.session_id },
            session: { network: { ip_address: '90.54.1.1' } },
            linked_accounts: expect.arrayContaining([
              expect.objectContaining({ account_id: anna, match_type: ['phone'], email }),
            ]),
          }),
        },
        parity: {
          writes: true,
          async prepare(project) {
            await linked(project);
            const session_id = await project.session(FACTS);
            return {
              query: { accounts_linked: 'true' },
              body: { session_id, account: { ...ACCOUNT, id: 'three' } },
            };
          },
          refused: { body: { session_id: NOBODY, account: { id: 'one' } }, ...noSession },
        },
        foreign: {
          query: '?accounts_linked=true',
          body: ({ session }) => ({ session_id: session, account: { id: 'same', ...COMMON } }),
        },
        stored: {
          call: ({ id, later }) => ({
            path: '/session/authenticate',
            body: { session_id: later, account: { id } },
          }),
        },
      },
    },
  },
};
