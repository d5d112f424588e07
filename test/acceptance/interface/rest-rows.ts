import { expect } from 'vitest';
import { type Body, type Client, type RequestOptions, unique } from './client.ts';
import type { Known } from './graphql-row.ts';
import { createAccount, createList, importEmails, type World } from './world.ts';

export type RestRow = {
  /** Method and path, as the OpenAPI document has them. */
  route: string;
  /** Description whose subject is the route. */
  name: string;
  given?: (client: Client, world: World) => Promise<Body>;
  params?: (known: Known) => Record<string, string>;
  request?: (known: Known) => RequestOptions;
  status: number;
  /** All keys of the response, in alphabetical order; empty for a response that is not JSON. */
  keys: string;
  /** Part of the response that the input determines. */
  answer: (known: Known) => Body;
};

const ACCOUNT_RECORD =
  'account account_score accounts_linked bot countries country decision email first_seen last_seen last_session ' +
  'lists multiple_accounts num_sessions project_id request_id risk_signal_average risk_signals unique_devices unique_networks';
const SESSION =
  'account_ids bot browser device device_id location location_spoofing network project_id request_id ' +
  'risk_signal_details risk_signal_scores risk_signals session_id source source_version start_time true_country_code';
const IMPORT =
  'bad_rows batches columns completed_at completed_count created_at delimiter emit_each encoding ' +
  'identity_intelligence import_id name request_id result_url rows_received status total_count';
const DONE = 'message request_id success';
const bearer = (token: string) => ({ 'x-api-key': '', authorization: `Bearer ${token}` });
const openSession = async (client: Client) => {
  const { session_id, token } = await client.session({ open: true });
  return { openId: session_id, token };
};

const SESSION_ROWS: readonly RestRow[] = [
  {
    route: 'POST /session',
    name: 'opens a simulated session and returns its token',
    request: () => ({ body: { ip_address: '8.8.8.8', device_id: 'laptop' } }),
    status: 200,
    keys: 'environment expires_at session_id token',
    answer: () => ({ environment: 'sandbox', token: expect.stringMatching(/^vgs_/) }),
  },
  {
    route: 'PATCH /session/{session_id}',
    name: 'adds facts to an open session with its token',
    given: openSession,
    params: ({ openId }) => ({ session_id: openId }),
    request: ({ token }) => ({ headers: bearer(token), body: { browser: { timezone: 'Europe/Berlin' } } }),
    status: 200,
    keys: 'request_id session_id success',
    answer: ({ openId }) => ({ session_id: openId, success: true }),
  },
  {
    route: 'POST /session/{session_id}/complete',
    name: 'completes an open session with its token',
    given: openSession,
    params: ({ openId }) => ({ session_id: openId }),
    request: ({ token }) => ({ headers: bearer(token) }),
    status: 200,
    keys: 'request_id session_id success',
    answer: ({ openId }) => ({ session_id: openId, success: true }),
  },
  {
    route: 'POST /session/authenticate',
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
  {
    route: 'POST /session/unauthenticated',
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
  {
    route: 'GET /session/{session_id}',
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
];

const ACCOUNT_ROWS: readonly RestRow[] = [
  {
    route: 'PUT /account/{account_id}',
    name: 'changes the given fields of an account and keeps the others',
    given: async (client) => ({
      id: await createAccount(client, { first_name: 'Eve', metadata: { tier: 1 } }),
    }),
    params: ({ id }) => ({ account_id: id }),
    request: () => ({ body: { last_name: 'Long', metadata: { region: 'north' } } }),
    status: 200,
    keys: ACCOUNT_RECORD,
    answer: ({ id }) => ({
      account: { id, first_name: 'Eve', last_name: 'Long', metadata: { tier: 1, region: 'north' } },
    }),
  },
  {
    route: 'GET /account/{account_id}',
    name: 'returns the record of an account',
    params: ({ anna }) => ({ account_id: anna }),
    status: 200,
    keys: ACCOUNT_RECORD,
    answer: ({ anna, email, phone, sessionId, listName }) => ({
      account: { id: anna, email, phone },
      num_sessions: 1,
      last_session: sessionId,
      country: 'US',
      lists: [listName],
    }),
  },
  {
    route: 'DELETE /account/{account_id}',
    name: 'erases an account',
    given: async (client) => ({ id: await createAccount(client) }),
    params: ({ id }) => ({ account_id: id }),
    status: 200,
    keys: 'account_id request_id success',
    answer: ({ id }) => ({ account_id: id, success: true }),
  },
  {
    route: 'GET /account/{account_id}/accounts-linked',
    name: 'returns the linked accounts with what they share',
    params: ({ carl }) => ({ account_id: carl }),
    status: 200,
    keys: 'accounts_linked request_id',
    answer: ({ bert, phone, username }) => ({
      accounts_linked: [{ account_id: bert, match_type: ['username'], phone, username }],
    }),
  },
  {
    route: 'GET /account/{account_id}/sessions',
    name: 'returns the ids of the sessions of an account',
    params: ({ anna }) => ({ account_id: anna }),
    status: 200,
    keys: 'request_id sessions',
    answer: ({ sessionId }) => ({ sessions: [sessionId] }),
  },
];

const VERIFICATION_ROWS: readonly RestRow[] = [
  {
    route: 'GET /liveness/session',
    name: 'creates a simulated ID check and returns the address of its page',
    request: () => ({ query: { id: 'true', simulate: 'success', simulate_decision: 'Real' } }),
    status: 200,
    keys: 'request_id session_id session_url',
    answer: () => ({ session_url: expect.stringMatching(/^http.*\/verify\/[0-9a-f-]{36}\?s=vgv_/) }),
  },
  {
    route: 'POST /liveness/verify-id',
    name: 'returns the simulated flags of a completed ID check, without personal data on request',
    request: ({ idCheck }) => ({ query: { excludePII: 'true' }, body: { session_id: idCheck } }),
    status: 200,
    keys:
      'decision device_network_signals document_signals lists matches metadata referring_session_signals ' +
      'risk_flags risk_score rules session_data',
    answer: ({ idCheck, projectId }) => ({
      metadata: { session_id: idCheck, project_id: projectId, account_id: null },
      decision: 'Fake',
      risk_score: 0.9,
      risk_flags: ['digital_id'],
    }),
  },
  {
    route: 'POST /liveness/verify-face',
    name: 'returns the simulated decision of a completed face check with the address of its photo',
    request: ({ faceCheck }) => ({ body: { session_id: faceCheck } }),
    status: 200,
    keys:
      'decision device_network_signals lists matches metadata photo_urls referring_session_signals ' +
      'risk_flags risk_score rules session_data video_urls',
    answer: ({ faceCheck }) => ({
      metadata: { session_id: faceCheck },
      decision: 'Real',
      risk_score: 0.1,
      risk_flags: [],
      photo_urls: { face: expect.stringMatching(/^http/) },
    }),
  },
  {
    route: 'POST /liveness/enroll',
    name: 'binds a completed face check to a new account',
    given: async () => ({ id: unique('enrolled') }),
    request: ({ enrollable, id }) => ({ body: { session_id: enrollable, account_id: id } }),
    status: 200,
    keys: 'request_id success',
    answer: () => ({ success: true }),
  },
  {
    route: 'POST /liveness/verify-identity',
    name: 'reports a match of a face check that is simulated as Real',
    request: ({ faceCheck, enrolled }) => ({ body: { session_id: faceCheck, account_id: enrolled } }),
    status: 200,
    keys: 'match request_id success',
    answer: () => ({ success: true, match: true }),
  },
];

const LIST_ROWS: readonly RestRow[] = [
  {
    route: 'GET /list',
    name: 'returns all lists with their descriptions',
    status: 200,
    keys: 'lists request_id',
    answer: ({ listName }) => ({
      lists: expect.arrayContaining([
        { name: listName, description: 'Friends of the house' },
        { name: 'block', description: expect.any(String) },
      ]),
    }),
  },
  {
    route: 'GET /list/{list_name}',
    name: 'returns a page of the accounts on a list',
    params: ({ listName }) => ({ list_name: listName }),
    request: () => ({ query: { limit: '10' } }),
    status: 200,
    keys: 'accounts description next_cursor request_id',
    answer: ({ anna }) => ({ accounts: [anna], description: 'Friends of the house', next_cursor: null }),
  },
  {
    route: 'POST /list/{list_name}',
    name: 'creates a list',
    given: async () => ({ name: unique('created') }),
    params: ({ name }) => ({ list_name: name }),
    request: () => ({ body: { list_description: 'New' } }),
    status: 200,
    keys: DONE,
    answer: ({ name }) => ({ message: `List ${name} created`, success: true }),
  },
  {
    route: 'PATCH /list/{list_name}',
    name: 'changes the description of a list',
    given: async (client) => ({ name: await createList(client) }),
    params: ({ name }) => ({ list_name: name }),
    request: () => ({ body: { list_description: 'Other' } }),
    status: 200,
    keys: DONE,
    answer: ({ name }) => ({ message: `List ${name} updated`, success: true }),
  },
  {
    route: 'DELETE /list/{list_name}',
    name: 'deletes a list',
    given: async (client) => ({ name: await createList(client) }),
    params: ({ name }) => ({ list_name: name }),
    status: 200,
    keys: DONE,
    answer: ({ name }) => ({ message: `List ${name} deleted`, success: true }),
  },
  {
    route: 'POST /list/{list_name}/account/move',
    name: 'moves an account to another list and reports an unknown one',
    given: async (client) => {
      const id = await createAccount(client);
      return { id, source: await createList(client, [id]), target: await createList(client) };
    },
    params: ({ source }) => ({ list_name: source }),
    request: ({ id, target }) => ({ body: { target_list: target, account_ids: [id, 'nobody'] } }),
    status: 200,
    keys: 'conflict moved not_found request_id results success',
    answer: ({ id }) => ({
      moved: 1,
      conflict: 0,
      not_found: 1,
      results: [
        { account_id: id, outcome: 'moved' },
        { account_id: 'nobody', outcome: 'not_found' },
      ],
    }),
  },
  {
    route: 'POST /list/{list_name}/account/{account_id}',
    name: 'adds an account to a list',
    given: async (client) => ({ id: await createAccount(client), name: await createList(client) }),
    params: ({ id, name }) => ({ account_id: id, list_name: name }),
    status: 200,
    keys: DONE,
    answer: ({ name }) => ({ message: `Account added to ${name}`, success: true }),
  },
  {
    route: 'DELETE /list/{list_name}/account/{account_id}',
    name: 'removes an account from a list',
    given: async (client) => {
      const id = await createAccount(client);
      return { id, name: await createList(client, [id]) };
    },
    params: ({ id, name }) => ({ account_id: id, list_name: name }),
    status: 200,
    keys: DONE,
    answer: ({ name }) => ({ message: `Account removed from ${name}`, success: true }),
  },
];

const EMAIL_ROWS: readonly RestRow[] = [
  {
    route: 'POST /email',
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
  {
    route: 'GET /email/{request_id}',
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
  {
    route: 'GET /email/batch/{batch_id}',
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
  {
    route: 'GET /email/imports',
    name: 'returns the imports',
    status: 200,
    keys: 'imports next_cursor request_id',
    answer: ({ importId }) => ({
      imports: expect.arrayContaining([expect.objectContaining({ import_id: importId, name: 'Customers' })]),
    }),
  },
  {
    route: 'POST /email/imports',
    name: 'stores a table of addresses and finds its columns',
    request: () => ({ query: { name: 'Spring' }, body: 'id;e-mail\n1;gil@example.org\n2;hal@example.org\n' }),
    status: 200,
    keys: IMPORT,
    answer: () => ({
      name: 'Spring',
      rows_received: 2,
      total_count: 2,
      delimiter: ';',
      columns: { names: ['id', 'e-mail'], has_header: true, email_column: 'e-mail' },
    }),
  },
  {
    route: 'GET /email/imports/{import_id}',
    name: 'returns an import with its progress',
    params: ({ importId }) => ({ import_id: importId }),
    status: 200,
    keys: IMPORT,
    answer: ({ importId }) => ({
      import_id: importId,
      status: 'completed',
      rows_received: 2,
      completed_count: 2,
    }),
  },
  {
    route: 'POST /email/imports/{import_id}',
    name: 'stores no row twice when the same file is sent again',
    params: ({ importId }) => ({ import_id: importId }),
    request: ({ email }) => ({ body: `email\n${email}\nnonsense\n` }),
    status: 200,
    keys: IMPORT,
    answer: ({ importId }) => ({ import_id: importId, rows_received: 2, total_count: 2 }),
  },
  {
    route: 'DELETE /email/imports/{import_id}',
    name: 'erases an import',
    given: async (client) => ({ made: await importEmails(client, 'email\nida@example.org\n', 'Old') }),
    params: ({ made }) => ({ import_id: made.import_id }),
    status: 200,
    keys: 'import_id request_id success',
    answer: ({ made }) => ({ import_id: made.import_id, success: true }),
  },
  {
    route: 'GET /email/imports/{import_id}/problems',
    name: 'returns the bad rows of an import by line',
    given: async (client) => ({
      made: await importEmails(client, 'email,name\na@example.org,A\nb,c,d\n', 'Bad'),
    }),
    params: ({ made }) => ({ import_id: made.import_id }),
    status: 200,
    keys: 'next_cursor problems request_id',
    answer: () => ({ problems: [{ line: 3, code: expect.any(String), message: expect.any(String) }] }),
  },
  {
    route: 'GET /email/imports/{import_id}/result.csv',
    name: 'returns the table with a result for each row',
    params: ({ importId }) => ({ import_id: importId }),
    status: 200,
    keys: '',
    answer: ({ email }) => expect.stringMatching(new RegExp(`^email,.*email_status.*\r\n${email},`)),
  },
];

const PHONE_ROWS: readonly RestRow[] = [
  {
    route: 'POST /phone',
    name: 'describes a number and how many accounts have it',
    request: ({ phone }) => ({ body: { phone_number: phone } }),
    status: 200,
    keys: 'phone project_id request_id',
    answer: ({ phone }) => ({
      phone: { phone_number: phone, valid: true, country_code: 'US', calling_country_code: '1' },
    }),
  },
];

/** Every route of the REST interface, once. */
export const REST_ROWS: readonly RestRow[] = [
  ...SESSION_ROWS,
  ...ACCOUNT_ROWS,
  ...VERIFICATION_ROWS,
  ...LIST_ROWS,
  ...EMAIL_ROWS,
  ...PHONE_ROWS,
];
