import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let owner: pg.Client;

beforeAll(async () => {
  gateway = await startGateway();
  owner = await connectAs(gateway.database, 'owner');
});
afterAll(async () => {
  await owner.end();
  await gateway.close();
});

/** Columns of tables, without partitions; all columns whose names say that they contain the id of an account, and one more. */
const COLUMNS = `
  select c.table_name as table, c.column_name as column, c.data_type as type, c.is_nullable = 'NO' as required,
    c.column_default is not null or c.is_identity = 'YES' or c.is_generated = 'ALWAYS' as has_default,
    c.column_name ~ '(^|_)account_id$' or (c.table_name, c.column_name) = ('idempotency_subjects', 'subject') as refers
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

/** Inserts a row of any values, but for the project and these columns. */
async function insertRow(columns: readonly Column[], values: Record<string, string>): Promise<void> {
  const written = columns.filter(
    ({ column, required, has_default }) => column in values || (required && !has_default),
  );
  const sources = written.map(({ column, type }) =>
    column in values ? `'${values[column]}'` : VALUES[type],
  );
  const names = written.map(({ column }) => column);
  await owner.query(`insert into ${columns[0]!.table} (${names}) values (${sources})`);
}

it('erases the rows of every table that has a column for accounts', async () => {
  const project = await gateway.project();
  const [id, other] = [unique('erased'), unique('other')];
  await project.authenticate({ id });
  await project.authenticate({ id: other });
  const { rows: ids } = await owner.query('select account_id, id from accounts where account_id = any($1)', [
    [id, other],
  ]);
  const internal = new Map<string, string>(ids.map((row) => [row.account_id, row.id]));
  const { rows } = await owner.query<Column>(COLUMNS);
  const tables = Map.groupBy(rows, ({ table }) => table);
  const referring = rows.filter(({ refers }) => refers);
  // Each column in a row of its own, the rest of which names the other account.
  const idIn = (of: string, { type }: Column) => (type === 'uuid' ? internal.get(of)! : of);
  for (const column of referring) {
    const columns = tables.get(column.table)!;
    const others = columns
      .filter((one) => one.refers && one.required)
      .map((one) => [one.column, idIn(other, one)]);
    const values = { project_id: project.projectId, ...Object.fromEntries(others) };
    await insertRow(columns, { ...values, [column.column]: idIn(id, column) });
  }
  const left = async () => {
    const found: string[] = [];
    for (const column of referring) {
      const { rowCount } = await owner.query(
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
  expect(await left()).toEqual(all);

  expect((await project.rest('DELETE', `/account/${id}`)).body.success).toBe(true);
  // The pending recalculation names the account until it is done.
  await gateway.app.settleLinks(project.projectId);
  expect(await left()).toEqual([]);
});
