import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';
import { connectAs } from '../../support/sql.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  for (const id of ['a', 'b', 'b']) await project.authenticate({ id });
});
afterAll(() => gateway.close());

async function rebuild(...args: string[]) {
  const { code, output, errors } = await runCommand(['stats', 'rebuild', ...args], {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
  });
  return { code, output: output + errors };
}

it('stats rebuild recounts a project that lost its counters while a gateway runs', async () => {
  await gateway.app.settleStats(project.projectId);
  const system = await connectAs(gateway.database, 'vouchgraph_system');
  try {
    const counters = async () =>
      (
        await system.query(
          'select kind, key, value from project_counters where project_id = $1 order by 1, 2',
          [project.projectId],
        )
      ).rows;
    const counted = await counters();
    expect(counted).toEqual(
      expect.arrayContaining([
        { kind: 'session', key: 'bound', value: '3' },
        { kind: 'session', key: 'completed', value: '3' },
      ]),
    );
    await system.query('delete from project_counters where project_id = $1', [project.projectId]);
    const json = await rebuild(project.projectId, '--json');
    expect(json.code).toBe(0);
    expect(JSON.parse(json.output).completed).toBe(true);
    expect(await counters()).toEqual(counted);
    const text = await rebuild(project.projectId);
    expect(text).toEqual({ code: 0, output: expect.stringMatching(/^Recounted \d hours? with decisions/) });
    expect(await counters()).toEqual(counted);
  } finally {
    await system.end();
  }
});

it('stats rebuild rejects an unknown project', async () => {
  const { code, output } = await rebuild('00000000-0000-7000-8000-000000000000');
  expect(code).toBe(1);
  expect(output).toMatch(/Project not found/i);
});
