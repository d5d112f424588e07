import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { runCommand } from '../../support/run-command.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  await project.authenticate({ id: 'a', phone: '+14155552671' });
  await project.authenticate({ id: 'b', phone: '+14155552671' });
  await project.authenticate({ id: 'c', phone: '+14155552671', email: 'c@example.com' });
  await project.authenticate({ id: 'd', email: 'c@example.com' });
  await project.authenticate({ id: 'alone' });
});
afterAll(() => gateway.close());

async function check(...options: string[]) {
  const args = ['links', 'rebuild', project.projectId, '--check', ...options];
  const { code, output, errors } = await runCommand(args, {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
  });
  return { code, output: output + errors };
}

it('links rebuild --check counts each link once, with and without --json', async () => {
  const [text, json] = await Promise.all([check(), check('--json')]);
  expect(text).toEqual({ code: 0, output: expect.stringContaining('Compared 5 accounts and 4 links.\n') });
  expect(json.code).toBe(0);
  expect(JSON.parse(json.output)).toMatchObject({ right: true, accounts: 5, links: 4 });
});
