import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
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

/** The account's keys as `kind:hash`, as rows and in its own row, and the group of the rows. */
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

it('of a change that fails leave no row', async () => {
  const project = await gateway.project();
  const { first } = nearEmails();
  await project.authenticate({ id: 'a', email: first });
  const before = await keysOf(project, 'a');
  const { status } = await project.rest('PUT', '/account/a', {
    email: 'zoe@acme-widgets.com',
    date_of_birth: 'never',
  });
  expect(status).toBe(400);
  expect(await keysOf(project, 'a')).toEqual(before);
});

it('of another project link no accounts', async () => {
  const { first, second } = nearEmails();
  const [one, other] = [await gateway.project(), await gateway.project()];
  await one.authenticate({ id: 'a', email: first, ...PERSON });
  await other.authenticate({ id: 'b', email: second, ...PERSON });
  const [mine, theirs] = [await keysOf(one, 'a'), await keysOf(other, 'b')];
  expect(mine.keys.filter((key) => theirs.keys.includes(key))).toEqual([]);
  expect(await linkedTo(one, 'a')).toEqual([]);
});
