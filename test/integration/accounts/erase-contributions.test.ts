import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let owner: pg.Client;
let app: pg.Client;

beforeAll(async () => {
  gateway = await startGateway();
  owner = await connectAs(gateway.database, 'owner');
  app = await connectAs(gateway.database, 'vouchgraph_app');
});
afterAll(async () => {
  await Promise.all([owner.end(), app.end()]);
  await gateway.close();
});

/** Columns of all tables, without partitions. `refers`: by its name it contains the id of an account. */
const COLUMNS = `
  select c.table_name as table, c.column_name as column, c.data_type as type, c.is_nullable = 'NO' as required,
    c.column_default is not null or c.is_identity = 'YES' or c.is_generated = 'ALWAYS' as has_default,
    c.column_name ~ '(^|_)account_id$' as refers
  from information_schema.columns c join pg_class t on t.relname = c.table_name
  where c.table_schema = 'public' and t.relnamespace = 'public'::regnamespace and t.relkind in ('r', 'p')
    and not t.relispartition and c.table_name <> 'accounts'
  order by c.table_name, c.ordinal_position`;

type Column = {
  table: string;
  column: string;
  type: string;
  required: boolean;
  has_default: boolean;
  refers: boolean;
};

/** Any value of a type. */
const VALUES: Record<string, string> = {
  uuid: 'gen_random_uuid()',
  text: `md5(random()::text)`,
  bytea: `decode(md5(random()::text), 'hex')`,
  smallint: '1',
  integer: '1',
  bigint: '1',
  'double precision': '1',
  boolean: 'false',
  jsonb: `'{}'`,
  ARRAY: `'{}'`,
  'timestamp with time zone': 'now()',
};

/** Columns that refer to the row of another table. */
const PARENTS = `
  select c.conrelid::regclass::text as table, a.attname as column, c.confrelid::regclass::text as parent, p.attname as key
  from pg_constraint c cross join lateral unnest(c.conkey, c.confkey) as k (own, parent)
  join pg_attribute a on a.attrelid = c.conrelid and a.attnum = k.own
  join pg_attribute p on p.attrelid = c.confrelid and p.attnum = k.parent
  where c.contype = 'f' and a.attname <> 'project_id'`;

type Parent = { table: string; column: string; parent: string; key: string };
type Schema = { tables: Map<string, Column[]>; parents: readonly Parent[] };

/** Inserts a row with these values, any other ones where they are required, and the rows that it refers to. */
async function insertRow(schema: Schema, table: string, values: Record<string, string>): Promise<void> {
  const columns = schema.tables.get(table)!;
  const isWritten = ({ column, required, has_default }: Column) =>
    column in values || (required && !has_default);
  const written = columns.filter(isWritten);
  const known = { ...values };
  for (const { column, parent, key } of schema.parents.filter((one) => one.table === table)) {
    if (!written.some((one) => one.column === column)) continue;
    known[column] ??= randomUUID();
    await insertRow(schema, parent, { project_id: values.project_id!, [key]: known[column] });
  }
  const sources = written.map(({ column, type }) => (column in known ? `'${known[column]}'` : VALUES[type]));
  await app.query(
    `insert into ${table} (${written.map(({ column }) => column)}) values (${sources}) on conflict do nothing`,
  );
}

it('an erasure deletes the rows of every table that has a column for accounts', async () => {
  const project = await gateway.project();
  await app.query(`select set_config('app.project', $1, false)`, [project.projectId]);
  const [id, other] = [unique('erased'), unique('other')];
  await project.authenticate({ id, email: `${id}@acme-widgets.com` });
  await project.authenticate({ id: other });
  const { rows: ids } = await app.query('select account_id, id from accounts where account_id = any($1)', [
    [id, other],
  ]);
  const internal = new Map<string, string>(ids.map((row) => [row.account_id, row.id]));
  const { rows } = await owner.query<Column>(COLUMNS);
  const { rows: parents } = await owner.query<Parent>(PARENTS);
  const schema = { tables: Map.groupBy(rows, ({ table }) => table), parents };
  const referring = rows.filter(({ refers }) => refers);
  // Each column in a separate row, whose other columns contain the other account.
  const idIn = (of: string, { type }: Column) => (type === 'uuid' ? internal.get(of)! : of);
  for (const column of referring) {
    // Rows of the account's own keys, which an erasure finds by the account's row.
    if (column.table === 'blocking_keys') continue;
    const columns = schema.tables.get(column.table)!;
    const others = columns
      .filter((one) => one.refers && one.required)
      .map((one) => [one.column, idIn(other, one)]);
    const values = { project_id: project.projectId, ...Object.fromEntries(others) };
    await insertRow(schema, column.table, { ...values, [column.column]: idIn(id, column) });
  }
  const left = async () => {
    const found: string[] = [];
    for (const column of referring) {
      const { rowCount } = await app.query(
        `select 1 from ${column.table} where project_id = $1 and ${column.column} = $2`,
        [project.projectId, idIn(id, column)],
      );
      if (rowCount! > 0) found.push(`${column.table}.${column.column}`);
    }
    return found;
  };
  const all = referring.map(({ table, column }) => `${table}.${column}`);
  expect(all).toEqual(
    expect.arrayContaining(['links.linked_account_id', 'verification_sessions.bound_account_id']),
  );
  // The background recalculation may have processed the rows of identities and flags.
  const stays = all.filter((one) => !one.startsWith('identity_') && !one.startsWith('standing_flags.'));
  expect(await left()).toEqual(expect.arrayContaining(stays));

  expect((await project.rest('DELETE', `/account/${id}`)).body.success).toBe(true);
  // The pending recalculation contains the account's id until it is processed.
  await gateway.app.recalculateLinks(project.projectId);
  expect(await left()).toEqual([]);
});
