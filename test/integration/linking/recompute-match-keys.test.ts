import { IDENTIFIER_KINDS, MATCH_KEY_VERSION } from '@vouchgraph/linking';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { createLogger } from '@vouchgraph/platform/logger';
import { FACE_PIPELINE_VERSION } from '@vouchgraph/vision';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import { openForCommandLine, openProjectForCommandLine } from '../../support/command-project.ts';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import {
  CONSISTENT,
  checkLinks,
  countStale,
  keysAsWritten,
  linkEvents,
  linkedTo,
  type MatchedFields,
  storeStaleKeys,
} from '../../support/stale-match-keys.ts';

/* Match keys of another version: they are stored by rules that compare fields as they are written. */

const masterKey = generateMasterKey();
const WAIT_TIMEOUT_MS = 300_000;
let gateway: Gateway;
let sql: pg.Client;
let storage: Awaited<ReturnType<typeof openForCommandLine>>;

beforeAll(async () => {
  // It recomputes on request of a test only.
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

const NOTHING_STALE = { stale: 0, holding: 0 };
const linked = (id: string, project: TestProject) => linkedTo(gateway, project, id);

/** A project with accounts whose match keys are stale. */
async function staleProject(accounts: Readonly<Record<string, MatchedFields>>, version?: number) {
  const project = await gateway.project();
  const command = await openProjectForCommandLine(storage, project.projectId);
  for (const [id, fields] of Object.entries(accounts)) await project.authenticate({ id, ...fields });
  const keysOf = (fields: MatchedFields) => ({ ...keysAsWritten(fields), email_block: fields.email ?? '' });
  const keys = Object.entries(accounts).map(([id, fields]) => [id, keysOf(fields)]);
  await storeStaleKeys(sql, command, Object.fromEntries(keys), version);
  return { project, command };
}

/** Lines of a gateway's log. */
function capturedLog() {
  const lines: string[] = [];
  return { lines, log: createLogger('info', { write: (line: string) => void lines.push(line) }) };
}

const accountOf = async ({ projectId }: TestProject, id: string) =>
  (await sql.query('select * from accounts where project_id = $1 and account_id = $2', [projectId, id]))
    .rows[0];

const MIXED: Readonly<Record<string, MatchedFields>> = {
  // Linked by these keys only: current ones are of a role mailbox or a placeholder, or do not exist.
  role1: { email: 'info@acme-widgets.com' },
  role2: { email: 'info@acme-widgets.com' },
  user1: { username: 'n/a' },
  user2: { username: 'n/a' },
  none1: { email: 'none@none.com', first_name: 'Grace', last_name: 'Hopper' },
  none2: { email: 'none@none.com', first_name: 'Grace', last_name: 'Hopper' },
  // Linked by the current keys only.
  phone1: { phone: '+44 7700 900301' },
  phone2: { phone: '+44 (0)7700 900301' },
  // Linked by both.
  same1: { email: 'emil@acme-widgets.com', phone: '+44 7700 900311' },
  same2: { email: 'emil@acme-widgets.com', phone: '+44 7700 900311' },
  // The second phone links in one spelling by these keys.
  mixed1: { phone: '+44 7700 900321' },
  mixed2: { phone: '+44 7700 900321' },
  mixed3: { phone: '+44 (0)7700 900321' },
};

it('stale match keys are recomputed when a gateway starts, with events of ended and new links', async () => {
  const { project, command } = await staleProject(MIXED);
  await project.authenticate({ id: 'current', phone: '+14155552671', email: 'current@example.com' });
  expect(await linked('role1', project)).toEqual(['role2']);
  expect(await linked('phone1', project)).toEqual([]);
  expect(await linked('mixed1', project)).toEqual(['mixed2']);
  const before = await checkLinks(command);
  expect(before).toMatchObject(CONSISTENT);
  expect(before.keys.sort()).toEqual(Object.keys(MIXED).sort());
  const linksOf = async (id: string) =>
    (await project.rest('GET', `/account/${id}/accounts-linked`)).body.accounts_linked;
  const [sameLinks, sameRow] = [await linksOf('same1'), await accountOf(project, 'same1')];

  const { lines, log } = capturedLog();
  const next = await startGateway({ database: gateway.database, masterKey, log });
  try {
    const line = await until('the line of the end', async () =>
      lines.find((one) => one.includes('match keys recomputed')),
    );
    expect(JSON.parse(line)).toMatchObject({
      projectId: project.projectId,
      version: MATCH_KEY_VERSION,
      ...{ recomputed: 13, unreadable: 0, failed: 0 },
    });
    expect(lines.join()).not.toMatch(/7700|widgets|role1|mixed/);
  } finally {
    await next.close();
  }
  expect(await countStale(sql, project)).toEqual(NOTHING_STALE);
  const { rows: blocks } = await sql.query(
    `select a.account_id, encode(a.blocking_keys, 'hex') as packed, coalesce(string_agg(
       lpad(to_hex(b.kind::int), 2, '0') || encode(b.value_hash, 'hex'), '' order by b.kind, b.value_hash), '') as rows
     from accounts a left join blocking_keys b on b.project_id = a.project_id and b.account_id = a.id
     where a.project_id = $1 group by a.account_id, a.blocking_keys`,
    [project.projectId],
  );
  expect(blocks.map(({ rows }) => rows)).toEqual(blocks.map(({ packed }) => packed));
  await linked('role1', project);
  expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, keys: [], accounts: 14 });
  expect(await linkEvents(gateway, project)).toEqual([
    'ACCOUNT_LINKED mixed1 mixed3',
    'ACCOUNT_LINKED mixed2 mixed3',
    'ACCOUNT_LINKED phone1 phone2',
    'ACCOUNT_UNLINKED none1 none2',
    'ACCOUNT_UNLINKED role1 role2',
    'ACCOUNT_UNLINKED user1 user2',
  ]);
  expect(await linksOf('same1')).toEqual(sameLinks);
  expect((await accountOf(project, 'same1')).updated_at).toEqual(sameRow.updated_at);
});

it('a new account is linked to an account with stale keys once these are recomputed', async () => {
  const { project, command } = await staleProject({ known: { phone: '+44 7700 900302' } });
  await project.authenticate({ id: 'new', phone: '+44 (0)7700 900302' });
  expect(await linked('new', project)).toEqual([]);
  expect(await linkEvents(gateway, project)).toEqual([]);
  await gateway.app.recompute();
  expect(await linked('new', project)).toEqual(['known']);
  expect(await linkEvents(gateway, project)).toEqual(['ACCOUNT_LINKED known new']);
  expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, keys: [] });
});

it('keys of a greater version are stale too', async () => {
  const phones = { a: { phone: '+44 7700 900303' }, b: { phone: '+44 (0)7700 900303' } };
  const { project, command } = await staleProject(phones, MATCH_KEY_VERSION + 1);
  expect(await countStale(sql, project)).toEqual({ stale: 2, holding: 0 });
  expect(await linked('a', project)).toEqual([]);
  await gateway.app.recompute();
  expect(await countStale(sql, project)).toEqual(NOTHING_STALE);
  expect(await linked('a', project)).toEqual(['b']);
  expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, keys: [] });
});

it('a request with an unchanged phone ends no link meanwhile, and a request that changes it does', async () => {
  const phone = '+44 7700 900304';
  const { project, command } = await staleProject({ a: { phone }, b: { phone } });
  await project.authenticate({ id: 'a', phone, expected_countries: [] });
  expect(await linked('a', project)).toEqual(['b']);
  expect(await linkEvents(gateway, project)).toEqual([]);
  await command.accounts.recomputeMatchKeys(command.viewer, 'a', 'add');
  expect(await countStale(sql, project)).toEqual({ stale: 1, holding: 1 });
  await project.rest('PUT', '/account/a', { phone });
  expect(await linked('a', project)).toEqual(['b']);
  await project.rest('PUT', '/account/a', { phone: '+44 7700 900305' });
  expect(await linked('a', project)).toEqual([]);
  await gateway.app.recompute();
  expect(await countStale(sql, project)).toEqual(NOTHING_STALE);
  expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, keys: [] });
});

it('a key of another kind inherits the times and uses of its field', async () => {
  const { project } = await staleProject({ a: { email: 'info@acme-widgets.com' } });
  const known = { first: '2026-02-01T00:00:00.000Z', last: '2026-03-01T00:00:00.000Z', uses: 7 };
  await sql.query(
    `update identifiers set first_seen = $3, last_seen = $4, uses = $5 where project_id = $1 and kind = $2`,
    [project.projectId, IDENTIFIER_KINDS.email, known.first, known.last, known.uses],
  );
  await gateway.app.recompute();
  const { rows } = await sql.query(
    'select first_seen, last_seen, uses from identifiers where project_id = $1 and kind = $2',
    [project.projectId, IDENTIFIER_KINDS.role_email],
  );
  expect(rows).toEqual([
    { first_seen: new Date(known.first), last_seen: new Date(known.last), uses: known.uses },
  ]);
});

it('a mailbox with keys of both versions is shown once', async () => {
  const fields = { email: 'sales@acme-widgets.com' };
  const { project, command } = await staleProject({ a: fields, b: fields });
  for (const id of ['a', 'b']) await command.accounts.recomputeMatchKeys(command.viewer, id, 'add');
  const { account } = await project.graphql(
    '{ account(accountId: "a") { linkedAccounts { edges { score matchTypes evidence { kind weight supportsBecause } } } } }',
  );
  expect(account.linkedAccounts.edges).toEqual([
    { score: 1, matchTypes: ['EMAIL'], evidence: [{ kind: 'EMAIL', weight: 1, supportsBecause: null }] },
  ]);
  await gateway.app.recompute();
});

it('accounts are found by their contacts after the recomputation', async () => {
  const fields = { email: 'sales@acme-widgets.com', phone: '0000000000', username: 'n/a' };
  const { project } = await staleProject({ a: fields, b: fields });
  await gateway.app.recompute();
  for (const [name, value] of Object.entries(fields)) {
    const { accounts } = await project.graphql(
      'query ($filter: AccountFilter) { accounts(filter: $filter) { edges { node { accountId } } } }',
      { filter: { [name]: value } },
    );
    const ids = accounts.edges.map(({ node }: Body) => node.accountId).sort();
    expect({ name, ids }).toEqual({ name, ids: ['a', 'b'] });
  }
});

it('links whose weights another version computed are recomputed with equal keys', async () => {
  const phone = '+14155552672';
  const { project, command } = await staleProject({ a: { phone }, b: { phone }, c: { phone } });
  await sql.query('update links set score = 0.5 where project_id = $1', [project.projectId]);
  expect((await checkLinks(command)).different).toHaveLength(3);
  await gateway.app.recompute();
  expect(await countStale(sql, project)).toEqual(NOTHING_STALE);
  expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, keys: [], links: 3 });
});

it(
  'a rebuild on the command line recomputes stale keys, and its check reports the remaining accounts',
  async () => {
    const { project } = await staleProject({
      a: { phone: '+44 7700 900306' },
      b: { phone: '+44 (0)7700 900306' },
    });
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
    expect(before.output).toContain('2 accounts have stale match keys, such as a, b');
    expect(await command()).toMatchObject({ code: 0 });
    expect(await linked('a', project)).toEqual(['b']);
    const after = await command('--check', '--json');
    expect(after.code).toBe(0);
    const found = { right: true, accounts: 2, links: 1, not_compared: 0, keys: [], ...CONSISTENT };
    expect(JSON.parse(after.output)).toMatchObject(found);
    await remove();
  },
  WAIT_TIMEOUT_MS,
);

it('an account that cannot be decrypted is skipped and counted, and the others are recomputed', async () => {
  const { project, command } = await staleProject({
    a: { phone: '+44 7700 900307' },
    b: { phone: '+44 (0)7700 900307' },
    damaged: { phone: '+44 7700 900308' },
  });
  await sql.query(
    `update accounts set personal = set_byte(personal, 20, get_byte(personal, 20) # 1), updated_at = now()
     where project_id = $1 and account_id = 'damaged'`,
    [project.projectId],
  );
  const { lines, log } = capturedLog();
  const next = await startGateway({ database: gateway.database, masterKey, log, recalculatesLinks: false });
  try {
    await next.app.recompute();
    // It is not retried by the same process.
    await next.app.recompute();
  } finally {
    await next.close();
  }
  const ends = lines.filter((line) => line.includes('match keys recomputed')).map((line) => JSON.parse(line));
  expect(ends).toEqual([expect.objectContaining({ recomputed: 2, unreadable: 0, failed: 1 })]);
  expect(lines.filter((line) => line.includes('recomputing match keys failed'))).toHaveLength(1);
  expect(await countStale(sql, project)).toEqual({ stale: 1, holding: 0 });
  expect(await linked('a', project)).toEqual(['b']);
  expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, keys: ['damaged'] });
  await sql.query(`delete from accounts where project_id = $1 and account_id = 'damaged'`, [
    project.projectId,
  ]);
});

it('identifiers of kinds that another version knows are ignored', async () => {
  const project = await gateway.project();
  const command = await openProjectForCommandLine(storage, project.projectId);
  const fields = { email: 'ada@acme-widgets.com' };
  for (const id of ['a', 'b']) await project.authenticate({ id, ...fields });
  await sql.query(
    `insert into identifiers (project_id, account_id, kind, value_hash, account_group, first_seen, last_seen)
     select project_id, account_id, 9999, value_hash, account_group, first_seen, last_seen
     from identifiers where project_id = $1 and kind = $2`,
    [project.projectId, IDENTIFIER_KINDS.email],
  );
  await project.authenticate({ id: 'a', ...fields });
  expect((await project.rest('PUT', '/account/b', { group: 'eu' })).status).toBe(200);
  expect((await project.rest('PUT', '/account/b', { group: '' })).status).toBe(200);
  expect(await linked('a', project)).toEqual(['b']);
  expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, keys: [] });
  expect((await project.rest('DELETE', '/account/b')).status).toBe(200);
  expect(await linked('a', project)).toEqual([]);
});

it('the indexes of stale rows are those of the current versions', async () => {
  const { rows } = await sql.query(
    `select relname as name, pg_get_expr(indpred, indrelid) as predicate
     from pg_index join pg_class on pg_class.oid = indexrelid where relname ~ '_stale_'`,
  );
  expect(rows).toEqual(
    expect.arrayContaining([
      {
        name: `accounts_stale_match_keys_${MATCH_KEY_VERSION}`,
        predicate: `(match_key_version <> ${MATCH_KEY_VERSION})`,
      },
      {
        name: `face_templates_stale_${FACE_PIPELINE_VERSION}`,
        predicate:
          `((pipeline_version <> ${FACE_PIPELINE_VERSION}) AND ` +
          `(unreadable_version <> ${FACE_PIPELINE_VERSION}))`,
      },
    ]),
  );
});

it(
  'two gateways complete the recomputation of a killed one while requests are served, and each account is recomputed once',
  async () => {
    const accounts = 160;
    const idOf = (index: number) => `many-${index}`;
    // Each number belongs to two accounts, in two spellings.
    const numberOf = (index: number) => 7700900400 + Math.floor(index / 2);
    const phoneOf = (index: number) => `${index % 2 === 0 ? '+44 ' : '+44 (0)'}${numberOf(index)}`;
    const { project, command } = await staleProject(
      Object.fromEntries(
        Array.from({ length: accounts }, (_, index) => [idOf(index), { phone: phoneOf(index) }]),
      ),
    );
    expect(await linked(idOf(0), project)).toEqual([]);

    const { folder, remove } = await makeFolder();
    const environment = {
      DATABASE_URL: gateway.database.ownerUrl,
      MASTER_KEY: masterKey,
      DATA_DIR: folder,
      MX_LOOKUPS: 'off',
      LOG_LEVEL: 'silent',
    };
    const killed = run(['serve'], environment);
    await until(
      'some accounts to be recomputed',
      async () => (await countStale(sql, project)).stale < accounts - 10,
      240_000,
    );
    killed.signal('SIGKILL');
    await killed.exited;
    const { stale } = await countStale(sql, project);
    expect(stale).toBeGreaterThan(0);
    expect(stale).toBeLessThan(accounts);

    const { lines, log } = capturedLog();
    const options = { database: gateway.database, masterKey, log };
    const others = await Promise.all([startGateway(options), startGateway(options)]);
    const busy = projectClient(others[0].baseUrl, project.projectId, project.key);
    await Promise.all([
      ...others.map(({ app }) => app.recompute()),
      busy.authenticate({ id: 'fresh', phone: `0044${numberOf(0)}` }),
      busy.rest('PUT', `/account/${idOf(accounts - 1)}`, { phone: '+44 7700 900399' }),
      busy.authenticate({ id: idOf(accounts - 2), phone: phoneOf(accounts - 2) }),
      busy.rest('DELETE', `/account/${idOf(accounts - 3)}`),
    ]);
    expect(await countStale(sql, project)).toEqual(NOTHING_STALE);
    const ends = lines
      .filter((line) => line.includes('match keys recomputed'))
      .map((line) => JSON.parse(line))
      .filter(({ projectId }) => projectId === project.projectId);
    const recomputed = ends.reduce((sum, end) => sum + end.recomputed, 0);
    // Without the erased account, if it was erased before its turn.
    expect([stale - 1, stale]).toContain(recomputed);
    await others[0].app.recalculateLinks(project.projectId);
    expect(await checkLinks(command)).toMatchObject({ ...CONSISTENT, accounts, keys: [], notCompared: 0 });
    expect(await linked('fresh', project)).toEqual([idOf(0), idOf(1)].sort());
    expect(await linked(idOf(80), project)).toEqual([idOf(81)]);
    expect(await linked(idOf(accounts - 1), project)).toEqual([]);
    await Promise.all(others.map((each) => each.close()));
    await remove();
  },
  WAIT_TIMEOUT_MS,
);
