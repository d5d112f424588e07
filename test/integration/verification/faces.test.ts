import { once } from '@vouchgraph/platform/once';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Frames, headFrames, sharedFrame } from '../../fixtures/faces/challenge.ts';
import { personFrames, printFrames } from '../../fixtures/faces/person.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { capture, captured } from '../../support/image-checks.ts';
import { download } from '../../support/media.ts';
import { connectAs } from '../../support/sql.ts';
import {
  enroll,
  playedVerification,
  refusal,
  verifyFace,
  verifyIdentity,
} from '../../support/verification.ts';

/* Face checks with images, through the page, the queue and the readers. */
const TIMEOUT = 180_000;
let gateway: Gateway;
let frames: Frames;
beforeAll(async () => {
  gateway = await startGateway();
  frames = await personFrames();
}, TIMEOUT);
afterAll(() => gateway.close());

const resultOf = async (project: TestProject, id: string): Promise<Body> => {
  const { status, body } = await verifyFace(project, id);
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
};
/** An account with the face of a check. */
const enrolledFace = async (project: TestProject) => {
  const account = unique('enrolled');
  const session = await captured(gateway, project, { frames, query: { account_id: account } });
  expect((await resultOf(project, session)).decision).toBe('Real');
  return { account, session };
};
/** A project with two checks without an account: of a print, then of the person. */
const printThenPerson = once(async () => {
  const project = await gateway.project();
  const print = await captured(gateway, project, { frames: await printFrames() });
  const person = await captured(gateway, project, { frames });
  return { project, print, person };
});
/** A project with an enrolled face. Its tests leave the enrolled face as it is. */
const enrolledOnce = once(async () => {
  const project = await gateway.project();
  return { project, ...(await enrolledFace(project)) };
});

describe('a face check', { timeout: TIMEOUT }, () => {
  it('of a head that turns as requested completes with an image and a video; the next one of the face is a repeat', async () => {
    const project = await gateway.project();
    const first = await captured(gateway, project, { frames });
    const result = await resultOf(project, first);
    expect(result).toMatchObject({
      decision: 'Real',
      risk_flags: [],
      risk_score: 0,
      metadata: { session_id: first, account_id: null },
      matches: { num_accounts_linked: 0, accounts_linked: [] },
    });
    expect(result).not.toHaveProperty('document_signals');
    const face = await download(result.photo_urls.face);
    expect(face.status).toBe(200);
    expect(face.headers.get('content-type')).toBe('image/jpeg');
    expect(face.bytes.subarray(0, 2).toString('hex')).toBe('ffd8');
    expect(result.video_urls).toHaveLength(1);
    expect((await download(result.video_urls[0])).status).toBe(200);

    const second = await captured(gateway, project, { frames });
    expect(await resultOf(project, second)).toMatchObject({
      decision: 'Real',
      risk_score: 0.1,
      risk_flags: ['repeat_face'],
    });
    // Stored results do not change.
    expect(await resultOf(project, first)).toMatchObject({ risk_flags: [], decision: 'Real' });

    const { project: stranger, person: elsewhere } = await printThenPerson();
    expect((await resultOf(stranger, elsewhere)).risk_flags).toEqual([]);
  });

  it('in two concurrent runs is a repeat in one of them', async () => {
    const project = await gateway.project();
    const sessions = await Promise.all([
      capture(gateway, project, { frames }),
      capture(gateway, project, { frames }),
    ]);
    await gateway.app.settleVerifications(project.projectId);
    const flags = await Promise.all(
      sessions.map(async (session) => (await resultOf(project, session)).risk_flags),
    );
    expect(flags.sort((a, b) => a.length - b.length)).toEqual([[], ['repeat_face']]);
  });

  it('of a turned print fails the liveness check and stores no face', async () => {
    const { project, print, person } = await printThenPerson();
    expect((await verifyFace(project, print)).body).toEqual(refusal('liveness_check_failed'));
    const { verification } = await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { state failure } }',
      { id: print },
    );
    expect(verification).toEqual({ state: 'FAILED', failure: 'LIVENESS_CHECK_FAILED' });
    expect((await resultOf(project, person)).risk_flags).toEqual([]);
  });

  it('with a virtual camera reports it', async () => {
    const project = await gateway.project();
    const session = await captured(gateway, project, {
      frames,
      camera: { label: 'OBS Virtual Camera', width: 1280, height: 720 },
    });
    const { risk_flags, decision } = await resultOf(project, session);
    expect(risk_flags).toContain('virtual_camera_detected');
    expect(decision).toBe('Suspicious');
  });
});

describe('an enrolled face', { timeout: TIMEOUT }, () => {
  it('is found again: not a repeat for its own account, a repeat for others', async () => {
    const project = await gateway.project();
    const { account } = await enrolledFace(project);
    const own = await captured(gateway, project, { frames, query: { account_id: account } });
    expect((await resultOf(project, own)).risk_flags).toEqual([]);
    expect((await verifyIdentity(project, own, account)).body).toMatchObject({ success: true, match: true });

    const unbound = await captured(gateway, project, { frames });
    expect(await resultOf(project, unbound)).toMatchObject({
      decision: 'Real',
      risk_score: 0.2,
      risk_flags: ['repeat_face'],
      matches: { num_accounts_linked: 1, accounts_linked: [{ account_id: account }] },
    });
    expect((await resultOf(project, unbound)).matches.accounts_linked[0].match_types).toContain('face');

    const other = unique('no face');
    await project.authenticate({ id: other });
    expect((await verifyIdentity(project, unbound, other)).body).toEqual(refusal('account_not_enrolled'));
    // Another account with only the face is linked to the first as a weak match.
    expect((await enroll(project, unbound, other)).status).toBe(200);
    expect(await resultOf(project, unbound)).toMatchObject({ decision: 'Real', risk_score: 0.2 });
    expect((await verifyIdentity(project, own, other)).body).toMatchObject({ match: true });
    const linked = await project.graphql(
      'query ($id: ID!) { account(accountId: $id) { linkedAccounts { edges { score node { accountId } } } } }',
      { id: other },
    );
    expect(linked.account.linkedAccounts.edges).toMatchObject([{ score: 0.5, node: { accountId: account } }]);
  });

  it('identifies its person without an account, and can be enrolled again', async () => {
    const project = await gateway.project();
    const { account } = await enrolledFace(project);
    const again = await captured(gateway, project, { frames });
    expect(await resultOf(project, again)).toMatchObject({ decision: 'Real', risk_score: 0.2 });
    expect((await enroll(project, again, account)).body).toMatchObject({ success: true });
    expect(await resultOf(project, again)).toMatchObject({
      decision: 'Real',
      risk_score: 0,
      risk_flags: [],
      metadata: { account_id: account },
    });
  });

  it('is not replaced by a simulated session', async () => {
    const { project, account, session } = await enrolledOnce();
    const simulated = await playedVerification(gateway, project, {
      simulate: 'success',
      simulate_decision: 'Real',
    });
    expect((await enroll(project, simulated, account)).status).toBe(200);
    expect((await verifyIdentity(project, session, account)).body).toMatchObject({ match: true });
  });

  it('is not created when the project keeps faces for fewer days than results', async () => {
    const { project, person: session } = await printThenPerson();
    const account = unique('late');
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    const { rowCount } = await system.query('delete from face_templates where session_id = $1', [session]);
    expect(rowCount).toBe(1);
    await system.end();
    expect((await enroll(project, session, account)).body).toEqual(
      refusal('session_not_valid_for_this_endpoint'),
    );
    expect((await project.rest('GET', `/account/${account}`)).status).toBe(400);
    expect((await resultOf(project, session)).metadata.account_id).toBeNull();
  });

  it('does not match another person', async ({ skip }) => {
    const otherPerson = await sharedFrame('person-b-1');
    if (!otherPerson) return skip();
    const others = await headFrames(otherPerson);
    const { project, account, session: own } = await enrolledOnce();
    const session = await captured(gateway, project, { frames: others });
    expect((await resultOf(project, session)).risk_flags).toEqual([]);
    expect((await verifyIdentity(project, session, account)).body).toMatchObject({
      success: true,
      match: false,
    });
    expect((await enroll(project, session, account)).body).toEqual(refusal('account_already_enrolled'));
    const claimed = await captured(gateway, project, { frames: others, query: { account_id: account } });
    expect((await resultOf(project, claimed)).risk_flags).toContain('enrolled_face_mismatch');
    // The enrolled face remains.
    expect((await verifyIdentity(project, own, account)).body).toMatchObject({ match: true });
  });
});
