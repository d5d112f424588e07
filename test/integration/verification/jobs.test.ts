import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { type Link, playedVerification, verificationLink, verifyFace } from '../../support/verification.ts';

/* A check whose gateway crashes, and a check that several gateways could claim. */
const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let owner: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  owner = await connectAs(gateway.database, 'owner');
});
afterAll(async () => {
  await owner.end();
  await gateway.close();
});

/** By the clock of the database, longer than any slow test. */
const JUST_NOW = -600;
const WAIT = { timeout: 50_000, interval: 50 };
const simulated = { simulate: 'success', simulate_decision: 'Real' };

/** A session whose job a process has claimed, with its last heartbeat some seconds ago. */
async function taken(startedSeconds: number, silentSeconds: number): Promise<Link> {
  const link = await verificationLink(project, simulated);
  await (await fetch(link.url)).text();
  const { rowCount } = await owner.query(
    `update vouchgraph_jobs.job set state = 'active', started_on = now() - $2 * interval '1 second',
       heartbeat_on = now() - $3 * interval '1 second' where data->>'s' = $1 and state = 'created'`,
    [link.sessionId, startedSeconds, silentSeconds],
  );
  expect(rowCount).toBe(1);
  return link;
}
const jobOf = async ({ sessionId }: Link): Promise<string | undefined> =>
  (await owner.query(`select state from vouchgraph_jobs.job where data->>'s' = $1`, [sessionId])).rows[0]
    ?.state;
const errorOf = async ({ sessionId }: Link) => (await verifyFace(project, sessionId)).body.error;

describe('a check of a killed gateway', () => {
  it('is processed by another gateway after ten seconds without a heartbeat', async () => {
    const [dead, alive] = [await taken(11, 11), await taken(600, JUST_NOW)];
    expect(await errorOf(dead)).toBe('session_not_complete');
    await vi.waitFor(async () => expect(await errorOf(dead)).toBeUndefined(), WAIT);
    // A process that works for ten minutes, with heartbeats, keeps its job.
    expect(await jobOf(alive)).toBe('active');
    expect(await errorOf(alive)).toBe('session_not_complete');
    await owner.query(
      `update vouchgraph_jobs.job set heartbeat_on = now() - interval '11 seconds' where state = 'active'`,
    );
    await gateway.app.settleVerifications(project.projectId);
    expect(await errorOf(alive)).toBeUndefined();
    expect([await jobOf(dead), await jobOf(alive)]).toEqual([undefined, undefined]);
  });

  it('with a stored result is not processed again', async () => {
    const sessionId = await playedVerification(gateway, project, simulated);
    const left = await taken(600, JUST_NOW);
    // The result was written, and the job not completed.
    await owner.query(
      `update vouchgraph_jobs.job set data = jsonb_set(data, '{s}', to_jsonb($2::text)), singleton_key = $2,
         heartbeat_on = now() - interval '11 seconds' where data->>'s' = $1`,
      [left.sessionId, sessionId],
    );
    await gateway.app.settleVerifications(project.projectId);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      'query ($id: ID) { events(sessionId: $id, types: [VERIFICATION_FACE_CHECK_COMPLETED]) { edges { node { id } } } }',
      { id: sessionId },
    );
    expect(events.edges).toHaveLength(1);
  });
});

describe('two gateways', () => {
  it('complete each check once, whichever gateway received the request', async () => {
    const other = await startGateway({ masterKey, database: gateway.database });
    try {
      const links: Link[] = [];
      for (let at = 0; at < 12; at += 1) links.push(await verificationLink(project, simulated));
      await Promise.all(
        links.flatMap(({ url }) => {
          const { pathname, search } = new URL(url);
          return [gateway, other].map(({ baseUrl }) => fetch(baseUrl + pathname + search));
        }),
      );
      const { projectId } = project;
      await Promise.all([gateway, other].map(({ app }) => app.settleVerifications(projectId)));
      await gateway.app.settleEvents();
      for (const { sessionId } of links) {
        const { events } = await project.graphql(
          'query ($id: ID) { events(sessionId: $id, first: 10) { edges { node { type } } } }',
          { id: sessionId },
        );
        const types = events.edges.map(({ node }: { node: { type: string } }) => node.type).sort();
        expect(types).toEqual(['SESSION_COMPLETED', 'VERIFICATION_FACE_CHECK_COMPLETED']);
      }
    } finally {
      await other.close();
    }
  });
});
