import { once } from '@vouchgraph/platform/once';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frames } from '../../fixtures/faces/challenge.ts';
import { personFrames } from '../../fixtures/faces/person.ts';
import {
  type Body,
  type Gateway,
  startGateway,
  startOwnGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { capture, captured } from '../../support/image-checks.ts';
import { connectAs } from '../../support/sql.ts';
import {
  playedVerification,
  refusal,
  verificationLink,
  verifyFace,
  verifyId,
  verifyIdentity,
} from '../../support/verification.ts';

/* Retention of verifications, and the parts that are erased with their account. */
const TIMEOUT = 180_000;
const DAY_MS = 86_400_000;
let gateway: Gateway;
/** Of the gateway: images are captured by it, since a test advances it. */
const clock = new TestClock();
let frames: Frames;
beforeAll(async () => {
  gateway = await startOwnGateway({ clock });
  frames = await personFrames();
}, TIMEOUT);
afterAll(() => gateway.close());

const erase = async (project: TestProject, account: string) => {
  const { status, text } = await project.rest('DELETE', `/account/${account}`);
  expect(status, text).toBe(200);
};

/** Number of rows of verifications in a project, by table. */
async function rowsOf(project: TestProject, of = gateway): Promise<Record<string, number>> {
  const client = await connectAs(of.database, 'vouchgraph_system');
  try {
    const counts: Record<string, number> = {};
    for (const table of [
      'verification_sessions',
      'sessions',
      'face_templates',
      'document_sightings',
      'media_objects',
    ]) {
      const { rows } = await client.query(
        `select count(*)::int as count from ${table} where project_id = $1`,
        [project.projectId],
      );
      counts[table] = rows[0].count;
    }
    return counts;
  } finally {
    await client.end();
  }
}
const NOTHING = {
  verification_sessions: 0,
  sessions: 0,
  face_templates: 0,
  document_sightings: 0,
  media_objects: 0,
};

describe('erasing an account', { timeout: TIMEOUT }, () => {
  it('erases its verification with face, images and the facts of its device', async () => {
    const project = await gateway.project();
    const account = unique('erased');
    const session = await captured(gateway, project, {
      frames,
      query: { account_id: account },
      at: clock.now(),
    });
    expect((await verifyFace(project, session)).status).toBe(200);
    await erase(project, account);
    expect((await verifyFace(project, session)).body).toEqual(refusal('session_not_found'));
    expect(await rowsOf(project)).toEqual(NOTHING);
    const again = await captured(gateway, project, { frames, at: clock.now() });
    expect((await verifyFace(project, again)).body.risk_flags).toEqual([]);
  });

  it('erases the images by a mutation with an Idempotency-Key', async () => {
    const project = await gateway.project();
    const account = unique('keyed');
    await playedVerification(gateway, project, { simulate: 'success', account_id: account });
    expect((await rowsOf(project)).media_objects).toBeGreaterThan(0);
    const query = `mutation { deleteAccount(input: { accountId: "${account}" }) { requestId } }`;
    const headers = { 'idempotency-key': unique('key') };
    const { body, text } = await project.rest('POST', '/graphql', { query }, headers);
    expect(body.errors, text).toBeUndefined();
    expect(await rowsOf(project)).toEqual(NOTHING);
  });

  it('succeeds when the files cannot be removed immediately, and the next purge removes them', async () => {
    const project = await gateway.project();
    const account = unique('left');
    await playedVerification(gateway, project, { simulate: 'success', account_id: account });
    const owner = new pg.Client({ connectionString: gateway.database.ownerUrl });
    await owner.connect();
    try {
      await owner.query(`create function refuse_removal() returns trigger language plpgsql as $$
        begin raise exception 'no removal now'; end $$`);
      await owner.query(`create trigger refuse_removal before delete on media_objects
        for each row when (old.project_id = '${project.projectId}') execute function refuse_removal()`);
      await erase(project, account);
      expect((await rowsOf(project)).media_objects).toBeGreaterThan(0);
      await owner.query('drop trigger refuse_removal on media_objects; drop function refuse_removal');
    } finally {
      await owner.end();
    }
    await gateway.app.purgeMedia();
    expect(await rowsOf(project)).toEqual(NOTHING);
  });

  it('while its images are being read leaves none of them', async () => {
    const project = await gateway.project();
    const account = unique('meanwhile');
    await project.authenticate({ id: account });
    await capture(gateway, project, { frames, query: { account_id: account }, at: clock.now() });
    await erase(project, account);
    await gateway.app.settleVerifications(project.projectId);
    expect(await rowsOf(project)).toEqual(NOTHING);
  });

  it('erases a failed verification, with the facts from its page', async () => {
    const project = await gateway.project();
    const account = unique('failed');
    await project.authenticate({ id: account });
    const session = await playedVerification(gateway, project, {
      simulate: 'liveness_check_failed',
      account_id: account,
    });
    expect((await project.rest('GET', `/session/${session}`)).status).toBe(200);
    await erase(project, account);
    expect((await project.rest('GET', `/session/${session}`)).body.message).toBe('Session ID not found');
    expect(await rowsOf(project)).toEqual(NOTHING);
  });
});

describe('a check without an account whose session is authenticated later', { timeout: TIMEOUT }, () => {
  const bound = async (project: TestProject, account: Body) => {
    const session = await playedVerification(gateway, project, {
      id: 'true',
      simulate: 'success',
      simulate_decision: 'Real',
    });
    const { status, text } = await project.rest('POST', '/session/authenticate', {
      session_id: session,
      account,
    });
    expect(status, text).toBe(200);
    return session;
  };

  it('belongs to that account: its lists apply, and it is erased with it', async () => {
    const project = await gateway.project();
    const id = unique('authenticated');
    const session = await bound(project, { id, lists: ['block'] });
    expect((await verifyId(project, session)).body).toMatchObject({
      metadata: { account_id: id },
      decision: 'Fake',
      lists: ['block'],
    });
    await erase(project, id);
    expect((await verifyId(project, session)).body).toEqual(refusal('session_not_found'));
    expect(await rowsOf(project)).toEqual(NOTHING);
  });

  it('remains that of the first account when another one is authenticated with it', async () => {
    const project = await gateway.project();
    const [first, second] = [unique('first'), unique('second')];
    const session = await bound(project, { id: first });
    await project.rest('POST', '/session/authenticate', { session_id: session, account: { id: second } });
    expect((await verifyId(project, session)).body.metadata.account_id).toBe(first);
  });
});

it('a check completes when an account that its session was authenticated with before is erased', async () => {
  const waiting = await startGateway({ worksInBackground: false });
  const project = await waiting.project();
  const [own, other] = [unique('own'), unique('other')];
  const { sessionId, url } = await verificationLink(project, { simulate: 'success', account_id: own });
  await (await fetch(url)).text();
  const request = { session_id: sessionId, account: { id: other } };
  expect((await project.rest('POST', '/session/authenticate', request)).status).toBe(200);
  await erase(project, other);
  await waiting.app.settleVerifications(project.projectId);
  expect((await verifyFace(project, sessionId)).body).toMatchObject({ metadata: { account_id: own } });
  await erase(project, own);
  expect(await rowsOf(project, waiting)).toEqual(NOTHING);
});

it('the rules of a check remain when its session is authenticated again', async () => {
  const project = await gateway.project();
  await project.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }', {
    input: {
      name: 'every face check',
      trigger: 'FACE_CHECK_COMPLETED',
      expression: 'verification.risk_score >= 0',
      actions: [{ raiseFlag: 'seen' }],
      state: 'ENABLED',
    },
  });
  const id = unique('ruled');
  const session = await playedVerification(gateway, project, { simulate: 'success', account_id: id });
  const rules = async () => (await verifyFace(project, session)).body.rules;
  expect(await rules()).toEqual(['every face check']);
  for (const account of [{ id }, { id: unique('other') }])
    await project.rest('POST', '/session/authenticate', { session_id: session, account });
  expect(await rules()).toEqual(['every face check']);
});

describe('an enrolled face', { timeout: TIMEOUT }, () => {
  /** The same face without an account, of an account, and without one after a month. */
  const checks = once(async () => {
    const project = await gateway.project();
    const account = unique('kept');
    const seen = await captured(gateway, project, { frames, at: clock.now() });
    const session = await captured(gateway, project, {
      frames,
      query: { account_id: account },
      at: clock.now(),
    });
    // The first face makes the second a repeat, with little weight: it is enrolled.
    expect((await verifyFace(project, session)).body).toMatchObject({
      decision: 'Real',
      risk_flags: ['repeat_face'],
    });
    clock.advance(31 * DAY_MS);
    await gateway.app.purgeSeen();
    const fresh = await captured(gateway, project, { frames, at: clock.now() });
    return { project, account, seen, fresh };
  });

  it('remains when seen faces expire', async () => {
    const { project, account, seen, fresh } = await checks();
    expect((await verifyFace(project, seen)).body).toEqual(refusal('session_not_valid_for_this_endpoint'));
    expect((await verifyIdentity(project, fresh, account)).body.match).toBe(true);
    expect((await verifyFace(project, fresh)).body.risk_flags).toEqual(['repeat_face']);
  });

  it('names its account in an event of a check without an account, as the response does', async () => {
    const { project, account, fresh } = await checks();
    const { body } = await verifyFace(project, fresh);
    expect(body.matches.accounts_linked).toEqual([
      { account_id: account, match_types: ['face'], match_kinds: ['face'] },
    ]);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      'query ($id: ID!) { events(first: 10, sessionId: $id, types: [VERIFICATION_FACE_CHECK_COMPLETED]) { edges { node { data } } } }',
      { id: fresh },
    );
    expect(events.edges[0].node.data.matches).toEqual(body.matches);
  });
});
