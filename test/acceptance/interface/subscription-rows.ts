import { type Body, type Client, unique } from './client.ts';
import type { GraphqlRow, Known } from './graphql-row.ts';
import { createAccount, createList, type World } from './world.ts';

export type SubscriptionRow = GraphqlRow & {
  /** Runs after subscribing; its result is passed to `answer`. */
  cause: (client: Client, world: World, known: Known) => Promise<Body>;
};

/** Every field of Subscription, once. Each is subscribed over a WebSocket. */
export const SUBSCRIPTION_ROWS: readonly SubscriptionRow[] = [
  {
    field: 'events',
    name: 'sends the events of an account and a type',
    given: async () => ({ id: unique('liv') }),
    document: `subscription ($after: String, $id: ID) { events(after: $after, accountId: $id, types: [ACCOUNT_UPDATED]) {
      type accountId account { firstName } } }`,
    variables: ({ id }) => ({ id }),
    cause: async (client, _, { id }) => {
      await client.authenticate({ id });
      await client.ask('PUT', `/account/${id}`, { body: { first_name: 'Liv' } });
    },
    answer: ({ id }) => ({ type: 'ACCOUNT_UPDATED', accountId: id, account: { firstName: 'Liv' } }),
  },
  {
    field: 'accountUpdated',
    name: 'sends the authentications of an account',
    given: async () => ({ id: unique('mia') }),
    document: `subscription ($after: String, $id: ID) { accountUpdated(after: $after, accountId: $id) { type sessionId accountId } }`,
    variables: ({ id }) => ({ id }),
    cause: async (client, _, { id }) => ({ bound: await client.authenticate({ id }) }),
    answer: ({ id, bound }) => ({
      type: 'ACCOUNT_AUTHENTICATED',
      accountId: id,
      sessionId: bound.session_id,
    }),
  },
  {
    field: 'accountLinked',
    name: 'sends the links of an account that another account creates',
    given: async (client) => ({ shared: unique('shared'), id: await createAccount(client) }),
    document: `subscription ($after: String, $id: ID) { accountLinked(after: $after, accountId: $id) { type accountId data } }`,
    variables: ({ id }) => ({ id }),
    cause: async (client, _, { id, shared }) => {
      await client.ask('PUT', `/account/${id}`, { body: { username: shared } });
      return { other: await createAccount(client, { username: shared }) };
    },
    answer: ({ id, other }) => ({
      ...{ type: 'ACCOUNT_LINKED', accountId: other },
      data: { account_id: other, linked_account_id: id },
    }),
  },
  {
    field: 'listChanged',
    name: 'sends the changes of a list',
    given: async (client) => ({ id: await createAccount(client), list: await createList(client) }),
    document: `subscription ($after: String, $name: String) { listChanged(after: $after, name: $name) { type accountId data } }`,
    variables: ({ list }) => ({ name: list }),
    cause: (client, _, { id, list }) => client.ask('POST', `/list/${list}/account/${id}`),
    answer: ({ id, list }) => ({ type: 'LIST_ACCOUNT_ADDED', accountId: id, data: { list } }),
  },
  {
    field: 'verificationCompleted',
    name: 'sends the completed face checks',
    document: `subscription ($after: String) { verificationCompleted(after: $after, kind: FACE_CHECK) { type sessionId data } }`,
    cause: async (client) => ({
      ended: await client.verification({ simulate: 'success', simulate_decision: 'Suspicious' }),
    }),
    answer: ({ ended }) => ({
      ...{ type: 'VERIFICATION_FACE_CHECK_COMPLETED', sessionId: ended },
      data: { decision: 'Suspicious' },
    }),
  },
  {
    field: 'verificationEnded',
    name: 'sends the failed ID checks with their reason',
    document: `subscription ($after: String) { verificationEnded(after: $after, kind: ID_CHECK) {
      type sessionId kind ... on VerificationFailedEvent { failure } } }`,
    cause: async (client) => ({
      ended: await client.verification({ id: 'true', simulate: 'failed_to_process_id_scan' }),
    }),
    answer: ({ ended }) => ({
      ...{ type: 'VERIFICATION_FAILED', sessionId: ended, kind: 'ID_CHECK' },
      failure: 'FAILED_TO_PROCESS_ID_SCAN',
    }),
  },
  {
    field: 'emailChecked',
    name: 'sends the completed email checks',
    given: async () => ({ checked: `${unique('ned')}@example.org` }),
    document: `subscription ($after: String) { emailChecked(after: $after) { type data } }`,
    cause: (client, _, { checked }) => client.ask('POST', '/email', { body: { email: checked } }),
    answer: ({ checked }) => ({
      type: 'EMAIL_INTELLIGENCE_COMPLETED',
      data: { status: 'success', data: { input: { email: checked } } },
    }),
  },
  {
    field: 'emailBatchCompleted',
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
];
