import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import pLimit from 'p-limit';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import {
  openForCommandLine,
  openProjectForCommandLine,
  type ProjectForCommandLine,
} from '../../support/command-project.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let sql: pg.Client;
let close: () => Promise<void>;
let command: ProjectForCommandLine;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  sql = await connectAs(gateway.database, 'vouchgraph_system');
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  const storage = await openForCommandLine(config, gateway.database.ownerUrl, 8);
  close = storage.close;
  command = await openProjectForCommandLine(storage, project.projectId);
  const facts = { device_id: 'tablet', ip_address: '90.54.1.1' };
  await project.authenticate({ id: 'a', phone: '+14155552671' }, facts);
  await project.authenticate({ id: 'b', phone: '+14155552671' });
  await project.authenticate({ id: 'c' }, facts);
  await project.authenticate({ id: 'c' }, facts);
  await project.authenticate({ id: 'alone' });
});
afterAll(async () => {
  await sql.end();
  await close();
  await gateway.close();
});

const check = () => command.rebuilding.check(command.viewer, () => {});
const RIGHT = {
  accounts: 4,
  links: 2,
  notCompared: 0,
  missing: [],
  surplus: [],
  different: [],
  counters: [],
  keys: [],
  identities: 0,
};
const idOf = async (accountId: string): Promise<string> =>
  (
    await sql.query('select id from accounts where project_id = $1 and account_id = $2', [
      project.projectId,
      accountId,
    ])
  ).rows[0].id;

it('a check of consistent links finds nothing', async () => {
  expect(await check()).toEqual(RIGHT);
});

it('a check finds inconsistent links, and a rebuild repairs links and identities and emits events of changes only', async () => {
  const [a, b, c, alone] = await Promise.all(['a', 'b', 'c', 'alone'].map(idOf));
  const { projectId } = project;
  const change = (text: string, ...values: unknown[]) => sql.query(text, [projectId, ...values]);
  await change(
    'delete from links where project_id = $1 and (account_id, linked_account_id) in (($2, $3), ($3, $2))',
    a,
    b,
  );
  await change(
    'update links set score = 0.9 where project_id = $1 and $2 in (account_id, linked_account_id)',
    c,
  );
  await change(
    `insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen)
     values ($1, $2, $3, 1, 2, now(), now()), ($1, $3, $2, 1, 2, now(), now())`,
    b,
    alone,
  );
  await change('delete from identity_members where project_id = $1 and account_id = $2', a);
  expect(await check()).toMatchObject({
    accounts: 4,
    missing: [['a', 'b']],
    surplus: [['b', 'alone']],
    different: [['a', 'c']],
    counters: [],
  });
  await sql.query('delete from outbox_events where project_id = $1', [projectId]);
  expect(await command.rebuilding.rebuild(command.viewer, () => {})).toBe(4);
  expect(await check()).toEqual(RIGHT);
  const { rows } = await sql.query('select type from outbox_events where project_id = $1 order by type', [
    projectId,
  ]);
  // Either account of the surplus link can emit its event.
  expect(new Set(rows.map(({ type }) => type))).toEqual(new Set(['account.linked', 'account.unlinked']));
});

it('a check finds counts and averages that differ from the sessions', async () => {
  await sql.query('update accounts set num_sessions = 7 where project_id = $1 and account_id = $2', [
    project.projectId,
    'c',
  ]);
  await sql.query(
    `update accounts set aggregates = jsonb_set(aggregates::jsonb, '{weight}', '9') where project_id = $1 and account_id = $2`,
    [project.projectId, 'a'],
  );
  expect((await check()).counters.sort()).toEqual(['a', 'c']);
});

it.each([
  ['face', 0.5],
  ['document_number', 1],
] as const)('an identifier that only verifications write links alone: %s with %d', async (kind, score) => {
  await sql.query(
    `insert into identifiers (project_id, account_id, kind, value_hash, first_seen, last_seen)
     select $1, id, $2, $3, now(), now() from accounts where project_id = $1 and account_id in ('alone', 'c')`,
    [project.projectId, IDENTIFIER_KINDS[kind], Buffer.from(kind.padEnd(16))],
  );
  await command.accounts.relink(command.viewer, 'alone');
  const { account } = await project.graphql(
    `{ account(accountId: "alone") { linkedAccounts { edges { score matchTypes node { accountId } } } } }`,
  );
  expect(account.linkedAccounts.edges).toEqual([
    { score, matchTypes: expect.arrayContaining([kind.toUpperCase()]), node: { accountId: 'c' } },
  ]);
});

/** Changes of one shared identifier wait for each other, at most 5 s. */
const AT_ONCE = 8;

/** A project whose links are compared with a recalculation after each round of changes. */
async function openCheckedProject() {
  const other = await gateway.project();
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  const storage = await openForCommandLine(config, gateway.database.ownerUrl, 8);
  const { viewer, rebuilding } = await openProjectForCommandLine(storage, other.projectId);
  const expectNothingToRebuild = async () => {
    await gateway.app.recalculateLinks(other.projectId);
    const { missing, surplus, different, identities } = await rebuilding.check(viewer, () => {});
    const found = { missing, surplus, different, identities };
    expect(found).toEqual({ missing: [], surplus: [], different: [], identities: 0 });
  };
  return { other, expectNothingToRebuild, close: () => storage.close() };
}

it('accounts that concurrently join and leave an identifier near its sharing limit leave consistent links', async () => {
  const { other, expectNothingToRebuild, close } = await openCheckedProject();
  const come = (number: number) =>
    other.authenticate({ id: `n${number}` }, { ip_address: '88.120.1.1', device_id: `pair-${number >> 1}` });
  const leave = (number: number) => other.rest('DELETE', `/account/n${number}`);
  await pLimit(AT_ONCE).map(Array.from({ length: 22 }).keys(), come);
  for (let round = 0; round < 6; round++) {
    const first = 22 + round * 3;
    await Promise.all([0, 1, 2].flatMap((each) => [leave(round * 3 + each), come(first + each)]));
    await expectNothingToRebuild();
  }
  await close();
});

it('known accounts that drop an email over its sharing limit while others adopt it leave consistent links', async () => {
  const { other, expectNothingToRebuild, close } = await openCheckedProject();
  const change = (number: number, email: string) =>
    other.authenticate({ id: `n${number}`, email }, { device_id: `pair-${number >> 1}` });
  const come = (number: number) => change(number, 'support@shop.example');
  const leave = (number: number) => change(number, `number${number}@people.example`);
  await pLimit(AT_ONCE).map(Array.from({ length: 52 }).keys(), come);
  for (let round = 0; round < 4; round++) {
    const first = 52 + round * 3;
    await Promise.all([0, 1, 2].flatMap((each) => [leave(round * 3 + each), come(first + each)]));
    await expectNothingToRebuild();
  }
  await close();
});

it('an unknown project is an error', async () => {
  const config = readConfig({ DATABASE_URL: gateway.database.ownerUrl, MASTER_KEY: masterKey });
  const storage = await openForCommandLine(config, gateway.database.ownerUrl);
  await expect(openProjectForCommandLine(storage, 'nonsense')).rejects.toThrow(
    'Project not found: "nonsense"',
  );
  await storage.close();
});
