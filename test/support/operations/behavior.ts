import sharp from 'sharp';
import { expect } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import { type Body, type Client, unique } from '../../acceptance/interface/client.ts';
import { CREATE_ENDPOINT, CREATE_RULE, createAccount, createList } from '../../acceptance/interface/world.ts';

/* Parts of several behaviors. */

export const edge = (node: unknown) => ({ edges: expect.arrayContaining([{ node }]) });
const LONG_AGO = '2020-01-01T00:00:00Z';

export const START_BACKTEST = `mutation ($input: BacktestRuleInput!) {
  backtestRule(input: $input) { backtest { id backtestState expression } } }`;

/** Backtest of a condition that holds for the sessions of one account. */
export async function startBacktest(client: Client, account: string): Promise<string> {
  const input = { expression: `account.id = "${account}"`, since: LONG_AGO };
  return (await client.graphql(START_BACKTEST, { input })).backtestRule.backtest.id;
}

/** The same, after its end. */
export async function finishBacktest(client: Client, account: string): Promise<string> {
  const id = await startBacktest(client, account);
  const find = 'query ($id: ID!) { backtest(id: $id) { backtestState } }';
  await until(
    'a backtest',
    async () => (await client.graphql(find, { id })).backtest.backtestState === 'DONE',
  );
  return id;
}

export const namesOf = (edges: { node: { accountId: string } }[]) =>
  edges.map(({ node }) => node.accountId).sort();

/** Mutation with an input: the usual shape. */
export const withInput = (field: string, inputType: string, selection: string) =>
  `mutation ($input: ${inputType}!) { ${field}(input: $input) { ${selection} } }`;

export async function newRule(client: Client): Promise<string> {
  const input = { name: unique('rule'), expression: 'account.id = "nobody"', trigger: 'ANY_SESSION' };
  return (await client.graphql(CREATE_RULE, { input })).createRule.rule.id;
}

export async function newEndpoint(client: Client, url: string): Promise<string> {
  const input = { url, eventTypes: ['RULE_CUSTOM'] };
  return (await client.graphql(CREATE_ENDPOINT, { input })).createWebhookEndpoint.endpoint.id;
}

export const CREATE_UPLOAD = withInput(
  'createVerificationUpload',
  'CreateVerificationUploadInput',
  'uploadUrl objectId',
);

/** Face check in whose capture an app has uploaded one photo. */
export async function capturedFace(client: Client): Promise<Body> {
  const { session_id } = await client.createVerification({});
  const input = { sessionId: session_id, kind: 'FACE_FRAME', contentType: 'IMAGE_JPEG' };
  const { uploadUrl } = (await client.graphql(CREATE_UPLOAD, { input })).createVerificationUpload;
  const photo = await sharp({ create: { width: 640, height: 480, channels: 3, background: '#888' } })
    .jpeg()
    .toBuffer();
  const headers = { 'content-type': 'image/jpeg' };
  const { status } = await fetch(uploadUrl, { method: 'PUT', headers, body: new Uint8Array(photo) });
  if (status !== 200) throw new Error(`upload: ${status}`);
  return { captured: session_id };
}

/** Endpoint with one delivered event, and that delivery. */
export async function delivered(client: Client, url: string): Promise<Body> {
  const input = { url, eventTypes: ['LIST_ACCOUNT_REMOVED'] };
  const { endpoint } = (await client.graphql(CREATE_ENDPOINT, { input })).createWebhookEndpoint;
  const account = await createAccount(client);
  const list = await createList(client, [account]);
  await client.ask('DELETE', `/list/${list}/account/${account}`);
  const find = `query ($id: ID!) { webhookEndpoint(id: $id) {
    deliveries { edges { node { id eventId deliveryState } } } } }`;
  const delivery = await until('a delivery', async () => {
    const { deliveries } = (await client.graphql(find, { id: endpoint.id })).webhookEndpoint;
    return deliveries.edges.find(({ node }: Body) => node.deliveryState === 'DELIVERED')?.node;
  });
  return { id: endpoint.id, delivery };
}

/** The global id of a completed simulated check. */
export async function completedCheck(client: Client): Promise<Body> {
  const sessionId = await client.verification({ simulate: 'success', simulate_decision: 'Suspicious' });
  const find = 'query ($id: ID!) { verification(sessionId: $id) { id } }';
  return { check: (await client.graphql(find, { id: sessionId })).verification.id };
}

export const REVIEWED = 'verification { id decision rawDecision review { reviewDecision reason } }';

export const ACCOUNT_RECORD =
  'account account_score accounts_linked bot countries country decision email first_seen last_seen last_session ' +
  'lists multiple_accounts num_sessions project_id request_id risk_signal_average risk_signals unique_devices unique_networks';
export const SESSION =
  'account_ids bot browser device device_id location location_spoofing network project_id request_id ' +
  'risk_signal_details risk_signal_scores risk_signals session_id source source_version start_time true_country_code';
export const IMPORT =
  'bad_rows batches columns completed_at completed_count created_at delimiter emit_each encoding ' +
  'identity_intelligence import_id name request_id result_url rows_received status total_count';
export const DONE = 'message request_id success';
export const bearer = (token: string) => ({ 'x-api-key': '', authorization: `Bearer ${token}` });
export const openSession = async (client: Client) => {
  const { session_id, token } = await client.session({ open: true });
  return { openId: session_id, token };
};
