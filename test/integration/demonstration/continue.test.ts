import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import {
  CREATE,
  cleared,
  countAccounts,
  DEMONSTRATION_ACCOUNTS,
  settleAll,
  stateOfDemonstration,
} from '../../support/demonstrations.ts';
import { type Gateway, projectClient, startOwnGateway, type TestProject } from '../../support/gateway.ts';
import { killInside } from '../../support/killed-gateway.ts';
import { connectAs } from '../../support/sql.ts';

/* A gateway is killed while it fills a project; another one continues, or removes the set. */

const TIMEOUT_MS = 240_000;

const masterKey = generateMasterKey();
let database: TestDatabase;
let gateway: Gateway;
beforeAll(async () => {
  database = await createTestDatabase();
  gateway = await startOwnGateway({ database, masterKey, worksInBackground: false });
});
afterAll(async () => {
  await gateway.close();
  await database.drop();
});

/** A project whose filling was interrupted by the end of its gateway inside of a change, and whose lease has expired. */
async function interrupted(change: { table: string; when: string }): Promise<TestProject> {
  const project = await gateway.project();
  const begin = (baseUrl: string) => projectClient(baseUrl, project.projectId, project.key).graphql(CREATE);
  await killInside({ database, masterKey, change, begin });
  const client = await connectAs(database, 'vouchgraph_system');
  const values = [project.projectId];
  await client.query('update demonstration_data set claimable_at = now() where project_id = $1', values);
  await client.end();
  expect(await stateOfDemonstration(project)).toMatchObject({ demonstrationState: 'FILLING' });
  return project;
}

// A step that was executed and not saved, and a session that no account was authenticated with.
const SAVE = { table: 'demonstration_data', when: 'new.done = 40' };
const AUTHENTICATE = { table: 'accounts', when: 'new.num_sessions = 2' };

it.each([SAVE, AUTHENTICATE])(
  'another gateway continues after a kill: %j',
  { timeout: TIMEOUT_MS },
  async (change) => {
    const project = await interrupted(change);
    await settleAll(gateway, project);
    expect(await stateOfDemonstration(project)).toMatchObject({ demonstrationState: 'FILLED', progress: 1 });
    expect(await countAccounts(project)).toBe(DEMONSTRATION_ACCOUNTS);
    const { lists, rules } = await project.graphql(
      '{ lists(first: 20) { edges { node { name } } } rules(first: 20) { edges { node { name } } } }',
    );
    expect([lists.edges.length, rules.edges.length]).toEqual([6, 3]);
  },
);

it.each([SAVE, AUTHENTICATE])(
  'another gateway removes it after a kill: %j',
  { timeout: TIMEOUT_MS },
  async (change) => {
    const project = await interrupted(change);
    await cleared(gateway, project);
    expect(await stateOfDemonstration(project)).toBeNull();
    const { accounts, sessions, rules } =
      await project.graphql(`{ accounts(first: 1) { edges { node { accountId } } }
    sessions(first: 1) { edges { node { sessionId } } } rules(first: 1) { edges { node { name } } } }`);
    expect([accounts.edges, sessions.edges, rules.edges]).toEqual([[], [], []]);
  },
);
