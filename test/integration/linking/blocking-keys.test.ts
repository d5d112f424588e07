import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/* Blocking keys are rows with one index, and one value of the account's row. Both change together. */

let gateway: Gateway;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startGateway();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

/** Near-equal addresses of one person. */
function nearEmails() {
  const name = unique('jonathan').replaceAll('-', '');
  return { first: `${name}.appleseed@acme-widgets.com`, second: `${name}.appleseed2@acme-widgets.com` };
}

const PERSON = { first_name: 'Jonathan', last_name: 'Appleseed', date_of_birth: '1984-03-17' };

/** The account's keys in hexadecimal digits (kind and hash), as rows and in its own row, and the group of the rows. */
async function keysOf({ projectId }: TestProject, id: string) {
  const { rows } = await system.query(
    `select a.id, encode(a.blocking_keys, 'hex') as packed,
       coalesce((select string_agg(distinct b.account_group, ',') from blocking_keys b where b.account_id = a.id), '') as groups,
       coalesce((select string_agg(lpad(to_hex(b.kind::int), 2, '0') || encode(b.value_hash, 'hex'), '' order by b.kind, b.value_hash)
         from blocking_keys b where b.account_id = a.id), '') as rows
     from accounts a where a.project_id = $1 and a.account_id = $2`,
    [projectId, id],
  );
  expect(rows[0].rows).toBe(rows[0].packed);
  const keys: string[] = rows[0].packed.match(/.{18}/g) ?? [];
  return { id: rows[0].id, keys, group: rows[0].groups };
}

async function linkedTo(project: TestProject, id: string): Promise<string[]> {
  await gateway.app.recalculateLinks(project.projectId);
  const { body } = await project.rest('GET', `/account/${id}/accounts-linked`);
  return body.accounts_linked.map((link: Body) => link.account_id).sort();
}

it('are replaced with the fields, follow the account into another group, and are erased with it', async () => {
  const project = await gateway.project();
  const { first, second } = nearEmails();
  await project.authenticate({ id: 'a', email: first, ...PERSON });
  await project.authenticate({ id: 'b', email: second, ...PERSON });
  expect(await linkedTo(project, 'a')).toEqual(['b']);
  const before = await keysOf(project, 'b');
  expect(before.keys.length).toBeGreaterThan(3);
  expect(
    (await project.rest('PUT', '/account/b', { email: 'zoe@acme-widgets.com', date_of_birth: '' })).status,
  ).toBe(200);
  const after = await keysOf(project, 'b');
  expect(after.keys.length).toBeGreaterThan(0);
  expect(after.keys.filter((key) => before.keys.includes(key))).toEqual([]);
  expect((await project.rest('PUT', '/account/b', { email: second, ...PERSON, group: 'eu' })).status).toBe(
    200,
  );
  expect(await keysOf(project, 'b')).toEqual({ ...before, group: 'eu' });
  expect(await linkedTo(project, 'a')).toEqual([]);
  expect((await project.rest('PUT', '/account/b', { group: '' })).status).toBe(200);
  expect(await keysOf(project, 'b')).toEqual(before);
  expect(await linkedTo(project, 'a')).toEqual(['b']);
  expect((await project.rest('DELETE', '/account/b')).status).toBe(200);
  const { rows } = await system.query('select 1 from blocking_keys where account_id = $1', [before.id]);
  expect(rows).toEqual([]);
  expect(await linkedTo(project, 'a')).toEqual([]);
});

const OTHERS = 60_000;

it('are dropped, moved and erased by their keys, beside those of other accounts and of another project', async () => {
  const database = await createTestDatabase();
  const masterKey = generateMasterKey();
  const [owner, all] = [await connectAs(database, 'owner'), await connectAs(database, 'vouchgraph_system')];
  const run = async <T>(work: (part: Gateway) => Promise<T>): Promise<T> => {
    const part = await startGateway({ database, masterKey, worksInBackground: false });
    return work(part).finally(part.close);
  };
  const { first, second } = nearEmails();
  const project = await run(async (part) => {
    const created = await part.project();
    await created.authenticate({ id: 'a', email: first, ...PERSON });
    return created;
  });
  const other = await run((part) => part.project());
  // The same keys in another project, and keys of others.
  const { rowCount: equal } = await all.query(
    `insert into blocking_keys (project_id, account_id, kind, value_hash, account_group)
     select $2, account_id, kind, value_hash, account_group from blocking_keys where project_id = $1`,
    [project.projectId, other.projectId],
  );
  await all.query(
    `insert into blocking_keys (project_id, account_id, kind, value_hash)
     select $1, gen_random_uuid(), 9, substr(decode(md5(n::text), 'hex'), 1, 8) from generate_series(1, $2::int) n`,
    [project.projectId, OTHERS],
  );
  await owner.query('vacuum analyze blocking_keys');
  const before = await blocksRead(owner);
  await run(async (part) => {
    const client = projectClient(part.baseUrl, project.projectId, project.key);
    for (const body of [{ group: 'eu' }, { email: second }, { group: '', email: first }])
      expect((await client.rest('PUT', '/account/a', body)).status).toBe(200);
    expect((await client.rest('DELETE', '/account/a')).status).toBe(200);
  });
  const read = (await blocksRead(owner)) - before;
  // An index of 60,000 keys has 600 blocks.
  expect(read).toBeLessThan(600);
  const { rows } = await all.query(
    'select project_id, count(*)::int from blocking_keys group by project_id order by count',
  );
  expect(rows).toEqual([
    { project_id: other.projectId, count: equal },
    { project_id: project.projectId, count: OTHERS },
  ]);
  await Promise.all([owner.end(), all.end()]);
  await database.drop();
});

/** Blocks of the only index that were read, also by gateways that have ended: they report it at the latest then. */
async function blocksRead(owner: pg.Client): Promise<number> {
  const gateways = `select from pg_stat_activity where datname = current_database() and application_name like 'vouchgraph%'`;
  await expect.poll(async () => (await owner.query(gateways)).rowCount).toBe(0);
  const { rows } = await owner.query(
    `select (idx_blks_hit + idx_blks_read)::int as blocks from pg_statio_user_indexes where relname = 'blocking_keys'`,
  );
  return rows[0].blocks;
}
