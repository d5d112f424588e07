import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { simulatedResult } from '@vouchgraph/verification/internals/simulated-result';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { faceChecks } from '../../support/seen-faces.ts';

/* Accounts are found, and linked with the documents of others, by the keyed hashes of their id numbers. */

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const SEARCH = `query ($filter: AccountFilter!) {
  accounts(filter: $filter, first: 100) { edges { node { accountId } } } }`;
const found = async (idNumber: Body, client = project): Promise<string[]> =>
  (await client.graphql(SEARCH, { filter: { idNumber } })).accounts.edges.map(
    ({ node }: Body) => node.accountId,
  );
let numbers = 0;
const newValue = () => `C${String(++numbers).padStart(3, '0')}X47`;

describe('a search by id number', () => {
  it('finds the accounts with the number, in any spelling, by type and country', async () => {
    const [one, two] = [unique('one'), unique('two')];
    const value = newValue();
    const passport = { type: 'passport', value, country: 'DE' };
    await project.authenticate({ id: one, identifiers: [passport, { ...passport, value: newValue() }] });
    await project.authenticate({ id: two, identifiers: [{ ...passport, country: 'AT' }] });
    const spelled = ` ${value.toLowerCase().slice(0, 3)}-${value.slice(3)}`;
    expect(await found({ type: 'PASSPORT', value: spelled, country: 'de' })).toEqual([one]);
    expect(await found({ type: 'PASSPORT', value, country: 'AT' })).toEqual([two]);
    expect(await found({ type: 'TAX_ID', value, country: 'DE' })).toEqual([]);
    expect(await found({ type: 'PASSPORT', value })).toEqual([]);
    expect(await found({ type: 'PASSPORT', value, country: 'DE' }, await gateway.project())).toEqual([]);
  });

  it('reflects changes and excludes an erased account', async () => {
    const id = unique('moves');
    const [first, second] = [newValue(), newValue()];
    const of = (value: string) => ({ type: 'PASSPORT', value, country: 'DE' });
    const store = (value: string) =>
      project.rest('PUT', `/account/${id}`, { identifiers: [{ type: 'passport', value, country: 'DE' }] });
    await project.authenticate({ id });
    await store(first);
    await store(second);
    expect([await found(of(first)), await found(of(second))]).toEqual([[], [id]]);
    await project.rest('PUT', `/account/${id}`, { username: id });
    expect(await found(of(second))).toEqual([id]);
    await project.rest('DELETE', `/account/${id}`);
    expect(await found(of(second))).toEqual([]);
  });

  it('finds no account by a placeholder, and rejects an invalid number without quoting it', async () => {
    const id = unique('placeholder');
    await project.authenticate({
      id,
      identifiers: [{ type: 'tax_id', value: '000-000-000', country: 'DE' }],
    });
    expect(await found({ type: 'TAX_ID', value: '000000000', country: 'DE' })).toEqual([]);
    const bad = { type: 'TAX_ID', value: '86753091', country: 'UK' };
    const { body, text } = await project.rawGraphql(SEARCH, { filter: { idNumber: bad } });
    expect(body.errors[0].message).toMatch(/country: must be an ISO 3166-1 alpha-2 country code: use GB/);
    expect(text).not.toContain(bad.value);
    const typo = await project.rawGraphql(SEARCH, { filter: { idNumber: { ...bad, typ: 1 } } });
    expect(typo.body.errors[0].message).toMatch(/at "filter\.idNumber"; Field "typ" is not defined/);
    expect(typo.text).not.toContain(bad.value);
  });
});

it('the number of a client matches the document of another account', async () => {
  const { client, waiting, complete } = await faceChecks(gateway, masterKey);
  const { document } = simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: [] }, new Date());
  const { idNumber } = document!.data.userData;
  const [shown, stated, other] = [unique('shown'), unique('stated'), unique('other')];
  await complete(await waiting({ id: 'true', account_id: shown }), 0, { document });
  const license = { type: 'driver_license', value: `CA ${idNumber}`, country: 'US' };
  const answer = await client.authenticate({ id: stated, identifiers: [license] });
  expect(answer.accounts_linked).toBe(1);
  const elsewhere = { ...license, value: `NY ${idNumber}` };
  expect((await client.authenticate({ id: other, identifiers: [elsewhere] })).accounts_linked).toBe(0);
  expect(await found({ ...license, type: 'DRIVER_LICENSE' }, client)).toEqual(
    expect.arrayContaining([shown, stated]),
  );
});
