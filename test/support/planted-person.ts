import { upload } from './email-imports.ts';
import type { Gateway, TestProject } from './gateway.ts';
import { playedVerification } from './verification.ts';

/** Ids of the objects of a planted person. */
export type Planted = {
  readonly account: string;
  readonly friend: string;
  readonly session: string;
  readonly check: string;
  readonly emailCheck: string;
  readonly emailBatch: string;
  readonly emailImport: string;
  readonly decision: string;
  readonly endpoint: string;
  readonly rule: string;
  readonly backtest: string;
  readonly group: string;
  /** Global ids of objects of several types. */
  readonly nodes: readonly string[];
  /** Values that no person may see, in lower case. */
  readonly markers: readonly string[];
};

/** The planted values in an answer. */
export function foundMarkers({ markers }: Planted, answer: unknown): string[] {
  const text = (JSON.stringify(answer) ?? '').toLowerCase();
  return markers.filter((marker) => text.includes(marker));
}

const PHONE = '+14155557643';
const IP = '90.54.117.203';

/** Values in every field that a client can send, and the objects that contain them. */
export async function plantPerson(gateway: Gateway, project: TestProject): Promise<Planted> {
  const data = {
    email: 'gwendolyn.blackwood@planted-domain.example',
    phone: PHONE,
    username: 'gwen_planted',
    first_name: 'Gwendolyn',
    last_name: 'Blackwood',
    date_of_birth: '1987-03-29',
    metadata: { plan: 'planted-metadata', nested: { ssn: 987654320 }, 'planted.key@key.example': 'x' },
    id_numbers: [{ type: 'ssn', country_code: 'US', value: '219-09-9999' }],
  };
  const facts = {
    ip_address: IP,
    device_id: 'planted',
    location: { latitude: 48.858412, longitude: 2.294567 },
  };
  const [account, friend] = ['planted', 'planted friend'];
  // No account has this name, so that nothing is sent.
  const { createWebhookEndpoint } = await project.graphql(`mutation {
    createWebhookEndpoint(input: { url: "https://hooks.example.invalid/" }) { endpoint { id } } }`);
  const made = await project.graphql(`mutation {
    createRule(input: { name: "seen", trigger: ANY_SESSION, state: ENABLED, expression: "account.num_sessions >= 1",
      actions: [{ raiseFlag: "is_seen" }] }) { rule { id } } }`);
  const { session_id: session } = await project.authenticate({ id: account, ...data }, facts);
  await project.authenticate({ id: friend, ...data }, facts);
  const change = (field: string, input: string) =>
    project.graphql(`mutation { ${field}(input: ${input}) { requestId } }`);
  await change(
    'addAccountsToList',
    `{ list: "block", accountIds: ["${account}"], reason: "planted reason" }`,
  );
  await change('blockAccount', `{ accountId: "later", reason: "planted pending reason" }`);
  await change(
    'reportOutcome',
    `{ accountId: "${account}", outcome: FRAUD, at: "2026-01-01T00:00:00Z", note: "planted note" }`,
  );
  const check = await playedVerification(gateway, project, {
    id: 'true',
    simulate: 'success',
    account_id: account,
  });
  await change('approveVerification', `{ id: "${check}", reason: "planted review" }`);
  const claims = { name: { first: 'Gwendolyn', last: 'Blackwood' }, phone: PHONE };
  const asked = { email: data.email, claims, identity_intelligence: true };
  const { body: emailed } = await project.rest('POST', '/email', asked);
  const { body: batched } = await project.rest('POST', '/email', {
    emails: [asked, asked],
    batch_name: 'planted batch',
  });
  const file = `email,first name\n${data.email},Gwendolyn\nnot an address at planted.example,Gwendolyn\n`;
  const { body: imported } = await upload(gateway, project, file, { query: { name: 'planted import' } });
  const { backtestRule } = await project.graphql(`mutation {
    backtestRule(input: { expression: "account.num_sessions >= 1", since: "2020-01-01T00:00:00Z" }) { backtest { id } } }`);
  await gateway.app.settleEmailChecks(project.projectId);
  await gateway.app.recalculateLinks(project.projectId);
  await gateway.app.settleBacktests(project.projectId);
  await gateway.app.settleEvents();
  await gateway.app.settleWebhooks();
  const found = await project.graphql(
    `query ($id: ID!, $session: ID!, $check: ID!) {
      account(accountId: $id) { id identityGroup { id } decisions(first: 1) { edges { node { id } } } }
      session(sessionId: $session) { id } verification(sessionId: $check) { id }
      events(first: 100) { edges { node { id } } } }`,
    { id: account, session, check },
  );
  const decision = found.account.decisions.edges[0].node.id;
  return {
    ...{ account, friend, session, check, decision },
    emailCheck: emailed.request_id,
    emailBatch: batched.batch_id,
    emailImport: imported.import_id,
    endpoint: createWebhookEndpoint.endpoint.id,
    rule: made.createRule.rule.id,
    backtest: backtestRule.backtest.id,
    group: found.account.identityGroup?.id ?? '',
    nodes: [
      ...[found.account.id, found.session.id, found.verification.id, decision],
      ...found.events.edges.map(({ node }: { node: { id: string } }) => node.id),
    ].slice(0, 100),
    markers: [
      ...[
        'gwendolyn',
        'blackwood',
        'planted-domain',
        'gwen_planted',
        '5557643',
        '555-7643',
        '1987-03-29',
        '03/29/1987',
      ],
      ...[
        'planted-metadata',
        '987654320',
        'planted.key',
        '90.54.117',
        '48.8584',
        '2.2945',
        '219099999',
        '219-09',
      ],
      ...[
        'planted reason',
        'planted pending',
        'planted note',
        'planted review',
        'planted batch',
        'planted import',
      ],
    ],
  };
}
