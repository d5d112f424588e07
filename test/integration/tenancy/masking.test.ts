import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject } from '../../support/gateway.ts';
import { QUERIES } from '../../support/operations/index.ts';
import { type Caller, keyCaller, type PersonCaller, personCaller } from '../../support/person-calls.ts';
import { foundMarkers, type Planted, plantPerson } from '../../support/planted-person.ts';
import { groupParts, printParts, type SelectionPart, selectionParts } from '../../support/selection-parts.ts';

/*
 * Values are planted in every personal field, and every query is read with its fields: no answer to a person contains one of them,
 * whatever its role, and the answers to a key contain all of them.
 */

/** Steps from a root field to an object: pages have three (field, edges, node). */
const MAX_STEPS = 6;

let gateway: Gateway;
let project: TestProject;
let planted: Planted;
let persons: PersonCaller[];
let key: Caller;

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
  planted = await plantPerson(gateway, project);
  persons = [];
  for (const role of ['viewer', 'analyst', 'admin'] as const)
    persons.push(await personCaller(gateway, project, role));
  key = keyCaller(gateway, project);
}, 120_000);
afterAll(() => gateway.close());

const quoted = (value: unknown) => JSON.stringify(value);

/** Arguments of the queries that require some. */
const ARGUMENTS: Readonly<Record<string, () => string>> = {
  account: () => `accountId: ${quoted(planted.account)}`,
  auditLog: () => 'first: 50',
  backtest: () => `id: ${quoted(planted.backtest)}`,
  checkPhone: () => 'phoneNumber: "+14155557643"',
  decision: () => `id: ${quoted(planted.decision)}`,
  emailBatch: () => `id: ${quoted(planted.emailBatch)}`,
  emailCheck: () => `id: ${quoted(planted.emailCheck)}`,
  emailImport: () => `id: ${quoted(planted.emailImport)}`,
  events: () => 'first: 50',
  identityGroup: () => `id: ${quoted(planted.group)}`,
  identityMatch: () => `accountId: ${quoted(planted.account)}, sessionId: ${quoted(planted.check)}`,
  linkGraph: () => `accountId: ${quoted(planted.account)}, maxNodes: 5`,
  linkPath: () => `from: ${quoted(planted.account)}, to: ${quoted(planted.friend)}`,
  list: () => 'name: "block"',
  node: () => `id: ${quoted(planted.nodes[0])}`,
  nodes: () => `ids: ${quoted(planted.nodes.slice(0, 10))}`,
  replayDecision: () => `id: ${quoted(planted.decision)}`,
  rule: () => `id: ${quoted(planted.rule)}`,
  scoreSession: () => `sessionId: ${quoted(planted.session)}`,
  session: () => `sessionId: ${quoted(planted.session)}`,
  simulateWebhook: () => `endpointId: ${quoted(planted.endpoint)}, eventId: ${quoted(planted.nodes.at(-1))}`,
  stats: () => 'by: DAY, since: "2026-01-01T00:00:00Z", until: "2026-01-02T00:00:00Z"',
  testRule: () =>
    `sessionId: ${quoted(planted.session)}, expression: "account.email.email CONTAINS \\"gwendolyn\\""`,
  verification: () => `sessionId: ${quoted(planted.check)}`,
  webhookEndpoint: () => `id: ${quoted(planted.endpoint)}`,
  whyNotLinked: () => `a: ${quoted(planted.account)}, b: ${quoted(planted.friend)}`,
};

function documentOf(name: string, parts: readonly SelectionPart[]): string {
  const args = ARGUMENTS[name]?.();
  return `{ ${name}${args === undefined ? '' : `(${args})`} ${printParts(parts)} }`;
}

const TOO_LARGE = /^graphql\.too_(expensive|broad|deep)$|Syntax Error: Token limit/;
const isTooLarge = ({ errors }: Body) =>
  errors?.some(
    ({ message, extensions }: Body) => TOO_LARGE.test(extensions?.code) || TOO_LARGE.test(message),
  );

/** The answers of a key to documents below the limits, and the parts that no such document can select. */
async function readByParts(
  name: string,
  parts: readonly SelectionPart[],
): Promise<{ answers: { document: string; answer: Body }[]; unread: string[] }> {
  const document = documentOf(name, parts);
  const answer = await key.raw(document);
  if (!isTooLarge(answer)) return { answers: [{ document, answer }], unread: [] };
  if (parts.length <= 1) return { answers: [], unread: parts.map(({ type }) => type) };
  const middle = Math.ceil(parts.length / 2);
  const halves = [
    await readByParts(name, parts.slice(0, middle)),
    await readByParts(name, parts.slice(middle)),
  ];
  return {
    answers: halves.flatMap(({ answers }) => answers),
    unread: halves.flatMap(({ unread }) => unread),
  };
}

describe('no answer to a person contains personal data', () => {
  const shown = new Set<string>();
  const unread = new Set<string>();
  const read = new Set<string>();

  it.each(QUERIES)(
    'by GraphQL: %s',
    async (name) => {
      const field = schema.getQueryType()!.getFields()[name]!;
      const groups = groupParts(selectionParts(schema, field, MAX_STEPS));
      for (const group of groups.length === 0 ? [[]] : groups) {
        const found = await readByParts(name, group);
        for (const type of found.unread) unread.add(type);
        for (const { type } of group) if (!found.unread.includes(type)) read.add(type);
        for (const { document, answer } of found.answers) {
          for (const marker of foundMarkers(planted, answer)) shown.add(marker);
          const answers = await Promise.all(persons.map((person) => person.raw(document)));
          for (const { data } of answers) expect(foundMarkers(planted, data)).toEqual([]);
          // The field is read at all, unless persons may not read it, or not this value.
          const { data, errors = [] } = answers.at(-1)!;
          const isRefused = errors.some(({ path }: Body) => path?.length === 1);
          if (answer.data?.[name] != null && !isRefused)
            expect(data?.[name], JSON.stringify(errors)).not.toBeNull();
        }
      }
    },
    120_000,
  );

  it('and the answers to a key contain all of it', () => {
    // A number of an id is stored as a hash alone. No field has the location that a page reports.
    const never = ['219099999', '219-09', '48.8584', '2.2945', '555-7643', '03/29/1987'];
    expect(planted.markers.filter((marker) => !shown.has(marker) && !never.includes(marker))).toEqual([]);
    // What is too large below one field is read below another one.
    expect([...unread].filter((type) => !read.has(type))).toEqual([]);
  });

  it('by the export of an account', async () => {
    const document = `mutation { exportAccount(input: { accountId: ${quoted(planted.account)} }) { records { section data } } }`;
    expect(foundMarkers(planted, await key.graphql(document))).not.toEqual([]);
    for (const person of persons)
      expect(foundMarkers(planted, (await person.raw(document)).data)).toEqual([]);
  });

  it('and values keep a form that a reader recognizes', async () => {
    for (const person of persons) {
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
    }
  });
});
