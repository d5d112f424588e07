import { parseEmail } from '@vouchgraph/email';
import { NO_PERSONAL_FIELDS } from '@vouchgraph/persons';
import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findAddressHistories } from '../../../src/domain/email-checks/address-history-store.ts';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import type { Project } from '../../../src/domain/projects/project.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { costOf } from '../../support/trips.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let client: TestProject;
let project: Project;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, worksInBackground: false });
  client = await gateway.project();
  project = await asProject(client);
});
afterAll(() => gateway.close());

async function asProject({ projectId }: TestProject): Promise<Project> {
  const { database } = gateway.app;
  const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock: systemClock });
  return (await access.findProjectById(projectId))!;
}

const historiesOf = (addresses: readonly string[], of: Project = project) =>
  findAddressHistories(of, addresses.map(parseEmail), new Date());
const historyOf = async (address: string, of?: Project) => (await historiesOf([address], of))[0]!;
const query = (name: string, text: string, values: unknown[]) =>
  gateway.app.database.system.query({ name: `test.${name}`, text }, values);

const NOTHING = {
  firstSeen: null,
  lastSeen: null,
  sightings: 0,
  accounts: 0,
  sessions: 0,
  countries: [],
  lists: [],
  fakeAccounts: 0,
  names: [],
  phones: [],
};

describe('the history of an address', () => {
  it('is empty when no data of the address is stored', async () => {
    const domain = `${unique('new')}.com`;
    expect(await historyOf(`nobody@${domain}`)).toEqual({ ...NOTHING, accountsFromDomain: 0 });
  });

  it('contains the accounts with any spelling of the mailbox', async () => {
    const box = unique('ada').replaceAll('-', '');
    const [id, list] = [unique('holder'), unique('watched')];
    const account = { id, first_name: 'Ada', last_name: 'Lovelace', phone: '+1 (415) 555-2671' };
    const before = Date.now();
    await client.authenticate(
      { ...account, email: `${box[0]}.${box.slice(1)}+shop@gmail.com`, lists: [list] },
      { ip_address: '81.10.20.30' },
    );
    await client.authenticate({ id }, { ip_address: '86.20.3.4' });
    const { countries } = (await client.rest('GET', `/account/${id}`)).body;
    expect(countries.length).toBe(2);
    const history = await historyOf(`${box.toUpperCase()}@googlemail.com`);
    expect(history).toEqual({
      firstSeen: expect.any(Date),
      lastSeen: expect.any(Date),
      // The second session has no email.
      sightings: 1,
      accounts: 1,
      sessions: 2,
      countries: countries.toSorted(),
      lists: [{ name: list, effect: 'none' }],
      fakeAccounts: 0,
      names: [{ firstName: 'Ada', lastName: 'Lovelace' }],
      phones: ['+14155552671'],
      accountsFromDomain: expect.any(Number),
    });
    expect(history.firstSeen!.getTime()).toBeGreaterThanOrEqual(before - 1000);
    expect(history.lastSeen!.getTime()).toBeGreaterThanOrEqual(history.firstSeen!.getTime());
  });

  it('counts accounts, and those with the latest decision Fake, with the effects of their lists', async () => {
    const email = `${unique('ring')}@example.org`;
    const ids = [unique('one'), unique('two'), unique('three')];
    for (const id of ids) await client.authenticate({ id, email });
    await client.rest('POST', `/list/block/account/${ids[0]}`);
    await client.rest('POST', `/list/block/account/${ids[1]}`);
    for (const id of ids) await client.authenticate({ id });
    // The latest decision counts, and no list that the account has left.
    await client.rest('DELETE', `/list/block/account/${ids[1]}`);
    await client.authenticate({ id: ids[1] });
    expect(await historyOf(email)).toMatchObject({
      accounts: 3,
      sessions: 7,
      fakeAccounts: 1,
      lists: [{ name: 'block', effect: 'block' }],
      accountsFromDomain: 3,
    });
  });

  it('excludes expired members of lists, and accounts with another current address', async () => {
    const email = `${unique('moved')}@example.net`;
    const [id, list] = [unique('moves'), unique('short')];
    await client.authenticate({ id, email, lists: [list] });
    await query('end', 'update list_members set expires_at = now() where project_id = $1', [
      client.projectId,
    ]);
    expect(await historyOf(email)).toMatchObject({ accounts: 1, lists: [] });
    await client.rest('PUT', `/account/${id}`, { email: `${unique('new')}@example.net` });
    expect(await historyOf(email)).toMatchObject(NOTHING);
  });

  it('excludes placeholder names and phones', async () => {
    const email = `${unique('blank')}@example.org`;
    await client.authenticate({
      id: unique('x'),
      email,
      first_name: 'Test',
      last_name: 'User',
      phone: '0000000',
    });
    await client.authenticate({ id: unique('y'), email });
    expect(await historyOf(email)).toMatchObject({ accounts: 2, names: [], phones: [] });
  });

  it('exists for a role mailbox, and never for a placeholder', async () => {
    const domain = `${unique('firm')}.com`;
    await client.authenticate({ id: unique('role'), email: `info@${domain}` });
    expect(await historyOf(`info@${domain}`)).toMatchObject({ accounts: 1, accountsFromDomain: 1 });
    await client.authenticate({ id: unique('none'), email: 'test@example.com' });
    expect(await historyOf('test@example.com')).toMatchObject(NOTHING);
  });

  it('of an invalid address contains the accounts with the same text', async () => {
    const text = `${unique('no address')}@@nowhere`;
    await client.authenticate({ id: unique('invalid'), email: text });
    expect(await historyOf(` ${text.toUpperCase()} `)).toMatchObject({ accounts: 1, accountsFromDomain: 0 });
  });

  it('contains only accounts of its own project', async () => {
    const email = `${unique('elsewhere')}@example.org`;
    await client.authenticate({ id: unique('theirs'), email });
    const other = await asProject(await gateway.project());
    expect(await historyOf(email, other)).toEqual({ ...NOTHING, accountsFromDomain: 0 });
    expect(await historyOf(email)).toMatchObject({ accounts: 1 });
  });
});

describe('the histories of many addresses', () => {
  it('need one statement and one round trip, in the requested order', async () => {
    const known = await Promise.all(
      Array.from({ length: 5 }, async (_, index) => {
        const email = `${unique(`known${index}`)}@example.org`;
        await client.authenticate({ id: unique('many'), email, first_name: `Name${index}` });
        return email;
      }),
    );
    const addresses = Array.from({ length: 1000 }, (_, index) =>
      index % 200 === 0 ? known[index / 200]! : `${unique('unknown')}@example.org`,
    );
    addresses[999] = known[4]!.toUpperCase();
    gateway.takeTrips();
    const histories = await historiesOf(addresses);
    expect(costOf(gateway.takeTrips())).toEqual({ trips: 1, statements: 4 });
    expect(histories).toHaveLength(1000);
    for (const [index, history] of histories.entries())
      expect(history.names.map(({ firstName }) => firstName)).toEqual(
        index === 999 ? ['Name4'] : index % 200 === 0 ? [`Name${index / 200}`] : [],
      );
  });

  it('are empty for no addresses', async () => {
    gateway.takeStatements();
    expect(await historiesOf([])).toEqual([]);
    expect(gateway.takeStatements()).toEqual([]);
  });
});

describe('the history of an address with very many accounts', () => {
  const HOLDERS = 1100;

  it('is limited to 1,000 accounts, details of the 100 newest and 10 names, and has the exact first time', async () => {
    const many = await asProject(await gateway.project());
    const email = parseEmail(`${unique('shared')}@example.org`);
    const now = Date.now();
    const ids = Array.from({ length: HOLDERS }, (_, index) => newId(now - (HOLDERS - index) * 60_000));
    const sealed = ids.map((id, index) =>
      many.cipher.encryptJson('accounts', id, {
        ...NO_PERSONAL_FIELDS,
        email: email.address,
        firstName: `N${index}`,
        lastName: 'Z',
      }),
    );
    const seen = ids.map((_, index) => new Date(now - (HOLDERS - index) * 60_000));
    await query(
      'holders',
      `insert into accounts (project_id, id, account_id, personal, expected_countries, countries, num_sessions,
         match_key_version)
       select $1, a.id, a.id::text, a.personal, '{}', '{DE}', 1, 1 from unnest($2::uuid[], $3::bytea[]) as a (id, personal)`,
      [many.projectId, ids, sealed],
    );
    await query(
      'held',
      `insert into identifiers (project_id, account_id, kind, value_hash, first_seen, last_seen)
       select $1, i.id, k.kind, k.hash, i.seen, i.seen from unnest($2::uuid[], $3::timestamptz[]) as i (id, seen),
         unnest(array[5, 10]::smallint[], $4::bytea[]) as k (kind, hash)`,
      [
        ...[many.projectId, ids, seen],
        [
          many.cipher.blindIndex('email', email.canonical),
          many.cipher.blindIndex('email_domain', 'example.org'),
        ],
      ],
    );
    const history = await historyOf(email.address, many);
    expect(history).toMatchObject({
      firstSeen: seen[0],
      lastSeen: seen.at(-1),
      accounts: 1000,
      sessions: 100,
      sightings: 100,
      countries: ['DE'],
      phones: [],
      accountsFromDomain: 1000,
    });
    expect(history.names).toEqual(
      Array.from({ length: 10 }, (_, index) => ({ firstName: `N${HOLDERS - 1 - index}`, lastName: 'Z' })),
    );
  });
});
