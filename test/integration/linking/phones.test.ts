import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** A British phone of the range reserved for dramas, which is not assigned, and one of a mobile provider. */
let numbers = 0;
/** A valid British mobile number without its prefix, unused by other tests. */
const mobile = () => `7400${100_000 + ++numbers}`;

async function linkedIds(id: string): Promise<string[]> {
  const { body, status } = await project.rest('GET', `/account/${id}/accounts-linked`);
  expect(status).toBe(200);
  return body.accounts_linked.map((link: { account_id: string }) => link.account_id).sort();
}

async function create(...accounts: Record<string, unknown>[]): Promise<string[]> {
  const ids = [];
  for (const account of accounts) {
    const id = unique('phone');
    await project.authenticate({ id, ...account });
    ids.push(id);
  }
  return ids;
}

const GB = { expected_countries: ['GB'] };
const AU = { expected_countries: ['AU'] };
const DE = { expected_countries: ['DE'] };

describe('accounts with the same phone are linked', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['with the national prefix in brackets', { phone: '+44 7700 900201' }, { phone: '+44 (0)7700 900201' }],
    ['with 00', { phone: '+44 7700 900202' }, { phone: '0044 7700 900202' }],
    ['in national form', { phone: '+44 7700 900203' }, { phone: '07700 900203', ...GB }],
    ['with 0011 in Australia', { phone: '+44 7700 900204' }, { phone: '0011 44 7700 900204', ...AU }],
    ['with a plus in brackets', { phone: '+44 7911 900205' }, { phone: '(+44) 7911 900205' }],
    ['of San Marino through Italy', { phone: '+378 0549 886377' }, { phone: '+39 0549 886377' }],
    ['of San Marino without its area code', { phone: '+378 886378' }, { phone: '+39 0549 886378' }],
    [
      'of San Marino in national form',
      { phone: '0549 886379', expected_countries: ['SM'] },
      { phone: '0549 886379', expected_countries: ['IT'] },
    ],
    ['with letters', { phone: '1-800-FLOWERS', expected_countries: ['US'] }, { phone: '+1 800 356 9377' }],
    ['with letters and a plus', { phone: '+1-888-GO-FEDEX' }, { phone: '+1 888 463 3339' }],
    ['with only the calling code', { phone: '+49 171 1234569' }, { phone: '491711234569', ...DE }],
  ])('%s', async (_name, one, other) => {
    const [a, b] = await create(one, other);
    expect(await linkedIds(a!)).toEqual([b]);
  });

  it.each<[string, readonly Record<string, unknown>[]]>([
    ['in one request', [{ phone: 'PHONE', ...AU }]],
    ['the phone first', [{ phone: 'PHONE' }, AU]],
    ['the country first', [AU, { phone: 'PHONE' }]],
    ['the phone repeated', [{ phone: 'PHONE', ...AU }, { phone: 'PHONE' }]],
    ['the phone with an empty list', [AU, { phone: 'PHONE', expected_countries: [] }]],
  ])('with 0011 and the stored country: %s', async (_name, requests) => {
    const number = mobile();
    const [a] = await create({ phone: `+44${number}` });
    const written = requests.map((request) =>
      'phone' in request ? { ...request, phone: `0011 44 ${number}` } : request,
    );
    for (const change of ['authenticate', 'update'] as const) {
      const id = unique('later');
      await project.authenticate({ id });
      for (const request of written) {
        if (change === 'authenticate') await project.authenticate({ id, ...request });
        else expect((await project.rest('PUT', `/account/${id}`, request)).status).toBe(200);
      }
      expect(await linkedIds(a!)).toContain(id);
      expect((await project.rest('GET', `/account/${id}`)).body.account.phone).toBe(`+44${number}`);
    }
  });
});

describe('accounts with different phones are not linked', () => {
  it.each<[string, Record<string, unknown>, Record<string, unknown>]>([
    ['with letters of two words', { phone: '1-800-FLOWERS' }, { phone: '1-800-COLLECT' }],
    ['49… read as an area code', { phone: '491711234570', ...DE }, { phone: '+49 491711234570' }],
    [
      'a North American number in Germany',
      { phone: '1-415-555-2671', ...DE },
      { phone: '+49 1415 555 2671' },
    ],
    ['a Texan number in Germany', { phone: '15123456789', ...DE }, { phone: '+49 1512 3456789' }],
    [
      'a Canadian number in China',
      { phone: '1-450-555-2671', expected_countries: ['CN'] },
      { phone: '+86 145 0555 2671' },
    ],
  ])('%s', async (_name, one, other) => {
    const [a] = await create(one, other);
    expect(await linkedIds(a!)).toEqual([]);
  });
});

describe('a phone is returned', () => {
  const number = mobile();
  const e164 = `+44${number}`;
  const READ = `query ($id: ID!) { account(accountId: $id) { phone
    linkedAccounts { edges { node { phone } evidence { kind maskedValue } } } } }`;

  it('in E.164 if it is valid, by every operation', async () => {
    const [id, other] = [unique('one'), unique('two')];
    const session_id = await project.session();
    const account = { id, phone: `0${number.slice(0, 4)} ${number.slice(4)}`, ...GB };
    await project.rest('POST', '/session/authenticate', { session_id, account });
    await project.authenticate({ id: other, phone: e164 });
    const expectPhone = async () => {
      expect((await project.rest('GET', `/account/${id}`)).body.account.phone).toBe(e164);
      const linked = await project.rest('GET', `/account/${other}/accounts-linked`);
      expect(linked.body.accounts_linked).toMatchObject([{ account_id: id, phone: e164 }]);
      const { account: one } = await project.graphql(READ, { id: other });
      expect(one).toMatchObject({ phone: e164, linkedAccounts: { edges: [{ node: { phone: e164 } }] } });
      const { account: two } = await project.graphql(READ, { id });
      const [edge] = two.linkedAccounts.edges;
      expect(edge.evidence).toContainEqual({ kind: 'PHONE', maskedValue: `+44…${e164.slice(-2)}` });
    };
    await expectPhone();
    const { body } = await project.rest('PUT', `/account/${id}`, { first_name: 'Ada' });
    expect(body.account.phone).toBe(e164);
    await expectPhone();
    const AUTHENTICATE = `mutation ($input: AuthenticateSessionInput!) {
      authenticateSession(input: $input) { account { accountId phone } } }`;
    const input = { sessionId: session_id, account: { accountId: id } };
    expect((await project.graphql(AUTHENTICATE, { input })).authenticateSession.account.phone).toBe(e164);
    const EVENTS = `query ($id: ID!) { events(first: 100, accountId: $id) { edges { node { type data } } } }`;
    await gateway.app.settleEvents();
    const { events } = await project.graphql(EVENTS, { id });
    const phones = events.edges
      .map(({ node }: { node: { data: { account?: { id: string; phone: string } } } }) => node.data.account)
      .filter((each: { id: string } | undefined) => each?.id === id)
      .map((each: { phone: string }) => each.phone);
    expect(phones.length).toBeGreaterThan(1);
    expect(new Set(phones)).toEqual(new Set([e164]));
  });

  it('in E.164 once its country is known', async () => {
    const given = `0${mobile()}`;
    const [id] = await create({ phone: given });
    const phoneOf = async () => (await project.rest('GET', `/account/${id}`)).body.account.phone;
    expect(await phoneOf()).toBe(given);
    await project.rest('PUT', `/account/${id}`, GB);
    expect(await phoneOf()).toBe(`+44${given.slice(1)}`);
    await project.rest('PUT', `/account/${id}`, { expected_countries: ['GB', 'DE'] });
    expect(await phoneOf()).toBe(given);
  });

  it.each(['+44 7700 900201', '12345', 'n/a', ''])('unchanged when it is invalid: %j', async (phone) => {
    const [id] = await create({ phone });
    expect((await project.rest('GET', `/account/${id}`)).body.account.phone).toBe(phone);
  });

  it('and found by any spelling that names its country', async () => {
    const own = mobile();
    const [id] = await create({ phone: `0${own}`, ...GB });
    for (const phone of [`+44 ${own}`, `0044${own}`, `+44 (0)${own}`]) {
      const { accounts } = await project.graphql(
        'query ($phone: String!) { accounts(filter: { phone: $phone }) { edges { node { accountId } } } }',
        { phone },
      );
      expect(accounts.edges).toEqual([{ node: { accountId: id } }]);
    }
  });
});
