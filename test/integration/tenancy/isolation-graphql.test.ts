import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway } from '../../support/gateway.ts';
import { MUTATIONS, mutationOf, QUERIES, queryOf } from '../../support/operations/index.ts';
import type { ForeignRequest } from '../../support/operations/operation.ts';
import { expectAlike, stateOf, type TwoProjects, twoProjects } from '../../support/two-projects.ts';

/*
 * A request with an id of another project is answered exactly as with an unknown id, on every field of queries
 * and mutations: the cases are those of test/support/operations.
 */
let gateway: Gateway;
let both: TwoProjects;
let before: Body;

beforeAll(async () => {
  gateway = await startGateway();
  both = await twoProjects(gateway);
  before = await stateOf(both.theirs);
});
afterAll(() => gateway.close());

/** Requests with ids of another project, by root field. */
const CASES = new Map<string, readonly ForeignRequest[]>(
  [
    ...QUERIES.map((field) => [field, queryOf(field)] as const),
    ...MUTATIONS.map((field) => [field, mutationOf(field)] as const),
  ].flatMap(([field, { foreign }]) => (typeof foreign === 'string' ? [] : [[field, foreign] as const])),
);

describe('an id of another project is unknown', () => {
  it.each([...CASES.keys()])('by GraphQL: %s', async (field) => {
    for (const { query, variables } of CASES.get(field)!) {
      await expectAlike(both, (ids) => both.ours.rawGraphql(query, variables(ids)));
    }
    expect(await stateOf(both.theirs)).toEqual(before);
  });

  it('on every field', () => {
    const schema = buildSchema(readFileSync('schema.graphql', 'utf8'));
    const fields = [schema.getQueryType()!, schema.getMutationType()!].flatMap((type) =>
      Object.keys(type.getFields()),
    );
    expect([...QUERIES, ...MUTATIONS].sort()).toEqual(fields.sort());
  });

  it('and known in its own project, with the same queries', async () => {
    const { theirs, foreign } = both;
    for (const field of [
      'account',
      'backtest',
      'decision',
      'emailBatch',
      'emailCheck',
      'emailImport',
      'list',
      'node',
      'nodes',
      'rule',
      'session',
      'verification',
      'webhookEndpoint',
    ]) {
      const { query, variables } = CASES.get(field)![0]!;
      expect(JSON.stringify((await theirs.graphql(query, variables(foreign)))[field]), field).toMatch(
        /"id":"/,
      );
    }
  });
});

describe('reads without an id', () => {
  it('return only the own project: lists, accounts and sessions', async () => {
    const [mine, other] = [await stateOf(both.ours), await stateOf(both.theirs)];
    const names = mine.lists.edges.map(({ node }: Body) => node.name);
    expect(names).toEqual(['allow', 'block', 'main_account', 'regulars']);
    expect(mine.accounts.edges.map(({ node }: Body) => node.accountId)).toEqual(['same too', 'same']);
    const idsIn = (state: Body) => [
      ...state.lists.edges.map(({ node }: Body) => node.id),
      ...state.sessions.edges.map(({ node }: Body) => node.sessionId),
    ];
    expect(idsIn(mine).filter((id) => idsIn(other).includes(id))).toEqual([]);
    const { project } = await both.ours.graphql('{ project { projectId } }');
    expect(project.projectId).toBe(both.ours.projectId);
  });

  const withToken = async (limit: Body) => {
    const { createBrowserToken } = await both.ours.graphql(
      'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
      { input: { scopes: ['ACCOUNT'], ...limit } },
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    return async (query: string, variables: Body = {}): Promise<Body> =>
      (await both.ours.rawGraphql(query, variables, headers)).body;
  };

  it('reject a token that names an account or session of another project', async () => {
    const { foreign } = both;
    for (const limit of [{ accountId: foreign.account }, { sessionId: foreign.session }]) {
      const ask = await withToken(limit);
      const { data } = await ask(
        `query ($account: ID!, $session: ID!, $nodes: [ID!]!) {
          account(accountId: $account) { id } session(sessionId: $session) { id } nodes(ids: $nodes) { id } }`,
        { account: foreign.account, session: foreign.session, nodes: Object.values(foreign.nodes) },
      );
      expect(data).toEqual({ account: null, session: null, nodes: [null, null, null] });
    }
  });

  it('are limited for a token of one account: its links, other accounts, sessions and lists', async () => {
    const ask = await withToken({ accountId: 'same' });
    const { data } = await ask('{ account(accountId: "same") { accountId lists { name } accountsLinked } }');
    expect(data.account).toEqual({ accountId: 'same', lists: [{ name: 'regulars' }], accountsLinked: 1 });
    expect((await ask('{ account(accountId: "same too") { id } }')).data).toEqual({ account: null });
    for (const query of [
      '{ account(accountId: "same") { linkedAccounts { edges { node { accountId } } } } }',
      '{ accounts { edges { node { id } } } }',
      '{ sessions { edges { node { id } } } }',
      '{ lists { edges { node { name } } } }',
      '{ list(name: "regulars") { name } }',
    ]) {
      const { data, errors } = await ask(query);
      expect(errors?.[0].extensions.code, query).toBe('auth.forbidden');
      expect(Object.values(data ?? {}).filter((value) => value !== null)).toEqual([]);
    }
  });
});
