import { startReceiver } from '../../support/webhook-receiver.ts';
import { until } from '../gateway-process.ts';
import { type Body, type Client, unique, uniquePhone } from './client.ts';

export type World = Awaited<ReturnType<typeof createWorld>>;

/**
 * Data of the rows: anna and bert share a phone number, bert and carl a user name, anna is on a list, and the
 * face of `enrolled` is enrolled. Rows that change data create their own.
 */
export async function createWorld(client: Client) {
  const receiver = await startReceiver();
  const anna = unique('anna');
  const bert = unique('bert');
  const carl = unique('carl');
  const enrolled = unique('enrolled');
  const listName = unique('friends');
  const phone = uniquePhone();
  const username = unique('bee');
  const domain = `${unique('mail')}.com`;
  const email = `anna@${domain}`;
  await client.ask('POST', `/list/${listName}`, { body: { list_description: 'Friends of the house' } });
  const verifications = Promise.all([
    client.verification({ simulate: 'success', simulate_decision: 'Real' }),
    client.verification({ id: 'true', simulate: 'success', simulate_risk_flags: 'digital_id' }),
    client.verification({ simulate: 'success', simulate_decision: 'Real' }),
    client.verification({ simulate: 'success', simulate_decision: 'Real' }),
    client.verification({ simulate: 'success', simulate_decision: 'Real', account_id: enrolled }),
  ]);
  const first = await client.authenticate(
    { id: anna, phone, email, lists: [listName] },
    { ip_address: '8.8.8.8', device_id: unique('laptop') },
  );
  await client.authenticate({ id: bert, phone, username });
  await client.authenticate({ id: carl, username });
  const { createRule } = await client.graphql(CREATE_RULE, {
    input: {
      name: unique('rule'),
      expression: `account.id = "${anna}"`,
      trigger: 'ANY_SESSION',
      state: 'ENABLED',
      actions: [{ raiseFlag: 'is_anna' }],
    },
  });
  const { checkEmail, checkEmails } = await client.graphql(CHECK_EMAILS, {
    single: { email, waitSeconds: 10 },
    batch: { emails: [{ email }, { email: `bert@${domain}` }], batchName: 'Both', waitSeconds: 10 },
  });
  const { emailCheck } = checkEmail;
  const { emailBatch } = checkEmails;
  await importEmails(client, `email\n${email}\nnonsense\n`, 'Customers');
  const { emailImports } = await client.graphql(
    '{ emailImports(first: 1) { edges { node { id importId } } } }',
  );
  const emailImport = emailImports.edges[0].node;
  const { createWebhookEndpoint } = await client.graphql(CREATE_ENDPOINT, {
    input: { url: receiver.url('/world'), eventTypes: ['LIST_ACCOUNT_ADDED'], description: 'Of the world' },
  });
  const groupId = await groupOf(client, anna, 3);
  const find =
    'query ($id: ID!) { account(accountId: $id) { id decisions(first: 1) { edges { node { id } } } } }';
  const { account } = await client.graphql(find, { id: anna });
  const [faceCheck, idCheck, enrollable, enrollableToo] = await verifications;
  return {
    ...{
      projectId: client.projectId,
      receiver,
      anna,
      bert,
      carl,
      enrolled,
      phone,
      username,
      email,
      domain,
      listName,
      groupId,
    },
    ...{ sessionId: first.session_id as string, requestId: first.request_id as string },
    ...{ faceCheck, idCheck, enrollable, enrollableToo, importId: emailImport.importId as string },
    ...{ checkId: emailCheck.checkId as string, batchId: emailBatch.batchId as string },
    // Global ids.
    nodes: { check: emailCheck.id, batch: emailBatch.id, import: emailImport.id } as Record<string, string>,
    ruleId: createRule.rule.id as string,
    ruleName: createRule.rule.name as string,
    endpointId: createWebhookEndpoint.endpoint.id as string,
    nodeId: account.id as string,
    decisionId: account.decisions.edges[0].node.id as string,
  };
}

const CHECK_EMAILS = `mutation ($single: CheckEmailInput!, $batch: CheckEmailsInput!) {
  checkEmail(input: $single) { emailCheck { id checkId } } checkEmails(input: $batch) { emailBatch { id batchId } } }`;
export const CREATE_RULE =
  'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id name } } }';
export const CREATE_ENDPOINT = `mutation ($input: CreateWebhookEndpointInput!) {
  createWebhookEndpoint(input: $input) { endpoint { id endpointId } secret } }`;

/** New list, with these accounts on it. */
export async function createList(client: Client, accounts: readonly string[] = []): Promise<string> {
  const name = unique('list');
  await client.ask('POST', `/list/${name}`, { body: { list_description: 'Made for a row' } });
  for (const account of accounts) await client.ask('POST', `/list/${name}/account/${account}`);
  return name;
}

/** New account with these fields. */
export async function createAccount(client: Client, fields: Body = {}): Promise<string> {
  const id = unique('account');
  await client.authenticate({ id, ...fields });
  return id;
}

/** Imports a table and waits until its rows are checked. */
export async function importEmails(client: Client, table: string, name: string): Promise<Body> {
  const { import_id } = await client.ask('POST', '/email/imports', { query: { name }, body: table });
  const found = async () => {
    const body = await client.ask('GET', `/email/imports/${import_id}`);
    return body.status === 'completed' && body;
  };
  return until('a completed import', found);
}

/** Identity group of an account, once it has this size: groups follow links in the background. */
export const groupOf = (client: Client, id: string, size: number): Promise<string> =>
  until(`an identity group of ${size}`, async () => {
    const find = 'query ($id: ID!) { account(accountId: $id) { identityGroup { groupId size } } }';
    const group = (await client.graphql(find, { id })).account.identityGroup;
    return group?.size === size && group.groupId;
  });
