import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs, tablesOf } from '../../support/sql.ts';

let gateway: Gateway;
let ours: TestProject;
let theirs: TestProject;
const id = unique('same-id');

beforeAll(async () => {
  gateway = await startOwnGateway();
  ours = await gateway.project();
  theirs = await gateway.project();
  for (const project of [ours, theirs]) {
    await project.authenticate(
      { id, phone: '+14155550100', lists: ['regulars'] },
      { device_id: 'd', ip_address: '8.8.8.8' },
    );
    await project.authenticate({ id: `${id}-2`, phone: '+14155550100' });
    await project.rest('POST', '/email', { emails: [{ email: 'ada@example.com' }] });
    await gateway.app.settleEmailChecks(project.projectId);
  }
});
afterAll(() => gateway.close());

async function asRole<T>(
  role: 'vouchgraph_app' | 'vouchgraph_system' | 'owner',
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = await connectAs(gateway.database, role);
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Number of rows of each table that this connection reads. */
async function visibleRows(client: pg.Client): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await tablesOf(client)) {
    counts[table] = (await client.query(`select count(*)::int as rows from ${table}`)).rows[0].rows;
  }
  return counts;
}

describe('the application role', () => {
  it('sees no row of any table without a project, where the system sees many', async () => {
    const all = await asRole('vouchgraph_system', visibleRows);
    expect(Object.keys(all).length).toBeGreaterThan(12);
    expect(all).toMatchObject({ projects: 2, accounts: 4, sessions: 4, links: 4, lists: 8, list_members: 2 });
    expect(all).toMatchObject({ email_checks: 2, email_batches: 2 });
    for (const [table, rows] of Object.entries(await asRole('vouchgraph_app', visibleRows))) {
      expect(rows, table).toBe(0);
    }
  });

  it('cannot write a row of any table without a project, or of another one', async () => {
    const rows = await asRole('vouchgraph_system', async (client) => {
      const found: [table: string, row: string][] = [];
      for (const table of await tablesOf(client)) {
        const sql = `select t::text as row from ${table} t where project_id = $1 limit 1`;
        const [first] = (await client.query(sql, [ours.projectId])).rows;
        if (first) found.push([table, first.row]);
      }
      return found;
    });
    expect(rows.map(([table]) => table)).toEqual(
      expect.arrayContaining([
        'accounts',
        'email_batches',
        'email_checks',
        'identifiers',
        'links',
        'sessions',
      ]),
    );
    await asRole('vouchgraph_app', async (client) => {
      for (const project of ['', theirs.projectId]) {
        await client.query(`select set_config('app.project', $1, false)`, [project]);
        for (const [table, row] of rows) {
          const insert = client.query(`insert into ${table} select ($1::${table}).*`, [row]);
          await expect(insert, table).rejects.toThrow(/row-level security|permission denied/);
          const update = await client
            .query(`update ${table} set project_id = project_id`)
            .catch((error) => error);
          if (update instanceof Error) expect(update.message, table).toMatch(/permission denied/);
        }
      }
      const insert = 'insert into lists (project_id, list_id, name) values ($1, gen_random_uuid(), $2)';
      await client.query(insert, [theirs.projectId, unique('own')]);
    });
  });

  it('sees the rows of its project only, for any query', async () => {
    await asRole('vouchgraph_app', async (client) => {
      await client.query(`select set_config('app.project', $1, false)`, [ours.projectId]);
      for (const table of await tablesOf(client)) {
        const { rows } = await client.query(`select distinct project_id from ${table}`);
        expect(
          rows.filter((row) => row.project_id !== ours.projectId),
          table,
        ).toEqual([]);
      }
      expect((await client.query('select 1 from accounts')).rows).toHaveLength(2);
    });
  });

  it('cannot become the system role, create a project, or change the audit log', async () => {
    await asRole('vouchgraph_app', async (client) => {
      await client.query(`select set_config('app.project', $1, false)`, [ours.projectId]);
      await expect(
        client.query(
          `insert into projects (project_id, name, environment, encrypted_key) values ($1, 'x', 'sandbox', '\\x00')`,
          [ours.projectId],
        ),
      ).rejects.toThrow(/permission denied/);
      await expect(client.query('delete from audit_log')).rejects.toThrow(/permission denied/);
    });
  });
});

describe('the owner of the tables', () => {
  it('reads no row, and writes none', async ({ skip }) => {
    await asRole('owner', async (client) => {
      const { rows: version } = await client.query('show server_version_num');
      if (Number(version[0].server_version_num) < 160_000)
        skip('before PostgreSQL 16 a member of a role always has its rights');
      await client.query(`select set_config('app.project', $1, false)`, [ours.projectId]);
      for (const [table, rows] of Object.entries(await visibleRows(client))) expect(rows, table).toBe(0);
      await expect(
        client.query(`insert into lists (project_id, list_id, name) values ($1, gen_random_uuid(), 'x')`, [
          ours.projectId,
        ]),
      ).rejects.toThrow(/row-level security/);
    });
  });
});

describe('a statement without a project condition', () => {
  it('still returns only rows of the project of its connection', async () => {
    const database = gateway.app.database.forProject(ours.projectId);
    const rows = await database.query(
      { name: 'test.forgetful', text: 'select project_id from accounts' },
      [],
    );
    expect(rows.map((row) => row.project_id)).toEqual([ours.projectId, ours.projectId]);
    const lists = await database.prisma.list.findMany({});
    expect(new Set(lists.map((list) => list.projectId))).toEqual(new Set([ours.projectId]));
  });
});

describe('shared connections', () => {
  it('never return rows of one project to another, raw or through Prisma', async () => {
    const projects = [ours.projectId, theirs.projectId];
    async function readsOwnRows(index: number): Promise<boolean> {
      const projectId = projects[index % 2]!;
      const database = gateway.app.database.forProject(projectId);
      if (index % 4 < 2) {
        const lists = await database.prisma.list.findMany({});
        return lists.length >= 4 && lists.every((list) => list.projectId === projectId);
      }
      if (index % 8 < 4) {
        const read = { name: 'test.read', text: 'select project_id from accounts' };
        const rows = await database.query(read, []);
        return rows.length === 2 && rows.every((row) => row.project_id === projectId);
      }
      return database.transaction(async (transaction) => {
        const read = { name: 'test.read', text: 'select project_id from accounts' };
        const [rows] = await transaction.run([read, []]);
        return rows!.length === 2 && rows!.every((row) => row.project_id === projectId);
      });
    }
    for (let batch = 0; batch < 10; batch += 1) {
      const reads = await Promise.all(Array.from({ length: 200 }, (_, index) => readsOwnRows(index)));
      expect(reads.filter((isRight) => !isRight)).toEqual([]);
    }
  });

  it('keep their project after a statement that failed', async () => {
    const broken = { name: 'test.broken', text: 'select 1 / (select count(*) from accounts where false)' };
    const read = { name: 'test.distinct', text: 'select distinct project_id from accounts' };
    for (let round = 0; round < 20; round += 1) {
      const results = await Promise.all(
        [ours, theirs, ours, theirs].map(async ({ projectId }, index) => {
          const database = gateway.app.database.forProject(projectId);
          if (index < 2)
            return database.query(broken, []).then(
              () => 'answered',
              () => 'failed',
            );
          return (await database.query(read, [])).map((row) => row.project_id).join();
        }),
      );
      expect(results).toEqual(['failed', 'failed', ours.projectId, theirs.projectId]);
    }
  });
});

describe('two projects with equal ids', () => {
  it('are not linked, and do not read each other by any id', async () => {
    const { account } = await ours.graphql(
      `query ($id: ID!) { account(accountId: $id) { id lastSessionId linkedAccounts { edges { cursor node { id accountId } } } } }`,
      { id },
    );
    expect(
      account.linkedAccounts.edges.map((edge: { node: { accountId: string } }) => edge.node.accountId),
    ).toEqual([`${id}-2`]);
    const seen = await theirs.graphql(
      `query ($node: ID!, $session: ID!) { node(id: $node) { id } nodes(ids: [$node]) { id } session(sessionId: $session) { id } }`,
      { node: account.id, session: account.lastSessionId },
    );
    expect(seen).toEqual({ node: null, nodes: [null], session: null });
    const { cursor } = account.linkedAccounts.edges[0];
    const foreign = await theirs.rawGraphql(
      'query ($id: ID!, $after: String) { account(accountId: $id) { linkedAccounts(after: $after) { edges { cursor } } } }',
      { id, after: cursor },
    );
    expect(foreign.body.errors[0].message).toBe(
      'after: must be a cursor of an earlier response to the same query with the same arguments',
    );
  });
});
