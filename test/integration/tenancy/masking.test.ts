import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { fullSelection } from '../../support/full-selection.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject } from '../../support/gateway.ts';
import { keyForTests, type PersonForTests, personForTests } from '../../support/person-for-tests.ts';
import { type Planted, plantPerson } from '../../support/planted-person.ts';

/*
 * Values are planted in every personal field, and every query is read with all of its fields: no answer to a person contains one of
 * them, and the answers to a key contain all of them.
 */

let gateway: Gateway;
let project: TestProject;
let planted: Planted;
let person: PersonForTests;
let key: PersonForTests;

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
  planted = await plantPerson(gateway, project);
  person = await personForTests(gateway, project);
  key = await keyForTests(gateway, project);
}, 120_000);
afterAll(() => gateway.close());

const quoted = (value: unknown) => JSON.stringify(value);

/** Arguments of the queries that require some. */
const ARGUMENTS: Readonly<Record<string, () => string>> = {
  account: () => `accountId: ${quoted(planted.account)}`,
  auditLog: () => 'first: 100',
  backtest: () => `id: ${quoted(planted.backtest)}`,
  checkPhone: () => 'phoneNumber: "+14155557643"',
  decision: () => `id: ${quoted(planted.decision)}`,
  emailBatch: () => `id: ${quoted(planted.emailBatch)}`,
  emailCheck: () => `id: ${quoted(planted.emailCheck)}`,
  emailImport: () => `id: ${quoted(planted.emailImport)}`,
  events: () => 'first: 100',
  identityGroup: () => `id: ${quoted(planted.group)}`,
  identityMatch: () => `accountId: ${quoted(planted.account)}, sessionId: ${quoted(planted.check)}`,
  linkGraph: () => `accountId: ${quoted(planted.account)}`,
  linkPath: () => `from: ${quoted(planted.account)}, to: ${quoted(planted.friend)}`,
  list: () => 'name: "block"',
  node: () => `id: ${quoted(planted.nodes[0])}`,
  nodes: () => `ids: ${quoted(planted.nodes)}`,
  replayDecision: () => `id: ${quoted(planted.decision)}`,
  rule: () => `id: ${quoted(planted.rule)}`,
  scoreSession: () => `sessionId: ${quoted(planted.session)}`,
  session: () => `sessionId: ${quoted(planted.session)}`,
  simulateWebhook: () => `endpointId: ${quoted(planted.endpoint)}, eventId: ${quoted(planted.nodes.at(-1))}`,
  stats: () => 'by: DAY, since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z"',
  testRule: () =>
    `sessionId: ${quoted(planted.session)}, expression: "account.email contains \\"gwendolyn\\""`,
  verification: () => `sessionId: ${quoted(planted.check)}`,
  webhookEndpoint: () => `id: ${quoted(planted.endpoint)}`,
  whyNotLinked: () => `a: ${quoted(planted.account)}, b: ${quoted(planted.friend)}`,
};

const FIELDS = Object.values(schema.getQueryType()!.getFields());

function documentOf(name: string): string {
  const field = schema.getQueryType()!.getFields()[name]!;
  const args = ARGUMENTS[name]?.();
  return `{ ${name}${args === undefined ? '' : `(${args})`} ${fullSelection(schema, field)} }`;
}

/** What was planted and is in an answer, apart from what the request itself contains. */
function found(answer: unknown): string[] {
  const text = JSON.stringify(answer).toLowerCase();
  return planted.markers.filter((marker) => text.includes(marker));
}

describe('no answer to a person contains personal data', () => {
  const shown = new Set<string>();

  it.each(FIELDS.map(({ name }) => name))('by GraphQL: %s', async (name) => {
    const document = documentOf(name);
    const ofKey = await key.raw(document);
    for (const marker of found(ofKey)) shown.add(marker);
    const { data, errors = [] } = await person.raw(document);
    // The field is read at all, unless persons may not read it.
    if (ofKey.data?.[name] != null) expect(data?.[name], JSON.stringify(errors)).not.toBeNull();
    expect(found(data)).toEqual([]);
  });

  it('and the answers to a key contain all of it', () => {
    // A number of an id is stored as a hash alone. No field has the location that a page reports.
    const never = ['219099999', '219-09', '48.8584', '2.2945', '555-7643', '03/29/1987'];
    expect(planted.markers.filter((marker) => !shown.has(marker) && !never.includes(marker))).toEqual([]);
  });

  it('for every role', async () => {
    for (const role of ['viewer', 'analyst'] as const) {
      const other = await personForTests(gateway, project, role);
      expect(found((await other.raw(documentOf('account'))).data)).toEqual([]);
    }
  });

  it('by the export of an account', async () => {
    const document = `mutation { exportAccount(input: { accountId: ${quoted(planted.account)} }) { records { section data } } }`;
    expect(found(await key.graphql(document))).not.toEqual([]);
    expect(found(await person.graphql(document))).toEqual([]);
  });

  it('by REST', async () => {
    const paths = [
      `/account/${planted.account}`,
      `/account/${planted.account}/sessions`,
      `/account/${planted.account}/accounts-linked`,
      `/session/${planted.session}`,
      `/email/${planted.emailCheck}`,
      `/email/batch/${planted.emailBatch}`,
      '/list/block',
    ];
    for (const path of paths) {
      const answer = await person.rest('GET', path);
      expect(answer.statusCode, path).toBeUndefined();
      expect(found(answer), path).toEqual([]);
    }
    const verified = await person.rest('POST', '/liveness/verify-id', { session_id: planted.check });
    expect(verified.document_data.user_data.date_of_birth).toMatch(/•/);
    expect(found(verified)).toEqual([]);
    expect(ROUTES.length).toBeGreaterThan(paths.length);
  });

  it('and values keep a form that a reader recognizes', async () => {
    const { account } = await person.graphql(
      `query ($id: ID!) { account(accountId: $id) {
        accountId email phone firstName dateOfBirth metadata sessions(first: 1, orderBy: { field: START_TIME, direction: ASC }) { edges { node { network { ipAddress } } } } } }`,
      { id: planted.account },
    );
    expect(account).toEqual({
      accountId: planted.account,
      email: 'g•••@p•••.example',
      phone: '+14•••43',
      firstName: 'G•••',
      dateOfBirth: '••••-••-••',
      metadata: { plan: '•••', nested: { ssn: '•••' }, '•••3': '•••' },
      sessions: { edges: [{ node: { network: { ipAddress: '90.•••' } } }] },
    });
  });

  it('and accounts are still found by exact values', async () => {
    const { accounts } = await person.graphql(
      `{ accounts(filter: { email: "gwendolyn.blackwood@planted-domain.example" }) { edges { node { accountId email } } } }`,
    );
    expect(accounts.edges.map(({ node }: Body) => node.accountId).sort()).toEqual([
      planted.account,
      planted.friend,
    ]);
    expect(found(accounts)).toEqual([]);
  });
});
