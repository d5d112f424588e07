import { systemClock } from '@vouchgraph/platform/clock';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createStatsRebuildService } from '../../../src/domain/stats/rebuild-service.ts';
import { type GatewayProcess, makeFolder, run, until } from '../../acceptance/gateway-process.ts';
import { type Body, type Gateway, projectClient, startGateway } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/* A gateway is killed while it counts: another one counts the rest, and a rebuild finds no difference. */
const CRASHES = 3;
const AUTHENTICATES = 40;
const WAIT_TIMEOUT_MS = 120_000;

const masterKey = generateMasterKey();
let gateway: Gateway;
let folder: string;
let removeFolder: () => Promise<void>;
let child: GatewayProcess | null = null;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  ({ folder, remove: removeFolder } = await makeFolder());
});
afterAll(async () => {
  child?.signal('SIGKILL');
  await child?.exited;
  await gateway.close();
  await removeFolder();
});

async function startChild(): Promise<{ process: GatewayProcess; baseUrl: string }> {
  const process = run(['serve'], {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
    DATA_DIR: folder,
    PORT: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
    LOG_LEVEL: 'silent',
  });
  child = process;
  const address = async () => /answers on (http:\S+)/.exec(process.output())?.[1];
  return { process, baseUrl: await until('an address', address, WAIT_TIMEOUT_MS) };
}

it('counts are neither lost nor repeated when a gateway is killed', {
  timeout: WAIT_TIMEOUT_MS * 2,
}, async () => {
  const { projectId, key } = await gateway.project();
  const system = await connectAs(gateway.database, 'vouchgraph_system');
  const counters = async () =>
    (
      await system.query(
        'select hour, kind, key, value from project_counters where project_id = $1 order by hour, kind, key',
        [projectId],
      )
    ).rows as Body[];
  try {
    for (let crash = 0; crash < CRASHES; crash += 1) {
      const { process, baseUrl } = await startChild();
      const client = projectClient(baseUrl, projectId, key);
      const killAt = Math.floor(Math.random() * AUTHENTICATES);
      for (let index = 0; index < AUTHENTICATES; index += 1) {
        if (index === killAt) process.signal('SIGKILL');
        const failed = await client.authenticate({ id: `account-${index % 7}` }).then(
          () => false,
          () => true,
        );
        if (failed) break;
      }
      process.signal('SIGKILL');
      await process.exited;
    }
    await expect
      .poll(async () => {
        await gateway.app.settleStats(projectId);
        const { rows } = await system.query(
          `select (select count(*)::int from decisions where project_id = $1)
               - (select coalesce(sum(value), 0)::int from project_counters where project_id = $1 and kind = 'decision') as left`,
          [projectId],
        );
        return rows[0].left;
      })
      .toBe(0);
    const counted = await counters();
    expect(counted.length).toBeGreaterThan(0);
    const project = (await gateway.app.parts.storage.access.findProjectById(projectId))!;
    const viewer = { project, kind: 'key', role: 'operator', actor: 'test', limitKey: 'test' } as const;
    await createStatsRebuildService({ system: gateway.app.database.system, clock: systemClock }).rebuild(
      viewer,
    );
    expect(await counters()).toEqual(counted);
  } finally {
    await system.end();
  }
});
