import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { CREATE, cleared, settleAll, stateOfDemonstration } from '../../support/demonstrations.ts';
import { type Gateway, projectClient, startOwnGateway } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/* A gateway stands still inside of a step for longer than its lease. Another one removes the set meanwhile. */

const TIMEOUT_MS = 600_000;

const masterKey = generateMasterKey();
let database: TestDatabase;
let stalled: Gateway;
let other: Gateway;
beforeAll(async () => {
  database = await createTestDatabase();
  stalled = await startOwnGateway({ database, masterKey, worksInBackground: false });
  other = await startOwnGateway({ database, masterKey, worksInBackground: false });
});
afterAll(async () => {
  await other.close();
  await stalled.close();
  await database.drop();
});

it('a step that continues after the removal leaves nothing behind', { timeout: TIMEOUT_MS }, async () => {
  const project = await stalled.project();
  const { projectId } = project;
  const { sessions } = stalled.app.parts.domain.services;
  const simulate = sessions.simulate;
  const [reached, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const simulating = vi.spyOn(sessions, 'simulate').mockImplementationOnce(async (...args) => {
    reached.resolve();
    await released.promise;
    return simulate(...args);
  });
  await project.graphql(CREATE);
  const filling = stalled.app.settleDemonstration(projectId);
  await reached.promise;

  const client = await connectAs(database, 'vouchgraph_system');
  await client.query('update demonstration_data set claimable_at = now() where project_id = $1', [projectId]);
  await client.end();
  const there = projectClient(other.baseUrl, projectId, project.key);
  await cleared(other, there);
  expect(await stateOfDemonstration(there)).toBeNull();

  released.resolve();
  await filling;
  expect(simulating).toHaveBeenCalledTimes(1);
  simulating.mockRestore();
  await settleAll(stalled, project);
  expect(await stateOfDemonstration(project)).toBeNull();
  const { accounts, sessions: left } = await project.graphql(
    '{ accounts(first: 5) { edges { node { accountId } } } sessions(first: 5) { edges { node { sessionId } } } }',
  );
  expect([accounts.edges, left.edges]).toEqual([[], []]);
});
