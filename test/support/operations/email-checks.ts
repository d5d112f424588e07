import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { unique } from '../../acceptance/interface/client.ts';
import { edge, withInput } from './behavior.ts';
import { foreignInput, NAMES_NOTHING, PAGE } from './foreign.ts';
import type { Operations } from './operation.ts';
import { NOBODY } from './parity.ts';
import { addressOf } from './stored.ts';

/** Checks of email addresses. */
export const EMAIL_CHECKS_OPERATIONS: Operations = {
  'query emailCheck': {
    behavior: {
      name: 'returns an email check with its result',
      document: `query ($id: ID!) { emailCheck(id: $id) { id checkId checkStatus email emailResult { domain { fqdn type } } } }`,
      variables: ({ nodes }) => ({ id: nodes.check }),
      answer: ({ nodes, checkId, email, domain }) => ({
        ...{ id: nodes.check, checkId, checkStatus: 'SUCCESS', email },
        emailResult: { domain: { fqdn: domain, type: 'BUSINESS' } },
      }),
    },
    foreign: [
      {
        query: 'query ($id: ID!) { emailCheck(id: $id) { id email } }',
        variables: ({ emailCheck }) => ({ id: globalIdOf('EmailCheck', emailCheck) }),
      },
    ],
    routes: {
      'GET /email/{request_id}': {
        behavior: {
          name: 'returns the result of a check',
          params: ({ checkId }) => ({ request_id: checkId }),
          status: 200,
          keys: 'batch_id completed_at created_at data error event_type project_id request_id status',
          answer: ({ checkId, email, domain }) => ({
            request_id: checkId,
            batch_id: null,
            data: { input: { email }, result: { email: { normalized: email }, domain: { fqdn: domain } } },
          }),
        },
        parity: {
          writes: false,
          async prepare(project) {
            const { body } = await project.rest('POST', '/email', { email: 'ada@gmail.com' });
            return { params: { request_id: body.request_id } };
          },
          refused: { params: { request_id: NOBODY }, message: 'Email check not found' },
        },
        foreign: { path: ({ emailCheck }) => `/email/${emailCheck}` },
      },
    },
  },
  'query emailBatch': {
    behavior: {
      name: 'returns a batch with its checks in the order sent',
      document: `query ($id: ID!) { emailBatch(id: $id) { id batchId batchName counts { total failed }
      checks { totalCount { value isExact } edges { node { email batch { id } } } } } }`,
      variables: ({ nodes }) => ({ id: nodes.batch }),
      answer: ({ nodes, batchId, email, domain }) => ({
        ...{ id: nodes.batch, batchId, batchName: 'Both', counts: { total: 2, failed: 0 } },
        checks: {
          totalCount: { value: 2, isExact: true },
          edges: [email, `bert@${domain}`].map((each) => ({
            node: { email: each, batch: { id: nodes.batch } },
          })),
        },
      }),
    },
    foreign: [
      {
        query: `query ($id: ID!) { emailBatch(id: $id) { id batchName checks ${PAGE} } }`,
        variables: ({ emailBatch }) => ({ id: globalIdOf('EmailBatch', emailBatch) }),
      },
    ],
    routes: {
      'GET /email/batch/{batch_id}': {
        behavior: {
          name: 'returns the results of a batch in the order sent',
          params: ({ batchId }) => ({ batch_id: batchId }),
          status: 200,
          keys: 'batch_id batch_name completed_count next_cursor results status total_count',
          answer: ({ batchId, email, domain }) => ({
            batch_id: batchId,
            batch_name: 'Both',
            status: 'completed',
            total_count: 2,
            results: [{ data: { input: { email } } }, { data: { input: { email: `bert@${domain}` } } }],
          }),
        },
        parity: {
          writes: false,
          async prepare(project) {
            const emails = [{ email: 'ada@gmail.com' }, { email: 'eve@gmail.com' }];
            const { body } = await project.rest('POST', '/email?wait=10', { emails, batch_name: 'two' });
            return { params: { batch_id: body.batch_id }, query: { limit: '1' } };
          },
          refused: { params: { batch_id: NOBODY }, message: 'Email batch not found' },
        },
        foreign: { path: ({ emailBatch }) => `/email/batch/${emailBatch}` },
      },
    },
  },
  'query emailBatches': {
    behavior: {
      name: 'returns the completed batches',
      document: `{ emailBatches(status: COMPLETED, first: 50) { edges { node { id batchStatus } } } }`,
      answer: ({ nodes }) => edge({ id: nodes.batch, batchStatus: 'COMPLETED' }),
    },
    foreign: [
      {
        query: `query ($after: String) { emailBatches(first: 1, after: $after) ${PAGE} }`,
        variables: ({ cursors }) => ({ after: cursors.emailBatches }),
      },
      {
        query: `query ($after: String) { emailBatches { edges { node { checks(after: $after) ${PAGE} } } } }`,
        variables: ({ cursors }) => ({ after: cursors.emailChecks }),
      },
    ],
  },
  'mutation checkEmail': {
    behavior: {
      name: 'checks an address and waits for the result',
      document: withInput(
        'checkEmail',
        'CheckEmailInput',
        'emailCheck { checkStatus email emailResult { mailbox { normalized } } }',
      ),
      variables: ({ domain }) => ({ input: { email: `GUS@${domain}`, waitSeconds: 10 } }),
      answer: ({ domain }) => ({
        emailCheck: {
          ...{ checkStatus: 'SUCCESS', email: `GUS@${domain}` },
          emailResult: { mailbox: { normalized: `gus@${domain}` } },
        },
      }),
    },
    foreign: NAMES_NOTHING,
    stored: {
      call: async (scene) => `(input: { email: "${await addressOf(scene)}" }) { emailCheck { email } }`,
    },
    routes: {
      'POST /email': {
        behavior: {
          name: 'checks an address and waits for the result',
          request: ({ domain }) => ({ query: { wait: '10' }, body: { email: `Fay@${domain}` } }),
          status: 200,
          keys: 'request_id result webhook_configured',
          answer: ({ domain }) => ({
            result: {
              status: 'success',
              data: { input: { email: `Fay@${domain}` }, result: { domain: { fqdn: domain } } },
            },
          }),
        },
        parity: {
          writes: true,
          prepare: async () => ({
            query: { wait: '1' },
            body: { email: 'ada@gmail.com', claims: { name: { first: 'Ada' } }, identity_intelligence: true },
          }),
          refused: { body: { emails: [] }, message: 'emails: must have at least 1 entry' },
        },
        foreign: NAMES_NOTHING,
        body: { email: 'x@example.com' },
        stored: {
          call: async (scene) => ({ path: '/email?wait=1', body: { email: await addressOf(scene) } }),
        },
      },
    },
  },
  'mutation checkEmails': {
    behavior: {
      name: 'checks a batch of addresses and waits for the results',
      document: withInput(
        'checkEmails',
        'CheckEmailsInput',
        'emailBatch { batchName counts { total completed failed } batchStatus }',
      ),
      variables: ({ domain }) => ({
        input: {
          emails: [{ email: `a@${domain}` }, { email: `b@${domain}` }],
          batchName: 'Two',
          waitSeconds: 10,
        },
      }),
      answer: () => ({
        emailBatch: {
          batchName: 'Two',
          counts: { total: 2, completed: 2, failed: 0 },
          batchStatus: 'COMPLETED',
        },
      }),
    },
    foreign: NAMES_NOTHING,
    stored: {
      call: async (scene) =>
        `(input: { emails: [{ email: "${await addressOf(scene)}" }], waitSeconds: 5 }) { emailBatch { checks { edges { node { email } } } } }`,
    },
  },
  'mutation eraseEmail': {
    behavior: {
      name: 'erases the checks of an address',
      given: async (client) => {
        const email = `${unique('kim')}@example.org`;
        await client.ask('POST', '/email', { query: { wait: '10' }, body: { email } });
        return { erased: email };
      },
      document: withInput('eraseEmail', 'EraseEmailInput', 'checks'),
      variables: ({ erased }) => ({ input: { email: erased } }),
      answer: () => ({ checks: 1 }),
    },
    foreign: [
      foreignInput('EraseEmailInput', 'eraseEmail', 'checks events deliveries', ({ email }) => ({ email })),
    ],

    // The response contains only numbers.
    stored: {
      call: async (scene) => `(input: { email: "${await addressOf(scene)}" }) { requestId checks }`,
      isKept: true,
    },
    withoutNode: 'It erases any number of checks, events and deliveries, and returns their numbers.',
  },
  'mutation updateEmailDomains': {
    behavior: {
      name: 'adds a domain to the disposable ones of the project',
      given: async () => ({ added: `${unique('throwaway')}.com` }),
      document: withInput('updateEmailDomains', 'UpdateEmailDomainsInput', 'settings { disposableDomains }'),
      variables: ({ added }) => ({ input: { addDisposable: [added] } }),
      answer: ({ added }) => ({ settings: { disposableDomains: [added] } }),
    },
    foreign: NAMES_NOTHING,
    stored: {
      call: () => '(input: { addTrusted: ["trusted-here.com"] }) { requestId }',
      isKept: true,
    },
  },
  'subscription emailChecked': {
    behavior: {
      name: 'sends the completed email checks',
      given: async () => ({ checked: `${unique('ned')}@example.org` }),
      document: `subscription ($after: String) { emailChecked(after: $after) { type data } }`,
      cause: (client, _, { checked }) => client.ask('POST', '/email', { body: { email: checked } }),
      answer: ({ checked }) => ({
        type: 'EMAIL_INTELLIGENCE_COMPLETED',
        data: { status: 'success', data: { input: { email: checked } } },
      }),
    },
  },
  'subscription emailBatchCompleted': {
    behavior: {
      name: 'sends the completed batches of email checks',
      given: async () => ({ batch: unique('batch') }),
      document: `subscription ($after: String) { emailBatchCompleted(after: $after) { type data } }`,
      cause: (client, _, { batch }) =>
        client.ask('POST', '/email', { body: { emails: [{ email: 'oda@example.org' }], batch_name: batch } }),
      answer: ({ batch }) => ({
        type: 'EMAIL_BATCH_COMPLETED',
        data: { batch_name: batch, total_count: 1, completed_count: 1 },
      }),
    },
  },
};
