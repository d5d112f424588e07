import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type GatewayProcess, makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { expectPresentStandings } from '../../support/standings.ts';

/* A gateway is killed in the middle of a recalculation of all accounts; the next ones continue where it stopped. */

const ACCOUNTS = 130;
const WAIT_TIMEOUT_MS = 120_000;

const masterKey = generateMasterKey();
let database: TestDatabase;
let gateway: Gateway;
let project: TestProject;
let folder: Awaited<ReturnType<typeof makeFolder>>;
let victim: GatewayProcess | undefined;
const others: Gateway[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  folder = await makeFolder();
  gateway = await startGateway({ database, masterKey, recalculatesLinks: false });
  project = await gateway.project();
  for (let from = 0; from < ACCOUNTS; from += 10)
    await Promise.all(
      Array.from({ length: 10 }, (_, index) => project.authenticate({ id: `account-${from + index}` })),
    );
});
afterAll(async () => {
  victim?.signal('SIGKILL');
  await victim?.exited;
  for (const other of others) await other.close();
  await gateway.close();
  await database.drop();
  await folder.remove();
});

function startVictim(): GatewayProcess {
  victim = run(['serve'], {
    DATABASE_URL: database.ownerUrl,
    MASTER_KEY: masterKey,
    DATA_DIR: folder.folder,
    RATE_LIMIT_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
    LOG_LEVEL: 'silent',
  });
  return victim;
}

it('other gateways complete the recalculation of a killed gateway', {
  timeout: WAIT_TIMEOUT_MS * 2,
}, async () => {
  const client = await connectAs(database, 'vouchgraph_system');
  const blocker = await connectAs(database, 'vouchgraph_system');
  const query = async (text: string) => (await client.query(text, [project.projectId])).rows;
  const positions = () => query('select position from standing_recalculations where project_id = $1');
  const outdated = () =>
    query(`select account_id from account_standing where project_id = $1 and decision <> 'Fake'`);
  try {
    const rows = await query('select id from accounts where project_id = $1 order by id');
    expect(rows).toHaveLength(ACCOUNTS);
    await project.graphql(
      'mutation { updateProjectSettings(input: { suspiciousFrom: 0, fakeFrom: 0, confirm: true }) { requestId } }',
    );
    expect(await outdated()).toHaveLength(ACCOUNTS);
    // The second page waits for the row of its last account.
    await blocker.query('begin');
    await blocker.query('select from account_standing where project_id = $1 and account_id = $2 for update', [
      project.projectId,
      rows[99]!.id,
    ]);
    const first = startVictim();
    await until(
      'the first page',
      async () => (await positions()).some(({ position }) => position !== NIL_UUID),
      WAIT_TIMEOUT_MS,
    );
    first.signal('SIGKILL');
    await first.exited;
    expect(await positions()).toEqual([{ position: rows[49]!.id }]);
    const left = await outdated();
    expect(left).toHaveLength(ACCOUNTS - 50);
    await blocker.query('rollback');

    for (let count = 0; count < 2; count += 1) others.push(await startGateway({ database, masterKey }));
    await until('the end', async () => (await positions()).length === 0, WAIT_TIMEOUT_MS);
    expect(await outdated()).toEqual([]);
    await expectPresentStandings(database, project);
  } finally {
    await client.end();
    await blocker.end();
  }
});
