import { type Body, type Client, unique, uniquePhone } from './client.ts';
import { CREATE_ENDPOINT, CREATE_RULE, createAccount, createList, groupOf, type World } from './world.ts';

export type EventRow = {
  type: string;
  /** Description whose subject is the event. */
  name: string;
  /** Emits the event; its result is passed to `data`. */
  cause: (client: Client, world: World) => Promise<Body>;
  /** Part of the event data that the cause determines. */
  data: (known: World & Body) => Body;
};

/** Facts of a session as a page collects them. */
const VISIT = {
  ip_address: '8.8.8.8',
  device_id: 'laptop-of-pia',
  browser: {
    user_agent:
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36',
    language: 'en-US',
    languages: ['en-US', 'en'],
    timezone: 'America/New_York',
  },
  device: { cpu_cores: 8, memory: 16, screen_width: 1920, screen_height: 1080 },
  bot: { mouse_num_events: 212, click_num_events: 9, keyboard_num_events: 41 },
};

/** Two accounts with one user name. */
async function linkedPair(client: Client): Promise<Body> {
  const username = unique('pair');
  return { id: await createAccount(client, { username }), other: await createAccount(client, { username }) };
}

/** Rule for one new account, and a session of that account. */
async function triggeredRule(client: Client, actions: Body[]): Promise<Body> {
  const [id, name] = [unique('ruled'), unique('rule')];
  const input = {
    name,
    expression: `account.id = "${id}"`,
    trigger: 'ANY_SESSION',
    state: 'ENABLED',
    actions,
  };
  await client.graphql(CREATE_RULE, { input });
  const { session_id } = await client.authenticate({ id });
  return { id, rule: name, session: session_id };
}

/** Accounts that a phone number links to one identity. */
async function person(client: Client, count: number): Promise<{ members: string[]; groupId: string }> {
  const phone = uniquePhone();
  const members: string[] = [];
  for (let index = 0; index < count; index += 1) members.push(await createAccount(client, { phone }));
  return { members, groupId: await groupOf(client, members[0]!, count) };
}

/** Groups of three and two accounts, which a user name then merges. */
async function mergedGroups(client: Client): Promise<Body> {
  const [large, small] = [await person(client, 3), await person(client, 2)];
  const username = unique('bridge');
  await client.ask('PUT', `/account/${large.members[0]}`, { body: { username } });
  await client.ask('PUT', `/account/${small.members[0]}`, { body: { username } });
  await groupOf(client, small.members[0]!, 5);
  return { large, small };
}

const REPORT_OUTCOME = `mutation ($input: ReportOutcomeInput!) {
  reportOutcome(input: $input) { outcome { id outcomeId } } }`;
const RETRACT_OUTCOME = 'mutation ($id: ID!) { retractOutcome(input: { id: $id }) { requestId } }';
const REJECT = `mutation ($id: ID!, $reason: String!) {
  rejectVerification(input: { id: $id, reason: $reason }) { requestId } }`;

/** Account with a reported chargeback. */
async function chargedBack(client: Client): Promise<Body> {
  const id = await createAccount(client);
  const input = { accountId: id, outcome: 'CHARGEBACK', at: '2026-01-02T03:04:05.000Z', note: 'disputed' };
  return { id, ...(await client.graphql(REPORT_OUTCOME, { input })).reportOutcome };
}

/** Every type of event, once. */
export const EVENT_ROWS: readonly EventRow[] = [
  {
    type: 'session.completed',
    name: 'follows the creation of a session with all its facts',
    cause: async (client) => ({ made: await client.session(VISIT) }),
    data: ({ made }) => ({ session_id: made.session_id, network: { ip_address: '8.8.8.8' } }),
  },
  {
    type: 'account.authenticated',
    name: 'follows the authentication of an account with a session',
    cause: async (client) => {
      const id = unique('pia');
      const account = {
        id,
        email: `pia@${id}.com`,
        first_name: 'Pia',
        last_name: 'Lorenz',
        username: id,
        expected_countries: ['US'],
        metadata: { plan: 'basic' },
      };
      return {
        id,
        bound: await client.authenticate(account, { ...VISIT, ip_address: '73.162.112.7', device_id: id }),
      };
    },
    data: ({ id, bound }) => ({
      account_id: id,
      session_id: bound.session_id,
      account: { first_name: 'Pia' },
      session: { network: { ip_address: '73.162.112.7' } },
    }),
  },
  {
    type: 'account.updated',
    name: 'follows a change of an account without a session',
    cause: async (client) => {
      const id = await createAccount(client);
      await client.ask('PUT', `/account/${id}`, { body: { first_name: 'Quin' } });
      return { id };
    },
    data: ({ id }) => ({ account: { id, first_name: 'Quin' } }),
  },
  {
    type: 'account.deleted',
    name: 'follows the erasure of an account',
    cause: async (client) => {
      const id = await createAccount(client);
      await client.ask('DELETE', `/account/${id}`);
      return { id };
    },
    data: ({ id }) => ({ account_id: id }),
  },
  {
    type: 'account.linked',
    name: 'follows the link of two accounts, and names both',
    cause: linkedPair,
    data: ({ id, other }) => ({ account_id: other, linked_account_id: id }),
  },
  {
    type: 'account.unlinked',
    name: 'follows the end of what two accounts shared, and names both',
    cause: async (client) => {
      const pair = await linkedPair(client);
      await client.ask('PUT', `/account/${pair.id}`, { body: { username: '' } });
      return pair;
    },
    data: ({ id, other }) => ({ account_id: id, linked_account_id: other }),
  },
  {
    type: 'account.outcome_reported',
    name: 'follows the report of an outcome of an account, without its note',
    cause: chargedBack,
    data: ({ id, outcome }) => ({
      ...{ account_id: id, outcome_id: outcome.outcomeId, outcome: 'chargeback' },
      at: '2026-01-02T03:04:05.000Z',
    }),
  },
  {
    type: 'account.outcome_retracted',
    name: 'follows the retraction of a reported outcome',
    cause: async (client) => {
      const reported = await chargedBack(client);
      await client.graphql(RETRACT_OUTCOME, { id: reported.outcome.id });
      return reported;
    },
    data: ({ id, outcome }) => ({ account_id: id, outcome_id: outcome.outcomeId, outcome: 'chargeback' }),
  },
  {
    type: 'list.account_added',
    name: 'follows the addition of an account to a list',
    cause: async (client) => {
      const id = await createAccount(client);
      return { id, list: await createList(client, [id]) };
    },
    data: ({ id, list }) => ({ list, account_id: id }),
  },
  {
    type: 'list.account_removed',
    name: 'follows the removal of an account from a list',
    cause: async (client) => {
      const id = await createAccount(client);
      const list = await createList(client, [id]);
      await client.ask('DELETE', `/list/${list}/account/${id}`);
      return { id, list };
    },
    data: ({ id, list }) => ({ list, account_id: id }),
  },
  {
    type: 'rule.triggered',
    name: 'follows a session that a rule matches',
    cause: (client) => triggeredRule(client, [{ raiseFlag: 'ruled' }]),
    data: ({ id, rule }) => ({ account_id: id, rule }),
  },
  {
    type: 'rule.custom',
    name: 'follows the emitEvent action of a rule, with its name',
    cause: (client) => triggeredRule(client, [{ emitEvent: 'shop_suspect' }]),
    data: ({ id }) => ({ name: 'shop_suspect', account_id: id }),
  },
  {
    type: 'verification.id_check.completed',
    name: 'follows the completion of an ID check',
    cause: async (client) => ({
      ended: await client.verification({ id: 'true', simulate: 'success', simulate_decision: 'Real' }),
    }),
    data: ({ ended }) => ({ metadata: { session_id: ended }, decision: 'Real', risk_score: 0.1 }),
  },
  {
    type: 'verification.face_check.completed',
    name: 'follows the completion of a face check',
    cause: async (client) => ({ ended: await client.verification({ simulate: 'success' }) }),
    data: ({ ended }) => ({ metadata: { session_id: ended }, decision: 'Fake', risk_flags: ['repeat_face'] }),
  },
  {
    type: 'verification.failed',
    name: 'follows the failure of a verification, and names its reason',
    cause: async (client) => ({ ended: await client.verification({ simulate: 'liveness_check_failed' }) }),
    data: ({ ended }) => ({ metadata: { session_id: ended }, error_message: 'liveness_check_failed' }),
  },
  {
    type: 'verification.reviewed',
    name: 'follows the decision of a reviewer on a completed check, with its reason',
    cause: async (client) => {
      const checked = await client.verification({ simulate: 'success', simulate_decision: 'Suspicious' });
      const find = 'query ($id: ID!) { verification(sessionId: $id) { id } }';
      const { id } = (await client.graphql(find, { id: checked })).verification;
      await client.graphql(REJECT, { id, reason: 'A copy' });
      return { checked };
    },
    data: ({ checked }) => ({
      ...{ session_id: checked, kind: 'face', position: 1, review_decision: 'rejected', reason: 'A copy' },
    }),
  },
  {
    type: 'email.intelligence.completed',
    name: 'follows the completion of an email check',
    cause: async (client) => {
      // A fixed value, since a random one could look random and have signals that the example lacks.
      const email = 'ron.weber@example.org';
      return { check: await client.ask('POST', '/email', { body: { email } }), checked: email };
    },
    data: ({ check, checked }) => ({
      request_id: check.request_id,
      status: 'success',
      data: { input: { email: checked } },
    }),
  },
  {
    type: 'email.batch.completed',
    name: 'follows the completion of the last check of a batch',
    cause: async (client) => ({
      batch: await client.ask('POST', '/email', { body: { emails: [{ email: 'sue@example.org' }] } }),
    }),
    data: ({ batch }) => ({
      batch_id: batch.batch_id,
      status: 'completed',
      total_count: 1,
      completed_count: 1,
    }),
  },
  {
    type: 'identity_group.merged',
    name: 'follows a link between the accounts of two groups, and names both',
    cause: mergedGroups,
    data: ({ large, small }) => ({
      identity_group_id: large.groupId,
      merged_group_id: small.groupId,
      accounts: 5,
    }),
  },
  {
    type: 'identity_group.split',
    name: 'follows the end of the link that held a group together',
    cause: async (client) => {
      const groups = await mergedGroups(client);
      const [first] = groups.small.members;
      await client.ask('PUT', `/account/${first}`, { body: { username: '' } });
      return { ...groups, apart: await groupOf(client, first, 2) };
    },
    data: ({ large, apart }) => ({ identity_group_id: large.groupId, new_group_id: apart, accounts: 2 }),
  },
  {
    type: 'webhook.endpoint_disabled',
    name: 'follows an answer 410 of an endpoint, to the other endpoints',
    cause: async (client, { receiver }) => {
      const input = { url: receiver.url('/gone'), eventTypes: ['ACCOUNT_DELETED'] };
      const { endpoint } = (await client.graphql(CREATE_ENDPOINT, { input })).createWebhookEndpoint;
      await client.ask('DELETE', `/account/${await createAccount(client)}`);
      return { endpoint: endpoint.endpointId };
    },
    data: ({ endpoint }) => ({ endpoint_id: endpoint, reason: 'gone' }),
  },
];
