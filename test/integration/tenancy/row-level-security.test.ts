import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let ours: TestProject;
let theirs: TestProject;
const id = unique('same-id');

beforeAll(async () => {
  gateway = await startGateway();
  ours = await gateway.project();
  theirs = await gateway.project();
  for (const project of [ours, theirs]) {
    await project.authenticate(
      { id, phone: '+14155550100', lists: ['regulars'] },
      { device_id: 'd', ip_address: '8.8.8.8' },
    );
    await project.authenticate({ id: `${id}-2`, phone: '+14155550100' });
  }
});
afterAll(() => gateway.close());

async function asRole<T>(role: string | null, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(gateway.database.ownerUrl);
  if (role) url.searchParams.set('options', `-c role=${role}`);
  const client = new pg.Client({ connectionString: url.toString() });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

const tablesOf = async (client: pg.Client): Promise<string[]> => {
  const { rows } = await client.query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and relname <> '_prisma_migrations' order by 1`,
  );
  return rows.map((row) => row.relname);
};

describe('the application role', () => {
  it('sees no row of any table without a project', async () => {
    await asRole('vouchgraph_app', async (client) => {
      const tables = await tablesOf(client);
      expect(tables.length).toBeGreaterThan(12);
      for (const table of tables) {
        expect((await client.query(`select 1 from ${table}`)).rows, table).toEqual([]);
      }
    });
  });

  it('cannot write a row without a project, or of another one', async () => {
    await asRole('vouchgraph_app', async (client) => {
      const insert = 'insert into lists (project_id, list_id, name) values ($1, gen_random_uuid(), $2)';
      await expect(client.query(insert, [ours.projectId, 'x'])).rejects.toThrow(/row-level security/);
      await client.query(`select set_config('app.project', $1, false)`, [theirs.projectId]);
      await expect(client.query(insert, [ours.projectId, 'x'])).rejects.toThrow(/row-level security/);
      await client.query(insert, [theirs.projectId, unique('own')]);
    });
  });

  it('sees the rows of its project and no other, whatever it asks for', async () => {
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

  it('may not become the system, create a project, or change the audit log', async () => {
    await asRole('vouchgraph_app', async (client) => {
      await client.query(`select set_config('app.project', $1, false)`, [ours.projectId]);
      await expect(
        client.query(`insert into projects values ($1, 'x', 'sandbox', '{}', '\\x00')`, [ours.projectId]),
      ).rejects.toThrow(/permission denied/);
      await expect(client.query('delete from audit_log')).rejects.toThrow(/permission denied/);
    });
  });
});

describe('a statement that forgets its project', () => {
  it('still returns rows of the one it is bound to only', async () => {
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

describe('connections that go from hand to hand', () => {
  it('never show one project to another, raw or through Prisma', async () => {
    const reads = Array.from({ length: 800 }, async (_, index) => {
      const { projectId } = index % 2 ? ours : theirs;
      const database = gateway.app.database.forProject(projectId);
      if (index % 4 < 2) {
        const list = await database.prisma.list.findUnique({
          where: { projectId_name: { projectId, name: 'regulars' } },
        });
        return list?.projectId === projectId;
      }
      const rows = await database.query(
        { name: 'test.read', text: 'select project_id from accounts where project_id = $1' },
        [projectId],
      );
      return rows.length === 2 && rows.every((row) => row.project_id === projectId);
    });
    expect((await Promise.all(reads)).filter((isRight) => !isRight)).toEqual([]);
  });
});

describe('two projects with equal ids', () => {
  it('are not linked, and do not see each other by any id', async () => {
    const { account } = await ours.graphql(
      `query ($id: ID!) { account(id: $id) { id lastSessionId linkedAccounts { edges { cursor node { id accountId } } } } }`,
      { id },
    );
    expect(
      account.linkedAccounts.edges.map((edge: { node: { accountId: string } }) => edge.node.accountId),
    ).toEqual([`${id}-2`]);
    const seen = await theirs.graphql(
      `query ($node: ID!, $session: ID!) { node(id: $node) { id } nodes(ids: [$node]) { id } session(id: $session) { id } }`,
      { node: account.id, session: account.lastSessionId },
    );
    expect(seen).toEqual({ node: null, nodes: [null], session: null });
    const { cursor } = account.linkedAccounts.edges[0];
    const foreign = await theirs.rawGraphql(
      'query ($id: ID!, $after: String) { account(id: $id) { linkedAccounts(after: $after) { edges { cursor } } } }',
      { id, after: cursor },
    );
    expect(foreign.body.errors[0].message).toMatch(/Invalid cursor/);
  });
});

describe('personal data', () => {
  it('stands nowhere in the database in the clear', async () => {
    const planted = {
      email: `${unique('mail')}@example.com`,
      phone: `+1415${String(Date.now()).slice(-7)}`,
      first_name: unique('First'),
      last_name: unique('Last'),
      username: unique('user'),
      metadata: { note: unique('metadata') },
    };
    const agent = unique('Agent');
    await ours.authenticate(
      { id: unique('sealed'), ...planted },
      {
        ip_address: '203.119.7.9',
        browser: { user_agent: agent },
      },
    );
    const values = [
      ...Object.values(planted).filter((value) => typeof value === 'string'),
      planted.metadata.note,
      agent,
      '203.119.7.9',
    ];
    await asRole('vouchgraph_system', async (client) => {
      for (const table of await tablesOf(client)) {
        const { rows } = await client.query(`select t::text as row from ${table} t`);
        const text = rows.map(({ row }) => row + bytesOf(row)).join('\n');
        for (const value of values) expect(text.includes(value), `${value} in ${table}`).toBe(false);
      }
    });
  });
});

/** What the bytea values of a row say when they are read as text. */
function bytesOf(row: string): string {
  return [...row.matchAll(/\\\\x([0-9a-f]+)/g)]
    .map(([, hex]) => Buffer.from(hex!, 'hex').toString('latin1'))
    .join(' ');
}
