import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { openForCommandLine, openProjectForCommandLine } from '../../support/command-project.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ masterKey, worksInBackground: false });
});
afterAll(() => gateway.close());

const EMAIL = 'the.lovelaces@acme-widgets.com';
const NAMES = ['Ada', 'Byron', 'Clara', 'Dora', 'Emil', 'Finn'];

async function linkedTo(project: TestProject, id: string): Promise<string[]> {
  await gateway.app.recalculateLinks(project.projectId);
  const { body } = await project.rest('GET', `/account/${id}/accounts-linked`);
  return body.accounts_linked.map((link: Body) => link.account_id).sort();
}

/** Result of `links rebuild --check`. */
async function checked(project: TestProject): Promise<Body> {
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  const storage = await openForCommandLine(config, gateway.database.ownerUrl, 2);
  const { rebuilding, viewer } = await openProjectForCommandLine(storage, project.projectId);
  const { missing, surplus, different, identities } = await rebuilding.check(viewer, () => {});
  await storage.close();
  return { missing, surplus, different, identities };
}
const RIGHT = { missing: [], surplus: [], different: [], identities: 0 };

/** Accounts `a0`, `a1` … with one email and the names given. */
async function accountsOf(project: TestProject, names: readonly string[], email = EMAIL): Promise<void> {
  for (const [index, first_name] of names.entries())
    await project.authenticate({ id: `a${index}`, email, first_name });
}

/** `x` without a name, which contradicts no name, and accounts with the given names. Different names are not linked. */
async function witnessAnd(project: TestProject, names: readonly string[]): Promise<void> {
  await project.authenticate({ id: 'x', email: EMAIL });
  await accountsOf(project, names);
}

describe('a role mailbox', () => {
  it('does not link alone, and links beside other evidence like a near email', async () => {
    const project = await gateway.project();
    const email = 'info@acme-widgets.com';
    const name = { first_name: 'Ada', last_name: 'Lovelace' };
    await project.authenticate({ id: 'a', email, ...name });
    const second = await project.authenticate({ id: 'b', email: 'Info+eu@acme-widgets.com' });
    expect(second).toMatchObject({ accounts_linked: 0, multiple_accounts: 0 });
    await project.authenticate({ id: 'c', email, ...name });
    const { body } = await project.rest('GET', '/account/a/accounts-linked');
    // 1 − .65 × .7: email and name.
    expect(body.accounts_linked).toMatchObject([{ account_id: 'c', score: 0.545, match_type: ['email'] }]);
    const { whyNotLinked, account, accounts } = await project.graphql(`{
      whyNotLinked(a: "a", b: "b") { linked score reasons evidence { kind weight supportsBecause maskedValue } }
      account(accountId: "a") { linkedAccounts { edges { matchTypes evidence { kind weight supportsBecause } } } }
      accounts(filter: { email: "INFO@acme-widgets.com" }) { edges { node { accountId } } }
    }`);
    expect(whyNotLinked).toMatchObject({
      linked: false,
      score: 0.35,
      evidence: [
        { kind: 'EMAIL', weight: 0.35, supportsBecause: 'ROLE_MAILBOX', maskedValue: 'i…o@acme-widgets.com' },
      ],
    });
    expect(whyNotLinked.reasons[0]).toMatch(/role/);
    expect(account.linkedAccounts.edges).toEqual([
      {
        matchTypes: ['EMAIL', 'NAME'],
        evidence: [
          { kind: 'EMAIL', weight: 0.35, supportsBecause: 'ROLE_MAILBOX' },
          { kind: 'NAME', weight: 0.3, supportsBecause: null },
        ],
      },
    ]);
    expect(accounts.edges).toHaveLength(3);
    expect(await checked(project)).toEqual(RIGHT);
  });

  it('does not count when more than 50 accounts share it', async () => {
    const project = await gateway.project();
    const email = 'sales@acme-widgets.com';
    const name = { first_name: 'Ada', last_name: 'Lovelace' };
    for (let index = 0; index < 49; index += 1) await project.authenticate({ id: `n${index}`, email });
    await project.authenticate({ id: 'a', email, ...name }, { device_id: 'd' });
    await project.authenticate({ id: 'b', email, ...name }, { device_id: 'd' });
    const { whyNotLinked } = await project.graphql(
      '{ whyNotLinked(a: "a", b: "n1") { linked evidence { kind weight capped sharedBy } } }',
    );
    expect(whyNotLinked).toEqual({
      linked: false,
      evidence: [{ kind: 'EMAIL', weight: 0, capped: true, sharedBy: 51 }],
    });
    expect(await linkedTo(project, 'a')).toEqual(['b']);
    expect(await checked(project)).toEqual(RIGHT);
  });
});

describe('a mailbox of accounts with different first names', () => {
  it('links accounts with no name or the same name up to three names, and none with a fourth', async () => {
    const project = await gateway.project();
    await witnessAnd(project, NAMES.slice(0, 3));
    expect(await linkedTo(project, 'x')).toEqual(['a0', 'a1', 'a2']);
    expect(await linkedTo(project, 'a0')).toEqual(['x']);
    await project.authenticate({ id: 'a3', email: EMAIL });
    expect(await linkedTo(project, 'a0')).toEqual(['a3', 'x']);
    const { body } = await project.rest('PUT', '/account/a3', { first_name: 'Dora' });
    expect(body.accounts_linked).toBe(0);
    for (const id of ['x', 'a0', 'a1', 'a2', 'a3']) expect(await linkedTo(project, id)).toEqual([]);
    const { whyNotLinked } = await project.graphql(
      '{ whyNotLinked(a: "x", b: "a1") { linked score reasons evidence { kind weight supportsBecause } } }',
    );
    expect(whyNotLinked).toMatchObject({
      linked: false,
      score: 0.28,
      evidence: [{ kind: 'EMAIL', weight: 0.28, supportsBecause: 'DIFFERENT_FIRST_NAMES' }],
    });
    expect(whyNotLinked.reasons[0]).toMatch(/first names/);
    expect(await checked(project)).toEqual(RIGHT);
  });

  it.each<[string, (project: TestProject) => Promise<unknown>]>([
    ['is deleted', (project) => project.rest('DELETE', '/account/a3')],
    [
      'gets another email',
      (project) => project.rest('PUT', '/account/a3', { email: 'dora@acme-widgets.com' }),
    ],
    [
      'gets a name that another account has',
      (project) => project.rest('PUT', '/account/a3', { first_name: 'ADA' }),
    ],
    ['clears its name', (project) => project.rest('PUT', '/account/a3', { first_name: '' })],
    ['moves to another group', (project) => project.rest('PUT', '/account/a3', { group: 'eu' })],
    ['gets a placeholder as name', (project) => project.rest('PUT', '/account/a3', { first_name: 'n/a' })],
    [
      'writes the address with a tag',
      (project) => project.rest('PUT', '/account/a3', { email: EMAIL.replace('@', '+d@') }),
    ],
  ])('links the other accounts again when the fourth %s', async (_name, change) => {
    const project = await gateway.project();
    await witnessAnd(project, NAMES.slice(0, 4));
    expect(await linkedTo(project, 'x')).toEqual([]);
    expect(await change(project)).toMatchObject({ status: 200 });
    expect(await linkedTo(project, 'x')).toEqual(expect.arrayContaining(['a0', 'a1', 'a2']));
    expect(await linkedTo(project, 'a1')).toContain('x');
    expect(await checked(project)).toEqual(RIGHT);
  });

  it('is detected per account group', async () => {
    const project = await gateway.project();
    await witnessAnd(project, NAMES.slice(0, 3));
    await project.authenticate({ id: 'other', email: EMAIL, first_name: 'Dora', group: 'eu' });
    expect(await linkedTo(project, 'x')).toEqual(['a0', 'a1', 'a2']);
  });

  it.each<[string, string[]]>([
    ['one name in many spellings', ['Ada', 'ADA', 'Áda', ' ada ', 'ada.']],
    ['missing names or placeholders', ['Ada', 'Byron', 'Clara', '', 'test', 'Unknown', 'n/a']],
  ])('is not shared by %s', async (_name, names) => {
    const project = await gateway.project();
    await witnessAnd(project, names);
    expect(await linkedTo(project, 'x')).toHaveLength(names.length);
    expect(await checked(project)).toEqual(RIGHT);
  });

  it('is not shared when each name has its own tag', async () => {
    const project = await gateway.project();
    for (const [index, first_name] of NAMES.entries()) {
      await project.authenticate({
        id: `t${index}`,
        email: `mara.ring+${index}@acme-widgets.com`,
        first_name,
      });
    }
    expect(await linkedTo(project, 't0')).toHaveLength(NAMES.length - 1);
    expect(await checked(project)).toEqual(RIGHT);
  });

  it('still links accounts that share it and a device', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'x', email: EMAIL }, { device_id: 'd' });
    await accountsOf(project, NAMES);
    await project.authenticate({ id: 'y', email: EMAIL, first_name: 'Yara' }, { device_id: 'd' });
    await gateway.app.recalculateLinks(project.projectId);
    const { body } = await project.rest('GET', '/account/x/accounts-linked');
    // 1 − .55 × (1 − .35 × .6): a device, and an email that eight accounts share.
    expect(body.accounts_linked).toMatchObject([
      { account_id: 'y', score: 0.5655, match_type: ['email', 'device'] },
    ]);
  });

  it('becomes shared and no longer shared, with more accounts than are recalculated in one transaction', async () => {
    const project = await gateway.project();
    const names = Array.from({ length: 24 }, (_, index) => NAMES[index % 3]!);
    await witnessAnd(project, names);
    const ofOneName = names.flatMap((name, index) => (name === names[0] && index > 0 ? [`a${index}`] : []));
    const expectLinked = async () => {
      expect(await linkedTo(project, 'x')).toHaveLength(names.length);
      expect(await linkedTo(project, 'a0')).toEqual([...ofOneName, 'x'].sort());
    };
    await expectLinked();
    await project.authenticate({ id: 'last', email: EMAIL, first_name: 'Dora' });
    expect(await linkedTo(project, 'x')).toEqual([]);
    expect(await linkedTo(project, 'a0')).toEqual([]);
    expect(await checked(project)).toEqual(RIGHT);
    await project.rest('DELETE', '/account/last');
    await expectLinked();
    expect(await checked(project)).toEqual(RIGHT);
  }, 60_000);

  it('becomes shared and no longer shared, with more accounts than make an identity', async () => {
    const project = await gateway.project();
    await accountsOf(project, NAMES.slice(0, 3));
    await project.authenticateAll(
      Array.from({ length: 100 }, (_, index) => ({ id: `n${index}`, email: EMAIL })),
    );
    expect(await linkedTo(project, 'a0')).toHaveLength(102);
    await project.authenticate({ id: 'last', email: EMAIL, first_name: 'Dora' });
    expect(await linkedTo(project, 'a0')).toEqual([]);
    expect(await checked(project)).toEqual(RIGHT);
    await project.rest('DELETE', '/account/last');
    expect(await linkedTo(project, 'a0')).toHaveLength(102);
    expect(await checked(project)).toEqual(RIGHT);
  }, 120_000);

  it('is detected for accounts that authenticate concurrently', async () => {
    const project = await gateway.project();
    await Promise.all([
      project.authenticate({ id: 'x', email: EMAIL }),
      ...NAMES.map((first_name, index) =>
        project.authenticate({ id: `a${index}`, email: EMAIL, first_name }),
      ),
    ]);
    for (const id of ['x', ...NAMES.map((_, index) => `a${index}`)])
      expect(await linkedTo(project, id)).toEqual([]);
    await Promise.all([
      ...[3, 4, 5].map((index) => project.rest('DELETE', `/account/a${index}`)),
      project.authenticate({ id: 'a6', email: EMAIL, first_name: 'Ada' }),
    ]);
    expect(await linkedTo(project, 'x')).toEqual(['a0', 'a1', 'a2', 'a6']);
    expect(await linkedTo(project, 'a0')).toEqual(['a6', 'x']);
    expect(await checked(project)).toEqual(RIGHT);
  });

  it('needs no additional statement of an authenticate', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'alone', email: 'alone@acme-widgets.com', first_name: 'Ada' });
    await accountsOf(project, NAMES);
    await gateway.app.recalculateLinks(project.projectId);
    const statementsOf = async (account: Body) => {
      const session_id = await project.session();
      gateway.takeStatements();
      await project.rest('POST', '/session/authenticate', { session_id, account });
      return gateway.takeStatements();
    };
    const plain = await statementsOf({ id: 'alone', email: 'alone@acme-widgets.com', first_name: 'Ada' });
    const shared = await statementsOf({ id: 'a0', email: EMAIL, first_name: 'Ada' });
    expect(shared).toEqual(plain);
  });
});
