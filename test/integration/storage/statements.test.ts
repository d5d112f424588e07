import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
const id = unique('hub');

beforeAll(async () => {
  gateway = await startGateway({ followsLinks: false });
  project = await gateway.project();
  await project.authenticate({ id, phone: '+14155550123', lists: ['vip'] });
  for (let index = 0; index < 12; index += 1)
    await project.authenticate({ id: `${id}-${index}`, phone: '+14155550123' });
});
afterAll(() => gateway.close());

/** The statements of a request, without those that find out who asks. */
async function statementsOf(request: () => Promise<unknown>): Promise<string[]> {
  gateway.takeStatements();
  await request();
  return gateway.takeStatements().filter((name) => name !== 'set_project' && !name.startsWith('key.'));
}

describe('the statements behind a request', () => {
  it('are few for GET /account/{id}', async () => {
    expect(await statementsOf(() => project.rest('GET', `/account/${id}`))).toEqual([
      'account.find_by_account_id',
      'link.strengths',
    ]);
  });

  it('are one for the linked accounts by REST', async () => {
    expect(await statementsOf(() => project.rest('GET', `/account/${id}/accounts-linked`))).toEqual([
      'account.find_with_neighbours',
    ]);
  });

  it('are one for the two-level read', async () => {
    const query = `query ($id: ID!) { account(id: $id) {
      accountId email username lists { name } lastSession { sessionId startTime }
      linkedAccounts(first: 10) { edges { score matchTypes firstSeen node { accountId email username lists { name } } } }
    } }`;
    const names = await statementsOf(() => project.graphql(query, { id }));
    expect(names.sort()).toEqual(['account.find_with_neighbours:session']);
  });

  it('are one a level for a graph and one for its links, whatever its size, and two more for all its evidence', async () => {
    const graph = (fields: string) => `query ($id: ID!) { linkGraph(accountId: $id, depth: 2) {
      nodes { depth account { accountId } } edges { from to score ${fields} } truncated } }`;
    const plain = await statementsOf(() => project.graphql(graph(''), { id }));
    expect(plain).toEqual([
      'graph.find_accounts',
      'graph.find_level',
      'graph.find_level',
      'graph.find_edges',
      'account.find_many',
    ]);
    const explained = await statementsOf(() => project.graphql(graph('evidence { kind sharedBy }'), { id }));
    // What the accounts share, and the fields of those that are compared.
    expect(explained).toEqual([...plain, 'link.find_evidence', 'link.read_persons']);
  });

  it('leave a mark when an account leaves a crowd beyond its cap', async () => {
    const crowd = await gateway.project();
    const name = { first_name: 'John', last_name: 'Smith' };
    await Promise.all(
      Array.from({ length: 53 }, (_, index) => crowd.authenticate({ id: `john-${index}`, ...name })),
    );
    const sent = await statementsOf(() => crowd.rest('PUT', '/account/john-0', { last_name: 'Miller' }));
    expect(sent).toContain('link.mark_crowds');
  });

  it('are one a level for identities, their accounts and their histories', async () => {
    await gateway.app.settleLinks(project.projectId);
    const query = `query ($id: ID!) { linkGraph(accountId: $id, depth: 1) { nodes { account {
      identityGroup { size history(first: 5) { action } accounts(first: 3) { edges { node { accountId } } } } } } } }`;
    expect((await statementsOf(() => project.graphql(query, { id }))).sort()).toEqual([
      'account.find_many',
      'graph.find_accounts',
      'graph.find_edges',
      'graph.find_level',
      'identity.find_changes',
      'identity.find_groups_of_accounts',
      'identity.find_members',
    ]);
  });

  it('are one a step for a path, and one for its links', async () => {
    const query = `query ($to: ID!) { linkPath(from: "${id}", to: $to) { hops { from to evidence { kind } } } }`;
    expect(await statementsOf(() => project.graphql(query, { to: `${id}-3` }))).toEqual([
      'graph.find_accounts',
      'graph.find_steps',
      'graph.find_edges',
      'account.find_many',
      'link.find_evidence',
      'link.read_persons',
    ]);
  });

  it.each([
    ['depth 0', 'linkGraph(accountId: "x", depth: 0) { truncated }'],
    ['depth 5', 'linkGraph(accountId: "x", depth: 5) { truncated }'],
    ['depth -1', 'linkGraph(accountId: "x", depth: -1) { truncated }'],
    ['no nodes', 'linkGraph(accountId: "x", maxNodes: 0) { truncated }'],
    ['501 nodes', 'linkGraph(accountId: "x", maxNodes: 501) { truncated }'],
    ['a score above 1', 'linkGraph(accountId: "x", minScore: 1.5) { truncated }'],
    ['7 hops', 'linkPath(from: "x", to: "y", maxDepth: 7) { hops { from } }'],
    ['a path to itself', 'linkPath(from: "x", to: "x") { hops { from } }'],
    ['a comparison with itself', 'whyNotLinked(a: "x", b: "x") { linked }'],
  ])('are none for %s', async (_what, field) => {
    let answer: { body: { errors?: { extensions: { code: string } }[] } } | undefined;
    const sent = await statementsOf(async () => {
      answer = await project.rawGraphql(`{ ${field} }`);
    });
    expect(answer?.body.errors?.[0]?.extensions.code).toBe('input.invalid');
    expect(sent).toEqual([]);
  });

  it('do not grow with the number of parents', async () => {
    const query = `{ accounts(first: 10) { edges { node { accountId accountsLinked lastSession { accountIds }
      linkedAccounts(first: 3) { edges { node { accountId accountsLinked } } } } } } }`;
    const names = await statementsOf(() => project.graphql(query));
    expect(names.sort()).toEqual([
      'account.search:CREATED_AT:DESC:',
      'link.find_pages:score',
      'link.strengths',
      'session.account_ids',
      'session.find_many',
    ]);
  });

  it('are two round trips for PUT /account/{id}', async () => {
    expect(
      await statementsOf(() => project.rest('PUT', `/account/${id}`, { username: unique('name') })),
    ).toEqual([
      'begin',
      'account.lock',
      'identifier.lock',
      'account.read_for_change',
      'identifier.read_matches',
      'account.count_from_own_domain',
      'account.write',
      'commit',
    ]);
  });

  it('are three round trips for DELETE /account/{id}, however many links and sessions it has', async () => {
    const other = unique('erased');
    for (let session = 0; session < 3; session += 1)
      await project.authenticate({ id: other, phone: '+14155550123' });
    expect(await statementsOf(() => project.rest('DELETE', `/account/${other}`))).toEqual([
      'begin',
      'face.lock',
      'account.lock',
      'session.lock_of_account',
      'identifier.lock',
      'account.find_to_delete',
      'webhook_deliveries.delete_of_account',
      'verification.delete_of_account',
      'email_check.lock_erased_batches',
      'email_check.lock_erased',
      'webhook_attempts.delete_of_deliveries',
      'link.mark_left_by_account',
      'identity.leave',
      'link.delete_of_account',
      'identifiers.delete_of_account',
      'session.delete_of_account',
      'fraud_sightings.delete_of_account',
      'outbox_events.delete_naming_account',
      'outbox_events.delete_of_account',
      'list_members.delete_of_account',
      'list_keep_offs.delete_of_account',
      'decisions.delete_of_account',
      'rule_matches.delete_of_account',
      'idempotency.erase_of_account',
      'account.delete',
      'commit',
      // Not waited for.
      'idempotency.erase_wide',
    ]);
  });

  it('are none for a query that is refused', async () => {
    expect(await statementsOf(() => project.rawGraphql('{ account(id: "x") { shoeSize } }'))).toEqual([]);
  });
});
