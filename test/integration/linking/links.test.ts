import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

type Facts = Record<string, unknown>;
/** Contact data and session facts of an account. */
type Input = { account?: Facts; facts?: Facts };

/** A project in which Ada, then Bob authenticated with the given facts. */
async function twoAccounts(ada: Input, bob: Input): Promise<TestProject> {
  const project = await gateway.project();
  await project.authenticate({ id: 'ada', ...ada.account }, ada.facts);
  await project.authenticate({ id: 'bob', ...bob.account }, bob.facts);
  return project;
}

async function linksOf(project: TestProject, id: string): Promise<Body[]> {
  const { body, status } = await project.rest('GET', `/account/${id}/accounts-linked`);
  expect(status).toBe(200);
  return body.accounts_linked;
}

/** Ids of the linked accounts, in order of id. */
async function linkedIds(project: TestProject, id: string): Promise<string[]> {
  return (await linksOf(project, id)).map((link) => link.account_id).sort();
}

async function matchTypesByGraphQL(project: TestProject, id: string): Promise<string[][]> {
  const { account } = await project.graphql(
    'query ($id: ID!) { account(accountId: $id) { linkedAccounts { edges { matchTypes } } } }',
    { id },
  );
  return account.linkedAccounts.edges.map((edge: Body) => edge.matchTypes);
}

const HOME = '90.54.1.1';

describe('two accounts are linked', () => {
  it.each<[string, Input, Input, number, string[]]>([
    [
      'by a phone in two formats',
      { account: { phone: '+1 (415) 555-2671' } },
      { account: { phone: '001-415-555-2671' } },
      1,
      ['phone'],
    ],
    [
      'by a national number when one country is expected',
      { account: { phone: '06 12 34 56 78', expected_countries: ['FR'] } },
      { account: { phone: '+33612345678' } },
      1,
      ['phone'],
    ],
    [
      'by a mailbox with other dots and a tag',
      { account: { email: 'Ada.Lovelace+shop@gmail.com' } },
      { account: { email: 'adalovelace@googlemail.com' } },
      1,
      ['email'],
    ],
    [
      'by a username in another case',
      { account: { username: 'Ada' } },
      { account: { username: 'aDA' } },
      1,
      ['username'],
    ],
    [
      'by a username in full-width letters',
      { account: { username: 'ada' } },
      { account: { username: 'ａｄａ' } },
      1,
      ['username'],
    ],
    [
      'by a username with Cyrillic lookalikes',
      { account: { username: 'paco' } },
      { account: { username: 'расо' } },
      1,
      ['username'],
    ],
    [
      'by one browser',
      { facts: { browser_id: 'b', device_id: 'one' } },
      { facts: { browser_id: 'b', device_id: 'two' } },
      1,
      ['browser'],
    ],
    [
      'by device and network together',
      { facts: { device_id: 'd', ip_address: HOME } },
      { facts: { device_id: 'd', ip_address: HOME } },
      0.615,
      ['network', 'device'],
    ],
    [
      'by a device and a name in another order, case and accents',
      { account: { first_name: 'Ada', last_name: 'Lövelace' }, facts: { device_id: 'd' } },
      { account: { first_name: 'LOVELACE', last_name: 'ada' }, facts: { device_id: 'd' } },
      0.615,
      ['device'],
    ],
  ])('%s', async (_name, ada, bob, score, matchType) => {
    const project = await twoAccounts(ada, bob);
    expect(await linksOf(project, 'ada')).toMatchObject([
      { account_id: 'bob', score, match_type: matchType },
    ]);
    expect(await linksOf(project, 'bob')).toMatchObject([
      { account_id: 'ada', score, match_type: matchType },
    ]);
  });

  it('and GraphQL also returns that their names agree', async () => {
    const input = { account: { first_name: 'Ada', last_name: 'Lovelace' }, facts: { device_id: 'd' } };
    const project = await twoAccounts(input, input);
    expect(await matchTypesByGraphQL(project, 'ada')).toEqual([['DEVICE', 'NAME']]);
  });

  it('and the link contains their fields, lists and metadata', async () => {
    const account = {
      email: 'ada@example.com',
      username: 'ada',
      first_name: 'Ada',
      metadata: { plan: 'free' },
    };
    const project = await twoAccounts(
      { account: { ...account, lists: ['vip'], expected_countries: ['FR'] } },
      { account: { username: 'Ada' } },
    );
    expect(await linksOf(project, 'bob')).toMatchObject([
      { ...account, lists: ['vip'], expected_countries: ['FR'] },
    ]);
  });
});

describe('two accounts are not linked', () => {
  const name = { first_name: 'Ada', last_name: 'Lovelace' };
  it.each<[string, Input, Input]>([
    [
      'by a device alone',
      { facts: { device_id: 'd', ip_address: HOME } },
      { facts: { device_id: 'd', ip_address: '8.8.8.8' } },
    ],
    [
      'by a network alone',
      { facts: { device_id: 'd', ip_address: HOME } },
      { facts: { device_id: 'e', ip_address: HOME } },
    ],
    ['by a name alone', { account: name }, { account: name }],
    ['without shared identifiers', {}, {}],
    [
      'by texts without any letter or digit',
      { account: { username: ' ', phone: '+' } },
      { account: { username: ' ', phone: '+' } },
    ],
    [
      'by a national number with an unknown country',
      { account: { phone: '06 12 34 56 78' }, facts: { ip_address: HOME } },
      { account: { phone: '+33612345678' } },
    ],
    [
      'by device and network with 20 days between them',
      { facts: { device_id: 'd', ip_address: HOME, start_time: '2026-01-01T10:00:00Z' } },
      { facts: { device_id: 'd', ip_address: HOME, start_time: '2026-01-21T10:00:00Z' } },
    ],
    [
      'across groups',
      { account: { phone: '+14155552671', group: 'a' } },
      { account: { phone: '+14155552671', group: 'b' } },
    ],
    [
      'one in a group and one without',
      { account: { phone: '+14155552671', group: 'a' } },
      { account: { phone: '+14155552671' } },
    ],
  ])('%s', async (_name, ada, bob) => {
    const project = await twoAccounts(ada, bob);
    expect(await linksOf(project, 'ada')).toEqual([]);
    expect(await linksOf(project, 'bob')).toEqual([]);
  });

  it('across projects', async () => {
    const [one, two] = [await gateway.project(), await gateway.project()];
    await one.authenticate({ id: 'ada', phone: '+14155552671' }, { browser_id: 'b' });
    await two.authenticate({ id: 'bob', phone: '+14155552671' }, { browser_id: 'b' });
    expect(await linksOf(one, 'ada')).toEqual([]);
    expect(await linksOf(two, 'bob')).toEqual([]);
  });
});

describe('a link after changes of its accounts', () => {
  const phone = '+14155552671';

  it('moves into another group and back', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'ada', phone, group: 'old' });
    await project.authenticate({ id: 'bob', phone, group: 'old' });
    await project.authenticate({ id: 'cem', phone, group: 'new' });
    await project.rest('PUT', '/account/bob', { group: 'new' });
    expect(await linkedIds(project, 'bob')).toEqual(['cem']);
    expect(await linkedIds(project, 'cem')).toEqual(['bob']);
    expect(await linkedIds(project, 'ada')).toEqual([]);
    await project.authenticate({ id: 'bob', group: 'old' });
    expect(await linkedIds(project, 'bob')).toEqual(['ada']);
    expect(await linkedIds(project, 'cem')).toEqual([]);
  });

  it('is unchanged by a request without a group', async () => {
    const project = await twoAccounts({ account: { phone, group: 'g' } }, { account: { phone, group: 'g' } });
    await project.authenticate({ id: 'ada' });
    await project.rest('PUT', '/account/bob', { username: 'bob', group: null });
    expect(await linkedIds(project, 'ada')).toEqual(['bob']);
    expect((await project.rest('GET', '/account/bob')).body.account.group).toBe('g');
  });

  it.each([
    ['another value', '+14155550000'],
    ['an empty text', ''],
  ])('ends on both sides when the phone becomes %s', async (_name, value) => {
    const project = await twoAccounts({ account: { phone } }, { account: { phone } });
    const { body } = await project.rest('PUT', '/account/ada', { phone: value });
    expect(body.accounts_linked).toBe(0);
    expect(await linksOf(project, 'ada')).toEqual([]);
    expect(await linksOf(project, 'bob')).toEqual([]);
  });

  it('is created when a country makes a stored national number parsable', async () => {
    const project = await twoAccounts(
      { account: { phone: '06 12 34 56 78' } },
      { account: { phone: '+33612345678' } },
    );
    const { body } = await project.rest('PUT', '/account/ada', { expected_countries: ['FR'] });
    expect(body.accounts_linked).toBe(1);
    expect(await linkedIds(project, 'bob')).toEqual(['ada']);
  });

  it('keeps a phone that was sent once, for any number of later networks', async () => {
    const project = await twoAccounts({ account: { phone } }, { account: { phone } });
    for (let index = 0; index < 140; index += 1) {
      await project.authenticate({ id: 'ada' }, { ip_address: `90.${index}.1.1` });
    }
    expect(await linkedIds(project, 'ada')).toEqual(['bob']);
  });
});

describe('a device identified by its components', () => {
  const LAPTOP = {
    gpu: 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620, OpenGL 4.6)',
    canvas: '5d3f',
    architecture: 'x86',
    hardwareConcurrency: 8,
    deviceMemory: 8,
    math: '77aa',
    platform: 'Linux x86_64',
    vendor: 'Google Inc.',
    fonts: 'Arial,Courier',
    languages: 'de-DE',
  };
  const facts = (changes: Record<string, unknown> = {}) => ({
    ip_address: '90.54.1.1',
    device: { components: { ...LAPTOP, ...changes } },
  });

  it('is near-equal after a change of one light part, and the evidence names the part', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a', first_name: 'Ada', last_name: 'Lovelace' }, facts());
    await project.authenticate(
      { id: 'b', first_name: 'Ada', last_name: 'Lovelace' },
      facts({ fonts: 'Arial' }),
    );
    await project.authenticate({ id: 'c' }, facts({ gpu: 'ANGLE (NVIDIA)' }));
    const { account } = await project.graphql(
      `{ account(accountId: "a") { linkedAccounts { edges { score matchTypes node { accountId } evidence { kind maskedValue weight } } } } }`,
    );
    const [edge, ...more] = account.linkedAccounts.edges;
    expect(more).toEqual([]);
    // 1 − .65 × .7 × .7: near device, network and name.
    expect(edge).toMatchObject({
      score: 0.6815,
      matchTypes: ['NETWORK', 'DEVICE', 'NAME'],
      node: { accountId: 'b' },
    });
    expect(edge.evidence).toContainEqual({
      kind: 'NEAR_DEVICE',
      maskedValue: 'all but installed',
      weight: 0.35,
    });
  });

  it('is equal when all components are equal', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a' }, facts());
    await project.authenticate({ id: 'b' }, facts());
    const { account } = await project.graphql(
      `{ account(accountId: "a") { linkedAccounts { edges { score evidence { kind } } } } }`,
    );
    expect(account.linkedAccounts.edges).toEqual([
      { score: 0.615, evidence: [{ kind: 'DEVICE' }, { kind: 'NETWORK' }, { kind: 'NEIGHBOURHOOD' }] },
    ]);
  });
});
