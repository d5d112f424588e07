import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

type Fields = Record<string, unknown>;

/** The ids that `a` is linked to after both accounts authenticated, by REST and by GraphQL. */
async function linkedBy(a: Fields, b: Fields, facts: Fields = {}): Promise<string[]> {
  const project = await gateway.project();
  await project.authenticate({ id: 'a', ...a }, facts);
  const answer = await project.authenticate({ id: 'b', ...b }, facts);
  const { accounts_linked } = (await project.rest('GET', '/account/a/accounts-linked')).body;
  const { account } = await project.graphql(
    '{ account(accountId: "a") { linkedAccounts { edges { node { accountId } } } } }',
  );
  const ids: string[] = accounts_linked.map((link: Fields) => link.account_id);
  expect(account.linkedAccounts.edges.map((edge: { node: Fields }) => edge.node.accountId)).toEqual(ids);
  expect(answer.accounts_linked).toBe(ids.length);
  return ids;
}

describe('a placeholder does not link', () => {
  it.each<[string, Fields, Fields]>([
    ['an email without @', { email: 'not given' }, { email: 'Not given ' }],
    ['a listed email', { email: 'none@none.com' }, { email: 'None@None.com' }],
    ['a listed email with a tag', { email: 'test@test.com' }, { email: 'test+1@test.com' }],
    ['a phone of one digit', { phone: '0000000000' }, { phone: '000-000-0000' }],
    ['a phone of one digit behind a country code', { phone: '+1 000 000 0000' }, { phone: '+10000000000' }],
    ['a phone of digits in order', { phone: '123456789' }, { phone: '123 456 789' }],
    ['a listed username', { username: 'N/A' }, { username: 'n/a' }],
    ['a listed username of another language', { username: 'неизвестно' }, { username: 'Неизвестно' }],
  ])('%s', async (_name, a, b) => {
    expect(await linkedBy(a, b)).toEqual([]);
  });

  it('and a name of two placeholders supports no link', async () => {
    const name = { first_name: 'Test', last_name: 'TEST' };
    const facts = { ip_address: '90.54.1.1' };
    // Network and name alone are 0.51.
    expect(await linkedBy(name, name, facts)).toEqual([]);
    const half = { first_name: 'Test', last_name: 'Lovelace' };
    expect(await linkedBy(half, half, facts)).toEqual(['b']);
  });

  it.each<[string, string, boolean]>([
    ['John', 'Doe', false],
    ['JANE', 'DOE', false],
    ['Doe', 'John', false],
    ['John Doe', '', false],
    ['No', 'Name', false],
    ['FNU', 'LNU', false],
    ['First', 'Last', false],
    ['Test', 'User', false],
    ['12345', '678', false],
    // The other part is evidence, as one part of a name.
    ['FNU', 'Lovelace', true],
    ['Ada', 'LNU', true],
    ['Ada', '42', true],
    ['000', 'Lovelace', true],
  ])('and the name %s %s supports no link', async (first_name, last_name, hasPart) => {
    const name = { first_name, last_name };
    expect(await linkedBy(name, name, { ip_address: '90.54.1.2' })).toEqual([]);
    const near = (email: string) => ({ ...name, email: `${email}@acme-widgets.com` });
    expect(await linkedBy(near('ada.lovelace'), near('ada-lovelace'))).toEqual(hasPart ? ['b'] : []);
  });

  it('and a placeholder email and its near forms do not support a name', async () => {
    const name = { first_name: 'Ada', last_name: 'Lovelace' };
    const email = 'noemail@gmail.com';
    expect(await linkedBy({ ...name, email }, { ...name, email })).toEqual([]);
    expect(await linkedBy({ ...name, email }, { ...name, email: 'noemail1@gmail.com' })).toEqual([]);
  });
});

describe('a value that only resembles a placeholder links', () => {
  it.each<[string, Fields, Fields]>([
    ['an intranet address', { email: 'anna@intranet' }, { email: 'Anna@intranet' }],
    ['an address of a local domain', { email: 'anna@mail.local' }, { email: 'anna@mail.local' }],
    ['a username of digits', { username: '777' }, { username: '777' }],
    ['a username that starts with a listed word', { username: 'test77' }, { username: 'Test77' }],
    ['an invalid phone without a pattern', { phone: '20719304' }, { phone: '2071-9304' }],
    [
      'a first name of John Doe with another last name',
      { first_name: 'John', last_name: 'Dover', email: 'john.dover@acme-widgets.com' },
      { first_name: 'John', last_name: 'Dover', email: 'john.dove@acme-widgets.com' },
    ],
    ['a valid phone of repeated digits', { phone: '+33 6 66 66 66 66' }, { phone: '+33666666666' }],
  ])('%s', async (_name, a, b) => {
    expect(await linkedBy(a, b)).toEqual(['b']);
  });
});

it('accounts can be searched by placeholders, and link once the placeholder is replaced', async () => {
  const project = await gateway.project();
  const placeholders = { email: 'none@none.com', phone: '0000000000', username: 'n/a' };
  await project.authenticate({ id: 'a', ...placeholders });
  await project.authenticate({ id: 'b', ...placeholders, username: 'b' });
  const found = async (filter: Fields) => {
    const { accounts } = await project.graphql(
      'query ($filter: AccountFilter) { accounts(filter: $filter) { edges { node { accountId } } } }',
      { filter },
    );
    return accounts.edges.map((edge: { node: Fields }) => edge.node.accountId).sort();
  };
  expect(await found({ email: 'NONE@none.com' })).toEqual(['a', 'b']);
  expect(await found({ phone: '000 000 0000' })).toEqual(['a', 'b']);
  expect(await found({ username: 'N/A' })).toEqual(['a']);
  await project.rest('PUT', '/account/a', { email: 'anna@intranet' });
  const { body } = await project.rest('PUT', '/account/b', { email: 'anna@intranet' });
  expect(body.accounts_linked).toBe(1);
  expect(await found({ email: 'none@none.com' })).toEqual([]);
  await project.rest('PUT', '/account/b', { email: 'none@none.com' });
  expect((await project.rest('GET', '/account/a')).body.accounts_linked).toBe(0);
});
