import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { IDENTIFIER_KINDS } from '../../../src/domain/identifiers/identifier-kinds.ts';
import { MATCH_KEY_VERSION } from '../../../src/domain/linking/account-identifiers.ts';
import { generateMasterKey } from '../../../src/platform/crypto.ts';
import { createLogger } from '../../../src/platform/logger.ts';
import { makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import {
  openForCommandLine,
  openProjectForCommandLine,
  type ProjectForCommandLine,
} from '../../support/command-project.ts';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/*
 * Accounts with version 1 of the match keys. That version kept the digits of a number that no numbering plan
 * assigns, and read `491711239999` in Germany as +49 491711239999.
 */

const masterKey = generateMasterKey();
const WAIT_TIMEOUT_MS = 120_000;
let gateway: Gateway;
let sql: pg.Client;
let storage: Awaited<ReturnType<typeof openForCommandLine>>;

beforeAll(async () => {
  // It does not rewrite match keys, so that only the gateways of a test do.
  gateway = await startGateway({ masterKey, recalculatesLinks: false });
  sql = await connectAs(gateway.database, 'vouchgraph_system');
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  storage = await openForCommandLine(config, gateway.database.ownerUrl, 8);
});
afterAll(async () => {
  await sql.end();
  await storage.close();
  await gateway.close();
});

const commandOf = ({ projectId }: TestProject) => openProjectForCommandLine(storage, projectId);

/** Writes the phone keys of version 1 of accounts, with the links by them. */
async function makeEarlier(
  command: ProjectForCommandLine,
  keys: Readonly<Record<string, string>>,
): Promise<void> {
  const { cipher, projectId } = command.viewer.project;
  for (const [id, key] of Object.entries(keys)) {
    await sql.query(
      `with old as (
         update accounts set match_key_version = 1 where project_id = $1 and account_id = $2 returning id
       )
       update identifiers i set value_hash = $4
       from old where i.project_id = $1 and i.account_id = old.id and i.kind = $3`,
      [projectId, id, IDENTIFIER_KINDS.phone, cipher.blindIndex('phone', key)],
    );
  }
  for (const id of Object.keys(keys)) await command.accounts.relink(command.viewer, id);
  await command.settle();
  await sql.query('delete from outbox_events where project_id = $1', [projectId]);
}

async function leftIn(project: TestProject): Promise<{ stale: number; earlier: number; accounts: number }> {
  const { rows } = await sql.query(
    `select count(*) filter (where match_key_version < $2)::int as stale,
       count(*) filter (where holds_earlier_keys)::int as earlier, count(*)::int as accounts
     from accounts where project_id = $1`,
    [project.projectId, MATCH_KEY_VERSION],
  );
  return rows[0];
}

async function linkedTo(project: TestProject, id: string): Promise<string[]> {
  const { body } = await project.rest('GET', `/account/${id}/accounts-linked`);
  return body.accounts_linked.map((link: Body) => link.account_id).sort();
}

/** Pairs of link events that were emitted, each once. */
async function linkEvents(project: TestProject, gatewayOf: Gateway): Promise<string[]> {
  await gatewayOf.app.settleEvents();
  const { events } = await project.graphql(
    `{ events(first: 100, types: [ACCOUNT_LINKED, ACCOUNT_UNLINKED]) { edges { node { type data } } } }`,
  );
  const texts = events.edges.map(({ node }: Body) =>
    [node.type, ...[node.data.account_id, node.data.linked_account_id].sort()].join(' '),
  );
  return [...new Set<string>(texts)].sort();
}

const NOTHING_WRONG = {
  notCompared: 0,
  missing: [],
  surplus: [],
  different: [],
  counters: [],
  keys: [],
  identities: 0,
};

it('earlier match keys are rewritten when a gateway starts, without ending unchanged links', async () => {
  const project = await gateway.project();
  const command = await commandOf(project);
  const drama = '+44 7700 900301';
  const [a, b, c] = [unique('a'), unique('b'), unique('c')];
  const [d, e, f] = [unique('d'), unique('e'), unique('f')];
  const DE = { expected_countries: ['DE'] };
  for (const account of [
    { id: a, phone: drama },
    { id: b, phone: '+44 (0)7700 900301' },
    { id: c, phone: drama },
    { id: d, phone: '491711239999', ...DE },
    { id: e, phone: '+49 491711239999' },
    { id: f, phone: '+49 171 1239999' },
  ])
    await project.authenticate(account);
  const untouched = unique('untouched');
  await project.authenticate({ id: untouched, phone: '+14155552671', email: `${untouched}@example.com` });
  const digits = '447700900301';
  await makeEarlier(command, {
    [a]: digits,
    [b]: `440${digits.slice(2)}`,
    [c]: digits,
    [d]: '+49491711239999',
  });
  expect(await linkedTo(project, a)).toEqual([c]);
  expect(await linkedTo(project, d)).toEqual([e]);
  const check = () => command.rebuilding.check(command.viewer, () => {});
  expect((await check()).keys.sort()).toEqual([a, b, c, d].sort());
  const linkOf = async (id: string, other: string) =>
    (await project.rest('GET', `/account/${id}/accounts-linked`)).body.accounts_linked.find(
      (link: Body) => link.account_id === other,
    );
  const linkBefore = await linkOf(a, c);
  const recordBefore = (await project.rest('GET', `/account/${a}`)).body;
  const rowOf = async () =>
    (await sql.query('select updated_at from accounts where account_id = $1', [a])).rows[0].updated_at;
  const updatedAt = await rowOf();

  const lines: string[] = [];
  const log = createLogger('info', { write: (line: string) => void lines.push(line) });
  const next = await startGateway({ database: gateway.database, masterKey, log });
  try {
    await until('all keys to be rewritten', async () => {
      const { stale, earlier } = await leftIn(project);
      return stale + earlier === 0;
    });
    await next.app.recalculateLinks(project.projectId);
    const rewritten = await until('the line that says so', async () =>
      lines.find((line) => line.includes('match keys rewritten')),
    );
    expect(JSON.parse(rewritten)).toMatchObject({ projectId: project.projectId, accounts: 4, failed: 0 });
    expect(lines.join()).not.toMatch(/7700|1239999|untouched/);
    expect(await check()).toMatchObject({ accounts: 7, ...NOTHING_WRONG });
    expect(await linkedTo(project, a)).toEqual([b, c].sort());
    expect(await linkedTo(project, d)).toEqual([f]);
    expect(await linkedTo(project, e)).toEqual([]);
    expect(await linkOf(a, c)).toEqual(linkBefore);
    expect(await rowOf()).toEqual(updatedAt);
    expect(recordBefore.account.phone).toBe(drama);
    expect(await linkEvents(project, next)).toEqual(
      [
        ['ACCOUNT_LINKED', ...[a, b].sort()].join(' '),
        ['ACCOUNT_LINKED', ...[b, c].sort()].join(' '),
        ['ACCOUNT_LINKED', ...[d, f].sort()].join(' '),
        ['ACCOUNT_UNLINKED', ...[d, e].sort()].join(' '),
      ].sort(),
    );

    const later = unique('later');
    await project.authenticate({ id: later, phone: '0044 7700 900301' });
    expect(await linkedTo(project, later)).toEqual([a, b, c].sort());
    expect((await project.rest('GET', `/account/${d}`)).body.account.phone).toBe('+491711239999');
    const { accounts } = await project.graphql(
      'query ($phone: String!) { accounts(filter: { phone: $phone }) { edges { node { accountId } } } }',
      { phone: '+44 (0) 7700 900 301' },
    );
    expect(accounts.edges.map(({ node }: Body) => node.accountId).sort()).toEqual([a, b, c, later].sort());
  } finally {
    await next.close();
  }
});

it('accounts of version 3 are linked by near emails and dates of birth, and families no longer by an email', async () => {
  const project = await gateway.project();
  const command = await commandOf(project);
  const mara = { first_name: 'Mara', last_name: 'Quill' };
  const [near, slipped, born, twin] = [unique('near'), unique('slipped'), unique('born'), unique('twin')];
  const [ada, byron] = [unique('ada'), unique('byron')];
  const accounts = [
    { id: near, ...mara, email: 'mara.quill@acme-widgets.com' },
    { id: slipped, first_name: 'Mara', last_name: 'Quil', email: 'mara.quil@acme-widgets.com' },
    { id: born, first_name: 'Ines', last_name: 'Okafor', date_of_birth: '1984-05-06' },
    { id: twin, first_name: 'Ines', last_name: 'Okafore', date_of_birth: '1984-05-08' },
    { id: ada, first_name: 'Ada', email: 'the.lovelaces@acme-widgets.com' },
    { id: byron, first_name: 'Byron', email: 'the.lovelaces@acme-widgets.com' },
  ];
  for (const account of accounts) await project.authenticate(account);
  // Version 3 stored no keys of near values, and a link by the family's email.
  const { email_block, birth_date, birth_block, id_number, email } = IDENTIFIER_KINDS;
  await sql.query('update accounts set match_key_version = 3 where project_id = $1', [project.projectId]);
  await sql.query('delete from identifiers where project_id = $1 and kind = any($2::smallint[])', [
    project.projectId,
    [email_block, birth_date, birth_block, id_number],
  ]);
  for (const { id } of accounts) await command.accounts.relink(command.viewer, id);
  await command.settle();
  await sql.query(
    `insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
     select a.project_id, a.id, b.id, 1, $4, a.created_at, a.created_at, true from accounts a
     join accounts b on b.project_id = a.project_id and b.account_id = any($2::text[]) and b.id <> a.id
     where a.project_id = $1 and a.account_id = any($3::text[])`,
    [project.projectId, [ada, byron], [ada, byron], 1 << email],
  );
  await sql.query('delete from outbox_events where project_id = $1', [project.projectId]);
  expect(await linkedTo(project, near)).toEqual([]);
  expect(await linkedTo(project, born)).toEqual([]);
  expect(await linkedTo(project, ada)).toEqual([byron]);

  await gateway.app.rewriteMatchKeys();
  expect(await leftIn(project)).toEqual({ stale: 0, earlier: 0, accounts: 6 });
  await gateway.app.recalculateLinks(project.projectId);
  expect(await linkedTo(project, near)).toEqual([slipped]);
  expect(await linkedTo(project, born)).toEqual([twin]);
  expect(await linkedTo(project, ada)).toEqual([]);
  expect(await linkEvents(project, gateway)).toEqual(
    [
      ['ACCOUNT_LINKED', ...[near, slipped].sort()].join(' '),
      ['ACCOUNT_LINKED', ...[born, twin].sort()].join(' '),
      ['ACCOUNT_UNLINKED', ...[ada, byron].sort()].join(' '),
    ].sort(),
  );
  expect(await command.rebuilding.check(command.viewer, () => {})).toMatchObject(NOTHING_WRONG);
});

it('during a rewrite, a request with an unchanged phone ends no link, and a request that changes it does', async () => {
  const project = await gateway.project();
  const command = await commandOf(project);
  const [a, b] = [unique('a'), unique('b')];
  const phone = '+44 7700 900302';
  await project.authenticate({ id: a, phone });
  await project.authenticate({ id: b, phone });
  await makeEarlier(command, { [a]: '447700900302', [b]: '447700900302' });
  await project.authenticate({ id: a, phone, expected_countries: [] });
  expect(await linkedTo(project, a)).toEqual([b]);
  expect(await linkEvents(project, gateway)).toEqual([]);
  await command.accounts.rekey(command.viewer, a, 'add');
  await project.rest('PUT', `/account/${a}`, { phone });
  expect(await linkedTo(project, a)).toEqual([b]);
  await project.rest('PUT', `/account/${a}`, { phone: '+44 7700 900303' });
  expect(await linkedTo(project, a)).toEqual([]);
  await gateway.app.rewriteMatchKeys();
  expect(await leftIn(project)).toEqual({ stale: 0, earlier: 0, accounts: 2 });
  expect(await command.rebuilding.check(command.viewer, () => {})).toMatchObject(NOTHING_WRONG);
});

it(
  'a rebuild on the command line rewrites them too, and its check reports the remaining accounts',
  async () => {
    const project = await gateway.project();
    const [a, b] = [unique('a'), unique('b')];
    await project.authenticate({ id: a, phone: '+44 7700 900304' });
    await project.authenticate({ id: b, phone: '+44 (0)7700 900304' });
    await makeEarlier(await commandOf(project), { [a]: '447700900304', [b]: '4407700900304' });
    expect(await linkedTo(project, a)).toEqual([]);
    const { folder, remove } = await makeFolder();
    const environment = {
      DATABASE_URL: gateway.database.ownerUrl,
      MASTER_KEY: masterKey,
      DATA_DIR: folder,
    };
    const command = async (...options: string[]) => {
      const process = run(['links', 'rebuild', project.projectId, ...options], environment);
      return { code: await process.exited, output: process.output() };
    };
    const before = await command('--check');
    expect(before.code).toBe(1);
    expect(before.output).toContain('2 accounts have match keys of an earlier version');
    expect(await command()).toMatchObject({ code: 0 });
    expect(await linkedTo(project, a)).toEqual([b]);
    const after = await command('--check', '--json');
    expect(after.code).toBe(0);
    const { notCompared: not_compared, ...none } = NOTHING_WRONG;
    expect(JSON.parse(after.output)).toMatchObject({
      right: true,
      accounts: 2,
      links: 1,
      not_compared,
      ...none,
    });
    await remove();
  },
  WAIT_TIMEOUT_MS,
);

it('an account that cannot be decrypted is skipped, and the others are rewritten', async () => {
  const project = await gateway.project();
  const command = await commandOf(project);
  const [a, b] = [unique('a'), unique('b')];
  await project.authenticate({ id: a, phone: '+44 7700 900305' });
  await project.authenticate({ id: b, phone: '+44 (0)7700 900305' });
  const damaged = unique('damaged');
  await project.authenticate({ id: damaged, phone: '+44 7700 900306' });
  await makeEarlier(command, { [a]: '447700900305', [b]: '4407700900305', [damaged]: '447700900306' });
  await sql.query(
    `update accounts set personal = set_byte(personal, 20, get_byte(personal, 20) # 1), updated_at = now()
     where project_id = $1 and account_id = $2`,
    [project.projectId, damaged],
  );
  await gateway.app.rewriteMatchKeys();
  expect(await leftIn(project)).toEqual({ stale: 1, earlier: 0, accounts: 3 });
  expect(await linkedTo(project, a)).toEqual([b]);
  expect(await command.rebuilding.check(command.viewer, () => {})).toMatchObject({
    ...NOTHING_WRONG,
    keys: [damaged],
  });
  await sql.query('delete from accounts where account_id = $1', [damaged]);
});

it('links of an earlier comparison version are recalculated', async () => {
  const project = await gateway.project();
  const command = await commandOf(project);
  const [one, two, three] = [unique('likeness'), unique('likeness'), unique('likeness')];
  for (const id of [one, two, three])
    await project.authenticate({ id, first_name: 'Ines', last_name: 'Okafor', date_of_birth: '1984-05-06' });
  await gateway.app.recalculateLinks(project.projectId);
  const links = `update links l set score = 0.5 from accounts a
    where a.project_id = $1 and a.account_id = $2 and l.project_id = $1 and a.id in (l.account_id, l.linked_account_id)`;
  expect((await sql.query(links, [project.projectId, one])).rowCount).toBeGreaterThan(0);
  await sql.query('update accounts set match_key_version = 4 where project_id = $1', [project.projectId]);
  expect((await command.rebuilding.check(command.viewer, () => {})).different).not.toEqual([]);
  await gateway.app.rewriteMatchKeys();
  expect(await leftIn(project)).toEqual({ stale: 0, earlier: 0, accounts: 3 });
  expect(await command.rebuilding.check(command.viewer, () => {})).toMatchObject(NOTHING_WRONG);
});

it('the index of accounts to rewrite covers the current version', async () => {
  const { rows } = await sql.query(
    `select indexdef from pg_indexes where tablename = 'accounts' and indexdef ~ 'match_key_version < '`,
  );
  expect(rows.map(({ indexdef }) => indexdef)).toContainEqual(
    expect.stringContaining(`WHERE (match_key_version < ${MATCH_KEY_VERSION})`),
  );
});

it(
  'two other gateways complete the rewrite of a killed gateway while requests are served',
  async () => {
    const project = await gateway.project();
    const command = await commandOf(project);
    const accounts = 160;
    const prefix = unique('many');
    const idOf = (index: number) => `${prefix}-${index}`;
    // Each number belongs to two accounts, in two spellings.
    const numberOf = (index: number) => 7700900400 + Math.floor(index / 2);
    const phoneOf = (index: number) => `${index % 2 === 0 ? '+44 ' : '+44 (0)'}${numberOf(index)}`;
    for (let index = 0; index < accounts; index++)
      await project.authenticate({ id: idOf(index), phone: phoneOf(index) });
    await makeEarlier(
      command,
      Object.fromEntries(
        Array.from({ length: accounts }, (_, index) => [idOf(index), phoneOf(index).replace(/\D/g, '')]),
      ),
    );
    expect(await linkedTo(project, idOf(0))).toEqual([]);

    const { folder, remove } = await makeFolder();
    const environment = {
      DATABASE_URL: gateway.database.ownerUrl,
      MASTER_KEY: masterKey,
      DATA_DIR: folder,
      MX_LOOKUPS: 'off',
      LOG_LEVEL: 'silent',
    };
    const killed = run(['serve'], environment);
    await until('some to be rewritten', async () => (await leftIn(project)).stale < accounts - 10, 60_000);
    killed.signal('SIGKILL');
    await killed.exited;
    const { stale } = await leftIn(project);
    expect(stale).toBeGreaterThan(0);
    expect(stale).toBeLessThan(accounts);

    const others = await Promise.all([
      startGateway({ database: gateway.database, masterKey }),
      startGateway({ database: gateway.database, masterKey }),
    ]);
    const busy = projectClient(others[0].baseUrl, project.projectId, project.key);
    const fresh = unique('fresh');
    await Promise.all([
      ...others.map(({ app }) => app.rewriteMatchKeys()),
      busy.authenticate({ id: fresh, phone: `0044${numberOf(0)}` }),
      busy.rest('PUT', `/account/${idOf(accounts - 1)}`, { phone: '+44 7700 900399' }),
      busy.authenticate({ id: idOf(accounts - 2), phone: phoneOf(accounts - 2) }),
      busy.rest('DELETE', `/account/${idOf(accounts - 3)}`),
    ]);
    expect(await leftIn(project)).toEqual({ stale: 0, earlier: 0, accounts });
    await others[0].app.recalculateLinks(project.projectId);
    expect(await command.rebuilding.check(command.viewer, () => {})).toMatchObject({
      accounts,
      ...NOTHING_WRONG,
    });
    expect(await linkedTo(busy, fresh)).toEqual([idOf(0), idOf(1)].sort());
    expect(await linkedTo(busy, idOf(80))).toEqual([idOf(81)]);
    expect(await linkedTo(busy, idOf(accounts - 1))).toEqual([]);
    await Promise.all(others.map((each) => each.close()));
    await remove();
  },
  WAIT_TIMEOUT_MS,
);
