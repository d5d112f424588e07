import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
const id = unique('hub');

beforeAll(async () => {
  gateway = await startGateway();
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

  it('do not grow with the number of parents', async () => {
    const query = `{ accounts(first: 10) { edges { node { accountId accountsLinked lastSession { accountIds }
      linkedAccounts(first: 3) { edges { node { accountId accountsLinked } } } } } } }`;
    const names = await statementsOf(() => project.graphql(query));
    expect(names.sort()).toEqual([
      'account.search:CREATED_AT:DESC:',
      'link.find_pages',
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

  it('are two round trips for DELETE /account/{id}, however many links and sessions it has', async () => {
    const other = unique('erased');
    for (let session = 0; session < 3; session += 1)
      await project.authenticate({ id: other, phone: '+14155550123' });
    expect(await statementsOf(() => project.rest('DELETE', `/account/${other}`))).toEqual([
      'begin',
      'account.lock',
      'session.lock_of_account',
      'identifier.lock',
      'account.find_internal_id',
      'link.delete_of_account',
      'session.delete_of_account',
      'identifiers.delete_of_account',
      'list_members.delete_of_account',
      'fraud_sightings.delete_of_account',
      'outbox_events.delete_of_account',
      'account.delete',
      'commit',
      'idempotency.answers',
    ]);
  });

  it('are none for a query that is refused', async () => {
    expect(await statementsOf(() => project.rawGraphql('{ account(id: "x") { shoeSize } }'))).toEqual([]);
  });
});
