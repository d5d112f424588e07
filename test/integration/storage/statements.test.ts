import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { costOf, locksBeforeReads, locksOf, tripsOf } from '../../support/trips.ts';

let gateway: Gateway;
let project: TestProject;
const id = unique('hub');

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
  await project.authenticate({ id, phone: '+14155550123', lists: ['vip'] });
  for (let index = 0; index < 12; index += 1)
    await project.authenticate({ id: `${id}-${index}`, phone: '+14155550123' });
});
afterAll(() => gateway.close());

const cost = async (request: () => Promise<unknown>) => costOf(await tripsOf(gateway, request));

describe('the statements of a request', () => {
  it('are few for GET /account/{id}', async () => {
    expect(await cost(() => project.rest('GET', `/account/${id}`))).toEqual({ trips: 2, statements: 2 });
  });

  it('are one for the linked accounts by REST', async () => {
    const linked = () => project.rest('GET', `/account/${id}/accounts-linked`);
    expect(await cost(linked)).toEqual({ trips: 1, statements: 1 });
  });

  it('are one for the two-level read', async () => {
    const query = `query ($id: ID!) { account(accountId: $id) {
      accountId email username lists { name } lastSession { sessionId startTime }
      linkedAccounts(first: 10) { edges { score matchTypes firstSeen node { accountId email username lists { name } } } }
    } }`;
    expect(await cost(() => project.graphql(query, { id }))).toEqual({ trips: 1, statements: 1 });
  });

  it('are one per level of a graph and one for its links, for any size, and two more for all its evidence', async () => {
    const graph = (fields: string) => `query ($id: ID!) { linkGraph(accountId: $id, depth: 2) {
      nodes { depth account { accountId } } edges { from to score ${fields} } truncated } }`;
    // The account, two levels, the links between the accounts, and the accounts.
    expect(await cost(() => project.graphql(graph(''), { id }))).toEqual({ trips: 5, statements: 5 });
    // The shared identifiers of the accounts, and the fields of the compared ones.
    const explained = graph('evidence { kind sharedBy }');
    expect(await cost(() => project.graphql(explained, { id }))).toEqual({ trips: 7, statements: 7 });
  });

  it('enqueue a recalculation when an account leaves an identifier over its sharing limit', async () => {
    const shared = await gateway.project();
    const name = { first_name: 'John', last_name: 'Smith' };
    await shared.authenticateAll(
      Array.from({ length: 53 }, (_, index) => ({ id: `john-${index}`, ...name })),
    );
    const trips = await tripsOf(gateway, () =>
      shared.rest('PUT', '/account/john-0', { last_name: 'Miller' }),
    );
    expect(trips.flat()).toContain('link.enqueue_identifiers');
  });

  it('are one per level for identities, their accounts and their histories', async () => {
    await gateway.app.recalculateLinks(project.projectId);
    const query = `query ($id: ID!) { linkGraph(accountId: $id, depth: 1) { nodes { account {
      identityGroup { size history(first: 5) { edges { node { action } } } accounts(first: 3) { edges { node { accountId } } } } } } } }`;
    expect(await cost(() => project.graphql(query, { id }))).toEqual({ trips: 7, statements: 7 });
  });

  it('are one per step of a path, and one for its links', async () => {
    const query = `query ($to: ID!) { linkPath(from: "${id}", to: $to) { hops { from to evidence { kind } } } }`;
    const path = () => project.graphql(query, { to: `${id}-3` });
    expect(await cost(path)).toEqual({ trips: 6, statements: 6 });
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
    const sent = await tripsOf(gateway, async () => {
      answer = await project.rawGraphql(`{ ${field} }`);
    });
    expect(answer?.body.errors?.[0]?.extensions.code).toBe('input.invalid');
    expect(sent).toEqual([]);
  });

  it('do not grow with the number of parents', async () => {
    const query = `{ accounts(first: 10) { edges { node { accountId accountsLinked lastSession { accountIds }
      linkedAccounts(first: 3) { edges { node { accountId accountsLinked } } } } } } }`;
    expect(await cost(() => project.graphql(query))).toEqual({ trips: 5, statements: 5 });
  });

  it('are two round trips for an authentication', async () => {
    const session_id = await project.session();
    const trips = await tripsOf(gateway, () =>
      project.rest('POST', '/session/authenticate', { session_id, account: { id, phone: '+14155550123' } }),
    );
    expect(trips).toHaveLength(2);
    expect(locksBeforeReads(trips[0])).toBe(true);
    expect(locksOf(trips[0])).toEqual(['account.lock_with_sessions', 'identifier.lock']);
  });

  it('are two round trips for PUT /account/{id}', async () => {
    const trips = await tripsOf(gateway, () =>
      project.rest('PUT', `/account/${id}`, { username: unique('name') }),
    );
    expect(costOf(trips)).toEqual({ trips: 2, statements: 6 });
    expect(locksBeforeReads(trips[0])).toBe(true);
    expect(locksOf(trips[0])).toEqual(['account.lock', 'identifier.lock']);
  });

  it('are three round trips for DELETE /account/{id} with any number of links and sessions', async () => {
    const other = unique('erased');
    for (let session = 0; session < 3; session += 1)
      await project.authenticate({ id: other, phone: '+14155550123' });
    const trips = await tripsOf(gateway, () => project.rest('DELETE', `/account/${other}`));
    // The last trip is not awaited.
    expect(trips.at(-1)).toEqual(['idempotency.erase_wide']);
    expect(costOf(trips.slice(0, -1))).toEqual({ trips: 3, statements: 36 });
    expect(locksBeforeReads(trips[0])).toBe(true);
    const locks = ['stats.lock', 'face.lock', 'account.lock', 'session.lock_of_account', 'identifier.lock'];
    expect(locksOf(trips[0])).toEqual(locks);
    // Deletes lock rows too: the order of the erasures (src/app/account-erasures.ts) is an order of locks.
    expect(trips.slice(1, -1)).toEqual([
      [
        'verification.lock_of_account',
        'stats.erased_rows',
        'stats.erased_decisions',
        'email_check.lock_erased_batches',
        'email_check.lock_erased',
        'webhook_deliveries.delete_of_account',
        'verification.delete_of_account',
      ],
      [
        'stats.add_erased',
        'webhook_attempts.delete_of_deliveries',
        'link.enqueue_left_by_account',
        'identity.leave',
        'link.delete_of_account',
        'identifiers.delete_of_account',
        'blocking_key.delete_of_account',
        'session.delete_of_account',
        'fraud_sightings.delete_of_account',
        'outbox_events.delete_naming_account',
        'outbox_events.delete_of_account',
        'list_members.delete_of_account',
        'list_keep_offs.delete_of_account',
        'pending_member.delete',
        'decisions.delete_of_account',
        'rule_matches.delete_of_account',
        'account_outcomes.delete_of_account',
        'audit.erase_reasons',
        'reveals.delete_of_account',
        'account.delete',
        'idempotency.erase_of_account',
        'commit',
      ],
    ]);
  });

  it('are none for a rejected query', async () => {
    expect(
      await tripsOf(gateway, () => project.rawGraphql('{ account(accountId: "x") { shoeSize } }')),
    ).toEqual([]);
  });
});
