import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { type Gateway, projectClient, startGateway, type TestProject } from '../../support/gateway.ts';
import { killInside } from '../../support/killed-gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { type Link, playedVerification, verificationLink, verifyFace } from '../../support/verification.ts';

/* A check whose gateway crashes, and a check that several gateways could claim. */
const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

/** Seconds that are longer than any slow test. */
const LONG = 600;
const WAIT = { timeout: 50_000, interval: 50 };
const simulated = { simulate: 'success', simulate_decision: 'Real' };

/** Sets the end of the lease of another process, in seconds from now. */
async function setLease(sessionId: string, seconds: number): Promise<void> {
  const { rowCount } = await system.query(
    `update verification_sessions set lease_id = gen_random_uuid(), claims = 1,
       claimable_at = now() + $2 * interval '1 second' where session_id = $1`,
    [sessionId, seconds],
  );
  expect(rowCount).toBe(1);
}
/** A submitted session that another process has claimed. */
async function taken(leaseSeconds: number): Promise<Link> {
  const link = await verificationLink(project, simulated);
  await (await fetch(link.url)).text();
  await setLease(link.sessionId, leaseSeconds);
  return link;
}
/** Whether the check of a session is waiting or running. */
const isJob = async ({ sessionId }: Link): Promise<boolean> => {
  const text = 'select claimable_at is not null as job from verification_sessions where session_id = $1';
  return (await system.query(text, [sessionId])).rows[0].job;
};
const errorOf = async ({ sessionId }: Link) => (await verifyFace(project, sessionId)).body.error;

const COMPLETED = ['SESSION_COMPLETED', 'VERIFICATION_FACE_CHECK_COMPLETED'];
/** Types of the events of a session. */
async function typesOf({ app }: Gateway, client: TestProject, sessionId: string): Promise<string[]> {
  await app.settleEvents();
  const { events } = await client.graphql(
    'query ($id: ID) { events(sessionId: $id, first: 10) { edges { node { type } } } }',
    { id: sessionId },
  );
  return events.edges.map(({ node }: { node: { type: string } }) => node.type).sort();
}

describe('a check of a killed gateway', () => {
  it('is processed by another gateway after its lease expires', async () => {
    const [dead, alive] = [await taken(0), await taken(LONG)];
    await vi.waitFor(async () => expect(await errorOf(dead)).toBeUndefined(), WAIT);
    // A process that renews its lease keeps its job.
    expect(await errorOf(alive)).toBe('session_not_complete');
    await setLease(alive.sessionId, 0);
    await gateway.app.settleVerifications(project.projectId);
    expect(await errorOf(alive)).toBeUndefined();
    expect([await isJob(dead), await isJob(alive)]).toEqual([false, false]);
  });

  it('with a stored result is not processed again', async () => {
    const sessionId = await playedVerification(gateway, project, simulated);
    // The result was written, and the job was not ended.
    await setLease(sessionId, 0);
    await gateway.app.settleVerifications(project.projectId);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      'query ($id: ID) { events(sessionId: $id, types: [VERIFICATION_FACE_CHECK_COMPLETED]) { edges { node { id } } } }',
      { id: sessionId },
    );
    expect(events.edges).toHaveLength(1);
  });
});

describe('a killed process', { timeout: 300_000 }, () => {
  it('leaves its check to another gateway, which emits the result once', async () => {
    const database = await createTestDatabase();
    const first = await startGateway({ masterKey, database });
    const { projectId, key } = await first.project();
    await first.close();
    let link: Link | undefined;
    await killInside({
      database,
      masterKey,
      change: { table: 'verification_sessions', when: "new.state = 'completed'" },
      async begin(baseUrl) {
        link = await verificationLink(projectClient(baseUrl, projectId, key), simulated);
        await (await fetch(link.url)).text();
      },
    });
    const next = await startGateway({ masterKey, database });
    try {
      const heir = projectClient(next.baseUrl, projectId, key);
      const { sessionId } = link!;
      expect((await verifyFace(heir, sessionId)).body.error).toBe('session_not_complete');
      // Waits for the end of the lease.
      await next.app.settleVerifications(projectId);
      expect((await verifyFace(heir, sessionId)).body.error).toBeUndefined();
      expect(await typesOf(next, heir, sessionId)).toEqual(COMPLETED);
    } finally {
      await next.close();
      await database.drop();
    }
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
      for (const { sessionId } of links)
        expect(await typesOf(gateway, project, sessionId)).toEqual(COMPLETED);
    } finally {
      await other.close();
    }
  });
});
