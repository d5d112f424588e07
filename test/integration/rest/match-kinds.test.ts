import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { playedVerification, verifyFace } from '../../support/verification.ts';

/* `match_type` and `match_types` keep the words of the interface; `match_kinds` lists every shared kind. */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

it('a linked account names every kind of evidence in every response that lists links', async () => {
  const facts = { device_id: unique('device') };
  const name = { first_name: unique('Ada'), last_name: 'Lovelace' };
  const [ada, bob] = [unique('ada'), unique('bob')];
  await project.authenticate({ id: ada, ...name }, facts);
  const session_id = await project.session(facts);
  const account = { id: bob, ...name };
  const path = '/session/authenticate?accounts_linked=true';
  const authenticated = (await project.rest('POST', path, { session_id, account })).body;
  const listed = (await project.rest('GET', `/account/${bob}/accounts-linked`)).body;
  const expected = [{ account_id: ada, match_type: ['device'], match_kinds: ['device', 'name'] }];
  expect(authenticated.linked_accounts).toMatchObject(expected);
  expect(listed.accounts_linked).toMatchObject(expected);

  const { account: read } = await project.graphql(
    'query ($id: ID!) { account(accountId: $id) { linkedAccounts { edges { matchTypes } } } }',
    { id: bob },
  );
  expect(read.linkedAccounts.edges).toEqual([{ matchTypes: ['DEVICE', 'NAME'] }]);
});

it('a session without an account names every kind of evidence too', async () => {
  const facts = { browser_id: unique('browser'), device_id: unique('device') };
  const id = unique('ada');
  await project.authenticate({ id }, facts);
  const session_id = await project.session(facts);
  const path = '/session/unauthenticated?accounts_linked=true';
  const { linked_accounts } = (await project.rest('POST', path, { session_id })).body;
  expect(linked_accounts).toMatchObject([
    { account_id: id, match_type: ['browser', 'device'], match_kinds: ['browser', 'device'] },
  ]);
});

it('a match of a verification names every kind of evidence in the response and in its event', async () => {
  const facts = { browser_id: unique('browser'), device_id: unique('device') };
  const phone = '+14155552671';
  const name = { first_name: unique('Ada'), last_name: 'Lovelace' };
  const [ada, bob] = [unique('ada'), unique('bob')];
  await project.authenticate({ id: ada, phone, ...name }, facts);
  await project.authenticate({ id: bob, phone, ...name }, facts);
  const session = await playedVerification(gateway, project, { simulate: 'success', account_id: bob });
  const expected = [
    { account_id: ada, match_types: ['browser'], match_kinds: ['browser', 'device', 'phone', 'name'] },
  ];
  const { body } = await verifyFace(project, session);
  expect(body.matches).toEqual({ num_accounts_linked: 1, accounts_linked: expected });

  const { verification } = await project.graphql(
    'query ($id: ID!) { verification(sessionId: $id) { accountMatches { accountId matchTypes } } }',
    { id: session },
  );
  expect(verification.accountMatches).toEqual([
    { accountId: ada, matchTypes: ['BROWSER', 'DEVICE', 'PHONE', 'NAME'] },
  ]);
  await gateway.app.settleEvents();
  const { events } = await project.graphql(
    'query ($id: ID!) { events(first: 10, sessionId: $id, types: [VERIFICATION_FACE_CHECK_COMPLETED]) { edges { node { data } } } }',
    { id: session },
  );
  expect(events.edges[0].node.data.matches).toEqual(body.matches);
});
